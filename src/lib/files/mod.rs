//! File formats, one module per format, and their common parts: decompression and lines ([`input`], [`content`]), atomic output
//! ([`output`]), stages of many files ([`stage`]) with their lists ([`paths`]) and manifests ([`manifest`]), document names ([`name`]).
//!
//! Reading is strict. An unparsable line, a last line without a newline, a count other than in the header and a file other than in its
//! manifest are errors that name file and line; so are duplicate names, terms and files ([`unique`]).
#![doc = include_str!("FORMATS.md")]

mod blocks;
pub mod bow;
pub mod content;
pub mod decimal;
pub mod decompress;
pub mod detection_table;
pub mod disk;
pub mod ids;
pub mod index;
pub mod input;
pub mod limits;
pub mod list;
pub mod manifest;
pub mod method_runs;
pub mod method_table;
pub mod name;
pub mod names;
pub mod output;
pub mod pairs;
pub mod parts;
pub mod paths;
pub mod print;
pub mod rnd;
pub mod sig;
pub mod sorter;
pub mod stage;
pub mod streams;
pub mod summary;
pub mod synthetic;
mod temporary;
pub mod unique;
pub mod vec;
pub mod verdicts;
pub mod voc;

use std::path::Path;

/// Returns whether a path is `-`, which means standard input or output.
pub fn is_stream(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Ends of the names of compressed files.
const COMPRESSED: [&str; 4] = [".gz", ".zst", ".bz2", ".xz"];

/// Returns a file name without the ending of compressed files.
pub(crate) fn without_compression(name: &str) -> &str {
    COMPRESSED.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}

/// Returns the extension of a file name in lower case, before that of compressed files; empty if there is none.
pub fn extension(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let plain = without_compression(&name);
    plain.rsplit_once('.').map_or_else(String::new, |(_, extension)| extension.to_string())
}
