//! Bytes on disk, and nothing else: one module a format, and what they share — reading with gzip and Zstandard recognised by
//! content ([`input`]), writing without half files ([`output`]), stages of many files ([`stage`]), document names
//! ([`name`]).
//!
//! Reading is strict: a line that cannot be understood, a last line without its
//! newline, a count that disagrees with its header are errors that name file and line.
#![doc = include_str!("FORMATS.md")]

pub mod bow;
pub mod component;
pub mod content;
pub mod decimal;
pub mod ids;
pub mod index;
pub mod input;
pub mod list;
pub mod name;
pub mod names;
pub mod output;
pub mod pairs;
pub mod paths;
pub mod rnd;
pub mod sig;
pub mod stage;
pub mod summary;
pub mod synthetic;
pub mod vec;
pub mod verdicts;
pub mod voc;

use std::path::Path;

/// Whether a path is `-`: standard input or output.
pub fn is_stream(path: &Path) -> bool {
    path.as_os_str() == "-"
}
