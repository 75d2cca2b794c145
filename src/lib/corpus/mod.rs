//! The one reader of documents, for every executable.
//!
//! ```text
//! folder             all files below it; symbolic links are counted, and followed on request only
//! a.txt, a.html      one document; also DOCX, ODT, EPUB, RTF and PDF, by content
//! a.jsonl, a.ndjson  one document per line: an object with the fields `text` and, optionally, `id`
//! a.json             such lines, or one array of such objects; in a folder, any other content is one document
//! a.csv, a.tsv       one document per row, with such columns; in a folder, any other table is one document
//! a.parquet, a.warc  one document per row or page
//! wiki_00            Wikipedia extracts: one document per article, by content
//! a.zip, a.tar       the members, each like a file
//! -                  standard input: JSON, WARC or extracts if it begins so, else one document per line; pipes likewise
//! ```
//!
//! [`InputFormat`] overrides these rules. Compression (gzip, Zstandard, bzip2, xz) is detected by content.
//!
//! **Encoding.** [`TextEncoding::Auto`] reads UTF-8 and UTF-16 and guesses legacy encodings like a browser. No byte is ever replaced by U+FFFD:
//! undecodable input is unreadable input. HTML is stripped as [`inputs::MarkupMode`] says.
//!
//! **Unreadable input** (binary files, damaged files, malformed records) ends the run at its first place, or is skipped, named and counted:
//! [`ReadPolicy`]. A missing input is always an error.
//!
//! **Order.** Inputs as named, files of a folder sorted by name, records in file order. Documents are numbered from 0 in that order. Neither
//! numbers nor batch boundaries depend on the number of threads.
//!
//! **Ids.** A file below the only input is named by its path relative to it; with several inputs, the input's path comes first. A record is named by
//! its id field, else `file:line`; by the line number alone if the only input has one document per line. A member of an archive is named
//! `archive.zip!path`. Bytes of paths that are not UTF-8 become `%XX`. Repeated ids are an error, or get a number (`a`, `a#2`): [`ReadPolicy`].
//!
//! **Memory.** A few megabytes of text per thread (more if one document is larger, up to a small multiple of [`InputArgs::max_record`]), and
//! what the caller keeps of each document. No input, however hostile, takes more: endless lines, devices, decompression bombs.

mod archive;
mod batch;
mod copy;
mod decode;
mod drive;
mod extract;
mod feed;
mod fetch;
mod filters;
mod find;
mod inputs;
mod lines;
mod number;
mod parquet;
mod places;
mod range;
mod read;
mod record;
mod records;
mod sample;
mod seek;
mod shard;
mod skip;
mod sniff;
mod source;
mod stream;
mod survey;
pub mod synthetic;
#[cfg(test)]
mod tests;

use crate::files::name;

pub use batch::InputDocument;
pub use copy::{CopyTarget, DocumentCopy};
pub use decode::TextEncoding;
pub use drive::DeferredWork;
pub use extract::{DocumentFormat, ExtractedText, Heading};
pub use fetch::{DocumentPlace, fetch};
pub use filters::{FilterArgs, LoadedFilters};
pub use find::{InputFiles, SourcePath, find};
pub use inputs::{InputArgs, InputFormat, Inputs, ReadPolicy};
pub use places::{Places, unnumbered};
pub use read::{BLANK_HASH, Documents, Listing, read, scan, text_hash};
pub use record::SortKey;
pub use sample::{Sample, SampleList};

pub use stream::Streams;
pub use survey::{Survey, survey};

/// Returns an encoded name for messages: decoded, invalid UTF-8 replaced.
pub fn readable(encoded: &str) -> String {
    let raw = name::decode(encoded).unwrap_or_else(|| encoded.as_bytes().to_vec());
    String::from_utf8_lossy(&raw).into_owned()
}
