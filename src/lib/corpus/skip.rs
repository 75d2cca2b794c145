//! Unreadable input: named, counted, skipped.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::session::Session;

/// Skips reported to every user; the rest are details.
const MAX_REPORTED: u64 = 20;
/// Skips kept as examples.
const MAX_KEPT: usize = 1000;

/// An unreadable file or record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedInput {
    /// The file.
    pub path: PathBuf,
    /// The line of the record, or from which on the file is unreadable; none for a whole file.
    pub line: Option<u64>,
    /// The reason.
    pub why: String,
    /// Whether this is a single record, not the whole file or its end.
    pub is_record: bool,
    /// The list that names the file, and the line.
    pub list: Option<(PathBuf, u64)>,
}

impl SkippedInput {
    /// An unreadable file.
    pub(super) fn file(path: &Path, why: impl Into<String>) -> Self {
        let (path, why) = (path.to_path_buf(), why.into());
        SkippedInput { path, line: None, why, is_record: false, list: None }
    }

    /// A file that is unreadable from a line on.
    pub(super) fn from_line(path: &Path, line: u64, why: String) -> Self {
        SkippedInput { line: Some(line), ..SkippedInput::file(path, why) }
    }

    /// A malformed record.
    pub(super) fn record(path: &Path, line: u64, why: String) -> Self {
        SkippedInput { is_record: true, ..SkippedInput::from_line(path, line, why) }
    }

    /// A file that failed with `error`.
    pub(super) fn failed(path: &Path, error: Error) -> Self {
        match error {
            Error::Io { doing, source, .. } => {
                SkippedInput::file(path, format!("cannot {doing}: {source}"))
            }
            other => SkippedInput::file(path, other.to_string()),
        }
    }
}

impl fmt::Display for SkippedInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((list, line)) = &self.list {
            write!(f, "{}:{line}: ", list.display())?;
        }
        write!(f, "{}:", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, "{line}:")?;
        }
        write!(f, " {}", self.why)
    }
}

/// All unreadable input of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkipLog {
    /// Number of files, or ends of files.
    pub files: u64,
    /// Number of records of otherwise readable files.
    pub records: u64,
    /// The first thousand, in reading order.
    pub first: Vec<SkippedInput>,
}

impl SkipLog {
    /// Returns the number of files and records.
    pub fn count(&self) -> u64 {
        self.files + self.records
    }

    /// Counts and reports a skip.
    pub(super) fn add(&mut self, skip: SkippedInput, session: &Session) {
        let message = format!("skipped {skip}");
        if self.count() < MAX_REPORTED {
            session.info(&message)
        } else {
            session.detail(&message)
        }
        *(if skip.is_record { &mut self.records } else { &mut self.files }) += 1;
        if self.first.len() < MAX_KEPT {
            self.first.push(skip);
        }
    }

    /// Reports the number of skips that were details.
    pub(super) fn finish(&self, session: &Session) {
        if let Some(more @ 1..) = self.count().checked_sub(MAX_REPORTED) {
            session.info(&format!("skipped {more} more; --verbose names them all"));
        }
    }
}
