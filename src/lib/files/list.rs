//! Lists of documents written by users: `doc_list` and `sample_list`. Names are separated by white space, or stand one per line, so that they
//! may contain spaces.

use std::path::Path;

use crate::error::Result;
use crate::files::{input, name};

/// The separator of names in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Separator {
    /// Any ASCII white space.
    #[default]
    WhiteSpace,
    /// The end of the line; empty lines are ignored.
    Line,
}

/// A name and its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListEntry {
    /// The name as written.
    pub raw: Vec<u8>,
    /// The number of the line, from 1.
    pub line: u64,
}

impl ListEntry {
    /// Returns the name as encoded in the pipeline's files.
    pub fn encoded(&self) -> String {
        name::encode(&self.raw)
    }
}

/// Reads a list.
pub fn read(path: &Path, separator: Separator) -> Result<Vec<ListEntry>> {
    Ok(entries(&input::read_all(path)?, separator))
}

/// Returns the names in the content of a list.
pub fn entries(content: &[u8], separator: Separator) -> Vec<ListEntry> {
    let mut entries = Vec::new();
    for (line, text) in (1..).zip(content.split(|byte| *byte == b'\n')) {
        let mut push = |name: &[u8]| {
            if !name.is_empty() {
                entries.push(ListEntry { raw: name.to_vec(), line });
            }
        };
        match separator {
            Separator::Line => push(text.strip_suffix(b"\r").unwrap_or(text)),
            Separator::WhiteSpace => text.split(u8::is_ascii_whitespace).for_each(push),
        }
    }
    entries
}
