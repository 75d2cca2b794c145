//! Parts of pairs, made with `--shard I/N`: their files, each with a manifest, and the merge of all parts.
//!
//! A part has the form of the whole with order numbers in addition, by which the merge restores the order of the whole: the section *Parts of pairs*
//! of [`crate::files`].

mod lines;
mod output;
mod pairs;
mod read;
mod rows;
mod table;
mod tables;

#[cfg(test)]
mod tests;

use std::path::Path;

pub use output::PairPart;
pub(super) use output::PartManifest;
pub use pairs::PairTableParts;
pub use table::{KeyedPair, PartWriter, TablePart, write_pair_part};

use crate::error::Result;
use crate::files::output::Publisher;
use crate::files::parts::Parts;

/// Merges all parts of pairs to the file at `out`. Returns the number of result lines or of pairs, and their name. Memory: one line of each part and,
/// of a table, the documents of large groups of copies.
///
/// # Errors
/// A part that differs from its manifest or is in another order; a pair that has different similarities in two parts.
pub fn merge_pair_parts(
    parts: &Parts,
    publisher: &Publisher<'_>,
    out: &Path,
) -> Result<(u64, &'static str)> {
    match parts.manifests[0].provenance.counted(table::COLUMN_COUNT) {
        None => Ok((lines::merge(parts, publisher, out)?, "lines")),
        Some(_) => Ok((tables::merge(parts, publisher, out)?, "pairs")),
    }
}
