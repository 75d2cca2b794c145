//! `create_bows`: documents to bags of words.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::Counts;
use crate::corpus::{self, Document};
use crate::error::{Error, Result};
use crate::files::list::Separator;
use crate::files::paths::BowPaths;
use crate::files::stage::Stage;
use crate::files::{bow, ids};
use crate::text::TermRules;
use crate::watch::Watch;

/// What to read, how, and where to write.
#[derive(Debug, Clone)]
pub struct Bows {
    /// The list of documents.
    pub doc_list: PathBuf,
    /// How the list's names are separated.
    pub separator: Separator,
    /// Only the first so many documents.
    pub doc_count: Option<usize>,
    /// How texts become terms.
    pub rules: TermRules,
    /// The list to write.
    pub bow_paths: PathBuf,
    /// The folder for BOW files.
    pub bow_dir: PathBuf,
    /// Whether to compress them.
    pub compress: bool,
    /// Bags in one BOW file; at least 1.
    pub per_file: usize,
    /// Number the documents and write the map here.
    pub id_file: Option<PathBuf>,
}

/// Documents that are read at once for one BOW file.
const BATCH: usize = 64;

/// Makes the bags. Memory: the list and a few documents a thread.
pub fn create(task: &Bows, watch: &dyn Watch) -> Result<Counts> {
    let documents = corpus::documents(&task.doc_list, task.separator, task.doc_count)?;
    if documents.is_empty() {
        return Err(Error::Message(format!("{}: names no document", task.doc_list.display())));
    }
    watch.begin("reading documents", Some(documents.len() as u64));
    let mut stage = Stage::begin(&task.bow_paths, &task.bow_dir, "bow", task.compress)?;
    let repaired = AtomicU64::new(0);
    let written = documents.par_chunks(task.per_file).enumerate().try_for_each(|(number, part)| {
        let mut file = stage.create(number)?;
        for (batch, documents) in part.chunks(BATCH).enumerate() {
            let first = number * task.per_file + batch * BATCH;
            let lines = documents.par_iter().enumerate().map(|(at, document)| {
                watch.advance(1);
                line(task, document, first + at, &repaired, watch)
            });
            // In the documents' order, so that of several errors the first is told.
            let lines: Vec<Result<Vec<u8>>> = lines.collect();
            lines.into_iter().try_for_each(|line| file.write(&line?))?;
        }
        stage.keep(number, file)
    });
    written.map_err(|error| with_hint(task, &documents, error))?;
    if let Some(path) = &task.id_file {
        stage.keep_beside(ids::write(path, documents.iter().map(|document| &*document.name))?)?;
    }
    let count = documents.len() as u64;
    stage.commit(&BowPaths::header(count))?;
    tell_repaired(repaired.into_inner(), watch);
    Ok(Counts { read: (count, "documents"), skipped: (0, ""), written: (count, "bags of words") })
}

fn line(
    task: &Bows,
    document: &Document,
    position: usize,
    repaired: &AtomicU64,
    watch: &dyn Watch,
) -> Result<Vec<u8>> {
    let text = document.read().map_err(|e| at(&task.doc_list, document, e))?;
    if text.repaired {
        repaired.fetch_add(1, Ordering::Relaxed);
        watch.detail(&format!("{}: not valid UTF-8", document.readable_name()));
    }
    let bag = task.rules.bag(&text.text);
    if bag.is_empty() {
        watch.detail(&format!("{}: no terms", document.readable_name()));
    }
    let id = (position + 1).to_string();
    let name = if task.id_file.is_some() { &id } else { &document.name };
    let mut line = Vec::new();
    bow::append_line(
        &mut line,
        name,
        &bag.iter().map(|(term, n)| (&**term, *n)).collect::<Vec<_>>(),
    );
    Ok(line)
}

fn at(doc_list: &Path, document: &Document, error: Error) -> Error {
    Error::Listed { list: doc_list.to_path_buf(), line: document.line, error: Box::new(error) }
}

/// A path with spaces falls apart where white space separates: says so if that may be what went wrong.
fn with_hint(task: &Bows, documents: &[Document], error: Error) -> Error {
    let Error::Listed { line, .. } = &error else { return error };
    let is_shared = documents.iter().filter(|document| document.line == *line).count() > 1;
    if task.separator == Separator::Line || !is_shared {
        return error;
    }
    Error::Message(format!(
        "{error} (white space separates paths; with --lines they stand one a line)"
    ))
}

fn tell_repaired(count: u64, watch: &dyn Watch) {
    if count > 0 {
        watch.say(&format!(
            "{count} documents were not valid UTF-8 and were read with replacement characters"
        ));
    }
}
