//! Documents in files of their own.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use rustc_hash::FxHashMap;

use super::{Read, Work, check_not_empty};
use crate::error::{Error, Result, excerpt};
use crate::files::list::{self, Separator};
use crate::files::paths::path_from_bytes;
use crate::files::{ids, input};

/// Documents that are read at once for one BOW file.
const BATCH: usize = 64;

/// Makes the bags of all documents of a list, and returns how many these are.
pub(super) fn create(work: &Work<'_>, doc_list: &Path, separator: Separator) -> Result<u64> {
    let documents = documents(doc_list, separator, work.task.doc_count)?;
    check_not_empty(documents.len(), doc_list, "names")?;
    work.session.phase("reading documents", Some(documents.len() as u64));
    let mut stage = work.begin_stage()?;
    let per_file = work.task.per_file;
    let written = documents.par_chunks(per_file).enumerate().try_for_each(|(number, part)| {
        let mut file = stage.create(number)?;
        for (batch, documents) in part.chunks(BATCH).enumerate() {
            let first = number * per_file + batch * BATCH;
            let lines = documents.par_iter().enumerate().map(|(at, document)| {
                work.session.advance(1);
                line(work, document, first + at).map_err(|error| place(doc_list, document, error))
            });
            // In the documents' order, so that of several errors the first is told.
            let lines: Vec<Result<Vec<u8>>> = lines.collect();
            lines.into_iter().try_for_each(|line| file.write(&line?))?;
        }
        stage.keep(number, file)
    });
    written.map_err(|error| with_hint(separator, &documents, error))?;
    if let Some(path) = &work.task.id_file {
        stage.keep_beside(ids::write(path, documents.iter().map(|document| &*document.name))?)?;
    }
    work.commit(stage, documents.len())
}

fn line(work: &Work<'_>, document: &Document, position: usize) -> Result<Vec<u8>> {
    let Text { text, repaired } = document.read()?;
    let read = Read { name: &document.name, text: &text, repaired };
    let mut line = Vec::new();
    work.with_bagger(|bagger| work.append(&mut line, bagger, position, read));
    Ok(line)
}

fn place(doc_list: &Path, document: &Document, error: Error) -> Error {
    Error::Listed { list: doc_list.to_path_buf(), line: document.line, error: Box::new(error) }
}

/// A path with spaces falls apart where white space separates: says so if that may be what went wrong.
fn with_hint(separator: Separator, documents: &[Document], error: Error) -> Error {
    let Error::Listed { line, .. } = &error else { return error };
    let is_shared = documents.iter().filter(|document| document.line == *line).count() > 1;
    if separator == Separator::Line || !is_shared {
        return error;
    }
    Error::Message(format!(
        "{error} (white space separates paths; with --lines they stand one a line)"
    ))
}

/// A document that has not been read yet.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Document {
    /// Where it is.
    path: PathBuf,
    /// Its name as the chain's files write it.
    name: String,
    /// The line of the `doc_list` that names it.
    line: u64,
}

/// The documents of a `doc_list`, in its order, at most `limit` of them. A name that stands there twice is
/// an error: results could not tell the two apart.
fn documents(doc_list: &Path, separator: Separator, limit: Option<usize>) -> Result<Vec<Document>> {
    let mut entries = list::read(doc_list, separator)?;
    entries.truncate(limit.unwrap_or(usize::MAX));
    let mut first_lines = FxHashMap::default();
    let mut documents = Vec::with_capacity(entries.len());
    for entry in entries {
        // A document may be called `-`; only files named by flags can be standard input.
        let path = if entry.raw == b"-" { "./-".into() } else { path_from_bytes(&entry.raw) };
        let document = Document { path, name: entry.encoded(), line: entry.line };
        if let Some(first) = first_lines.insert(entry.raw, entry.line) {
            return Err(Error::Parse {
                path: doc_list.to_path_buf(),
                line: entry.line,
                expected: "every document once".into(),
                found: format!("{} again, first in line {first}", excerpt(&document.name)),
            });
        }
        documents.push(document);
    }
    Ok(documents)
}

/// A document's text. Bytes that are not UTF-8 became replacement characters where `repaired` says so; a byte
/// order mark at the start is not part of the text.
struct Text {
    /// The text.
    text: String,
    /// Whether something had to be replaced.
    repaired: bool,
}

impl Document {
    /// Reads the document, decompressing it if it is compressed.
    fn read(&self) -> Result<Text> {
        let content = input::read_all(&self.path)?;
        let content = content.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&content);
        let text = String::from_utf8_lossy(content);
        let repaired = matches!(text, std::borrow::Cow::Owned(_));
        Ok(Text { text: text.into_owned(), repaired })
    }
}
