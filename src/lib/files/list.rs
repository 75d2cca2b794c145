//! Lists of documents that people write: `doc_list` and `sample_list`. Names are separated by white space, or stand one a
//! line, so that they may hold spaces.

use std::path::Path;

use crate::error::Result;
use crate::files::{input, name};

/// How names are separated in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Separator {
    /// Any ASCII white space.
    #[default]
    WhiteSpace,
    /// The end of the line; empty lines do not count.
    Line,
}

/// A name and the line it stands in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The name as it stands there.
    pub raw: Vec<u8>,
    /// The line, counted from 1.
    pub line: u64,
}

impl Entry {
    /// The name as the chain's files write it.
    pub fn encoded(&self) -> String {
        name::encode(&self.raw)
    }
}

/// Reads a list.
pub fn read(path: &Path, separator: Separator) -> Result<Vec<Entry>> {
    Ok(entries(&input::read_all(path)?, separator))
}

/// Returns the names in the content of a list.
pub fn entries(content: &[u8], separator: Separator) -> Vec<Entry> {
    let mut entries = Vec::new();
    for (line, text) in (1..).zip(content.split(|byte| *byte == b'\n')) {
        let mut push = |name: &[u8]| {
            if !name.is_empty() {
                entries.push(Entry { raw: name.to_vec(), line });
            }
        };
        match separator {
            Separator::Line => push(text.strip_suffix(b"\r").unwrap_or(text)),
            Separator::WhiteSpace => text.split(u8::is_ascii_whitespace).for_each(push),
        }
    }
    entries
}
