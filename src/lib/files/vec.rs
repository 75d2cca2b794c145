//! VEC files: one sparse vector per line.
//!
//! ```text
//! name:nonzeros index:value index:value …
//! ```
//!
//! An index is the term's position in the vocabulary, from 0; indexes ascend. Values are `f32` in the shortest decimal that parses to the
//! same number.

pub mod component;
mod read;

use std::path::Path;

use crate::error::{Result, check_count};
use crate::files::decimal::append_number;
use crate::files::paths::VecPaths;

pub use read::{Vectors, for_each_part, read_all};

/// Appends the start of a line: the encoded name and the number of components to follow.
pub fn append_head(line: &mut Vec<u8>, name: &str, components: usize) {
    line.extend_from_slice(name.as_bytes());
    line.push(b':');
    append_number(line, components as u64);
}

/// Checks counts against the header of the list.
fn check_counts(list: &Path, stated: &VecPaths, per_file: &[usize]) -> Result<()> {
    let records = per_file.iter().copied().max().unwrap_or(0) as u64;
    check_count(list, "documents", stated.documents, per_file.iter().sum::<usize>() as u64)?;
    check_count(list, "records per file", stated.per_file, records)
}
