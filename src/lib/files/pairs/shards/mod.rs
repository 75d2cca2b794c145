//! Parts of pairs, made with `--shard I/N`: their files, each with a manifest, and the merge of all parts.
//!
//! A part has the form of the whole with order numbers in addition, by which the merge restores the order of the whole: the section *Parts of pairs* of
//! [`crate::files`].

mod output;
mod table;

pub use output::PairPart;
pub use table::{KeyedPair, TablePart, write_pair_part};
