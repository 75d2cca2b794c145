//! Writer of search results.
//!
//! With a sample, one line for each of its documents, in the list's order, also without a match. Without, one line for
//! every document (or group that shares a signature) that has a match, in collection order.

use std::path::Path;

use super::Counts;
use crate::error::Result;
use crate::files::output::Output;
use crate::files::result::append_similarity;
use crate::search::Match;

/// Queries of a sample that are answered before their lines are written, for each thread.
const QUERIES_A_THREAD: usize = 4;

/// How many queries of a sample are answered at once: enough for all threads, few enough for memory.
pub(super) fn batch_size() -> usize {
    QUERIES_A_THREAD * rayon::current_num_threads()
}

/// Writes a result line by line.
pub(super) struct ResultWriter {
    out: Output,
    line: String,
}

impl ResultWriter {
    pub(super) fn create(path: &Path) -> Result<Self> {
        Ok(ResultWriter { out: Output::create(path)?, line: String::new() })
    }

    /// Writes one line; `append_label` writes a match's document or group.
    pub(super) fn line(
        &mut self,
        head: &str,
        matches: &[Match],
        append_label: impl Fn(&mut String, usize),
    ) -> Result<()> {
        self.line_of(head, matches, append_label, append_similarity)
    }

    /// The same for matches whose similarity is known in another form, which `append_value` writes.
    pub(super) fn line_of<S: Copy>(
        &mut self,
        head: &str,
        matches: &[Match<S>],
        append_label: impl Fn(&mut String, usize),
        append_value: impl Fn(&mut String, S),
    ) -> Result<()> {
        self.line.clear();
        self.line.push_str(head);
        for found in matches {
            self.line.push(':');
            append_label(&mut self.line, found.other as usize);
            append_value(&mut self.line, found.similarity);
        }
        self.line.push('\n');
        self.out.write(self.line.as_bytes())
    }

    /// Completes the file.
    pub(super) fn finish(self, counts: Counts) -> Result<Counts> {
        self.out.finish()?;
        Ok(counts)
    }
}
