//! What could not be read: named, counted, passed over.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::session::Session;

/// So many are told to everybody; the rest only to those who asked for details.
const MOST_SAID: u64 = 20;
/// So many are kept as examples.
const MOST_KEPT: usize = 1000;

/// A file or a record that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skip {
    /// The file.
    pub path: PathBuf,
    /// The line of the record, or from which on the file cannot be read; none for a whole file.
    pub line: Option<u64>,
    /// Why.
    pub why: String,
    /// Whether it is one record of the file, and not all of it or all the rest.
    pub is_record: bool,
}

impl Skip {
    /// A file.
    pub(super) fn file(path: &Path, why: impl Into<String>) -> Self {
        Skip { path: path.to_path_buf(), line: None, why: why.into(), is_record: false }
    }

    /// A record.
    pub(super) fn record(path: &Path, line: u64, why: String) -> Self {
        Skip { path: path.to_path_buf(), line: Some(line), why, is_record: true }
    }

    /// A file with which something went wrong.
    pub(super) fn failed(path: &Path, error: Error) -> Self {
        match error {
            Error::Io { doing, source, .. } => {
                Skip::file(path, format!("cannot {doing}: {source}"))
            }
            Error::Parse { line, expected, found, .. } => Skip {
                line: Some(line),
                ..Skip::file(path, format!("expected {expected}, found {found}"))
            },
            other => Skip::file(path, other.to_string()),
        }
    }
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, "{line}:")?;
        }
        write!(f, " {}", self.why)
    }
}

/// All that could not be read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Files, or their ends.
    pub files: u64,
    /// Records of files that could be read otherwise.
    pub records: u64,
    /// The first thousand, in reading order.
    pub first: Vec<Skip>,
}

impl Skipped {
    /// Files and records together.
    pub fn count(&self) -> u64 {
        self.files + self.records
    }

    /// Counts one and tells it.
    pub(super) fn add(&mut self, skip: Skip, session: &Session) {
        let message = format!("skipped {skip}");
        if self.count() < MOST_SAID {
            session.info(&message)
        } else {
            session.detail(&message)
        }
        *(if skip.is_record { &mut self.records } else { &mut self.files }) += 1;
        if self.first.len() < MOST_KEPT {
            self.first.push(skip);
        }
    }

    /// Tells how many were not told to everybody.
    pub(super) fn finish(&self, session: &Session) {
        if let Some(more @ 1..) = self.count().checked_sub(MOST_SAID) {
            session.info(&format!("skipped {more} more; --verbose names them all"));
        }
    }
}
