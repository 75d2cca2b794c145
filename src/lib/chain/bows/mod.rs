//! `create_bows`: documents to bags of words.

mod listed;
mod records;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Counts;
use super::pool::ObjectPool;
use crate::corpus::readable;
use crate::corpus::record::RecordShape;
use crate::error::{Error, Result};
use crate::files::bow;
use crate::files::decimal::append_number;
use crate::files::list::Separator;
use crate::files::paths::BowPaths;
use crate::files::stage::Stage;
use crate::session::Session;
use crate::text::{AnalyzerOptions, TermCounter};

/// What to read, how, and where to write.
#[derive(Debug, Clone)]
pub struct Bows {
    /// Where the documents are.
    pub source: Source,
    /// Only the first so many documents.
    pub doc_count: Option<usize>,
    /// How texts become terms.
    pub rules: AnalyzerOptions,
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

/// Where documents are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// In files of their own.
    List {
        /// The list of their paths.
        path: PathBuf,
        /// How the list's names are separated.
        separator: Separator,
    },
    /// In one file, one a line.
    Records {
        /// The file.
        path: PathBuf,
        /// What a line is.
        shape: RecordShape,
    },
}

/// Makes the bags. Memory: the documents' names, and a few documents a thread or some 20 MB of one large file for each.
pub fn create(task: &Bows, session: &Session) -> Result<Counts> {
    let work = Work::new(task, session);
    let count = match &task.source {
        Source::List { path, separator } => listed::create(&work, path, *separator)?,
        Source::Records { path, shape } => records::create(&work, path, shape)?,
    };
    tell_repaired(work.repaired.into_inner(), session);
    Ok(Counts {
        read: (count, "documents"),
        skipped: (0, ""),
        written: (count, "bags of words"),
        unreadable: 0,
    })
}

/// The task and what its threads share.
struct Work<'a> {
    task: &'a Bows,
    session: &'a Session,
    baggers: ObjectPool<TermCounter>,
    /// Documents that were not UTF-8.
    repaired: AtomicU64,
}

impl<'a> Work<'a> {
    fn new(task: &'a Bows, session: &'a Session) -> Self {
        Work { task, session, baggers: ObjectPool::default(), repaired: AtomicU64::new(0) }
    }

    fn begin_stage(&self) -> Result<Stage> {
        let Bows { bow_paths, bow_dir, compress, .. } = self.task;
        Stage::begin(bow_paths, bow_dir, "bow", *compress)
    }

    /// Completes the stage when all of its BOW files are.
    fn commit(&self, stage: Stage, documents: usize) -> Result<u64> {
        stage.commit(&BowPaths::header(documents as u64))?;
        Ok(documents as u64)
    }

    /// Lends a bagger.
    fn with_bagger<R>(&self, work: impl FnOnce(&mut TermCounter) -> R) -> R {
        self.baggers.with(|| TermCounter::new(self.task.rules), work)
    }

    /// Appends the line of document `position` (counted from 0).
    fn append(
        &self,
        line: &mut Vec<u8>,
        bagger: &mut TermCounter,
        position: usize,
        document: Read<'_>,
    ) {
        if document.repaired {
            self.repaired.fetch_add(1, Ordering::Relaxed);
            self.session.detail(&format!("{}: not valid UTF-8", readable(document.name)));
        }
        // A byte order mark is not part of the text.
        let text = document.text.strip_prefix('\u{feff}').unwrap_or(document.text);
        let bag = bagger.bag(text);
        if bag.terms().len() == 0 {
            self.session.detail(&format!("{}: no terms", readable(document.name)));
        }
        if self.task.id_file.is_some() {
            append_number(line, position as u64 + 1);
        } else {
            line.extend_from_slice(document.name.as_bytes());
        }
        bow::append_bag(line, bag.terms());
    }
}

/// A document that was read.
struct Read<'a> {
    /// Its encoded name.
    name: &'a str,
    text: &'a str,
    /// Whether it was not UTF-8.
    repaired: bool,
}

/// There must be something to do.
fn check_not_empty(documents: usize, path: &std::path::Path, verb: &str) -> Result<()> {
    if documents > 0 {
        return Ok(());
    }
    Err(Error::Message(format!("{}: {verb} no document", path.display())))
}

fn tell_repaired(count: u64, session: &Session) {
    if count > 0 {
        session.info(&format!(
            "{count} documents were not valid UTF-8 and were read with replacement characters"
        ));
    }
}
