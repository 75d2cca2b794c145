//! Documents in files of their own.

use std::path::Path;

use rayon::prelude::*;

use super::{Read, Work, check_not_empty};
use crate::corpus::{self, Document};
use crate::error::{Error, Result};
use crate::files::ids;
use crate::files::list::Separator;

/// Documents that are read at once for one BOW file.
const BATCH: usize = 64;

/// Makes the bags of all documents of a list, and returns how many these are.
pub(super) fn create(work: &Work<'_>, doc_list: &Path, separator: Separator) -> Result<u64> {
    let documents = corpus::documents(doc_list, separator, work.task.doc_count)?;
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
    let corpus::Text { text, repaired } = document.read()?;
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
