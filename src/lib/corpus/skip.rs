//! Unreadable input: named, counted, skipped.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::executable::counted;
use crate::session::Session;

/// Reasons that are counted and reported, each in one line.
const MAX_REASONS: usize = 20;
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

impl SkippedInput {
    /// Returns the reason without what differs from record to record: findings, places, causes.
    fn kind(&self) -> &str {
        let end = [", found", " (", ": ", " at byte"].iter().filter_map(|mark| self.why.find(mark));
        &self.why[..end.min().unwrap_or(self.why.len())]
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
    /// Counts by reason, in the order of their first occurrence.
    reasons: Vec<SkipReason>,
}

/// Unreadable input of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
struct SkipReason {
    first: SkippedInput,
    count: u64,
}

impl SkipLog {
    /// Returns the number of files and records.
    pub fn count(&self) -> u64 {
        self.files + self.records
    }

    /// Counts a skip, and reports it as a detail.
    pub(super) fn add(&mut self, skip: SkippedInput, session: &Session) {
        session.detail(&format!("skipped {skip}"));
        *(if skip.is_record { &mut self.records } else { &mut self.files }) += 1;
        let is_same = |reason: &SkipReason| {
            reason.first.kind() == skip.kind() && reason.first.is_record == skip.is_record
        };
        match self.reasons.iter().position(is_same) {
            Some(at) => self.reasons[at].count += 1,
            None if self.reasons.len() < MAX_REASONS => {
                self.reasons.push(SkipReason { first: skip.clone(), count: 1 });
            }
            None => (),
        }
        if self.first.len() < MAX_KEPT {
            self.first.push(skip);
        }
    }

    /// Reports the skips, one line per reason.
    pub(super) fn finish(&self, session: &Session) {
        for SkipReason { first, count } in &self.reasons {
            let what = if first.is_record { "records" } else { "files" };
            session.info(&match count {
                1 => format!("skipped {first}"),
                _ => format!("skipped {}, the first {first}", counted(*count, what)),
            });
        }
        let reported: u64 = self.reasons.iter().map(|reason| reason.count).sum();
        match self.count() - reported {
            0 => (),
            more => session.info(&format!("skipped {} for other reasons", counted(more, "inputs"))),
        }
        if self.reasons.iter().any(|reason| reason.count > 1) && !session.shows_details() {
            session.info("--verbose names all that was skipped");
        }
    }
}
