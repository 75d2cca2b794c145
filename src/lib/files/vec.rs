//! VEC files: one sparse vector a line.
//!
//! ```text
//! name:nonzeros index:value index:value …
//! ```
//!
//! An index is the term's position in the vocabulary, counted from 0; indexes ascend. Values are 32-bit
//! floating-point numbers in their shortest decimal spelling that reads back as the same number.

mod read;

use std::path::Path;

use crate::error::{Result, check_count};
use crate::files::decimal::append_number;
use crate::files::paths::VecPaths;

pub use read::{Vectors, for_each_part, read_all};

/// Appends the beginning of a line: the encoded name and the number of components that will follow.
pub fn append_head(line: &mut Vec<u8>, name: &str, components: usize) {
    line.extend_from_slice(name.as_bytes());
    line.push(b':');
    append_number(line, components as u64);
}

/// Checks what was read against the list's header.
fn check_counts(list: &Path, stated: &VecPaths, per_file: &[usize]) -> Result<()> {
    let records = per_file.iter().copied().max().unwrap_or(0) as u64;
    check_count(list, "documents", stated.documents, per_file.iter().sum::<usize>() as u64)?;
    check_count(list, "records a file", stated.per_file, records)
}
