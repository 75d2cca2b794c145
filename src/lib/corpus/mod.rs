//! The one reader of documents, for every executable.
//!
//! ```text
//! folder         one document per file; JSON Lines and Parquet files hold one document per record
//! a.txt, a.html  one document; also .docx, .odt, .epub, .rtf, .pdf, by content
//! a.jsonl        one document per line: an object with the fields `text` and, optionally, `id` (also .ndjson, .json)
//! -              standard input: JSON Lines if it begins with `{`, else one document per line; pipes likewise
//! ```
//!
//! [`InputFormat`] overrides these rules. Compression (gzip, Zstandard) is detected by content.
//!
//! **Encoding.** [`TextEncoding::Auto`] reads UTF-8 and UTF-16 and guesses legacy encodings like a browser. No byte is ever replaced by U+FFFD:
//! undecodable input is unreadable input. HTML is stripped as [`inputs::MarkupMode`] says.
//!
//! **Unreadable input** (binary files, damaged files, malformed records) ends the run at its first place, or is skipped, named and counted:
//! [`ReadPolicy`]. A missing input, or two documents with the same id, is always an error.
//!
//! **Order.** Inputs as named, files of a folder sorted by name, records in file order. Documents are numbered from 0 in that order. Neither
//! numbers nor batch boundaries depend on the number of threads.
//!
//! **Ids.** A file below the only input is named by its path relative to it; with several inputs, the input's path comes first. A record is named by
//! its id field, else `file:line`; by the line number alone if the only input has one document per line. Bytes of paths that are not UTF-8 become `%XX`.
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
mod inputs;
mod lines;
mod number;
mod parquet;
mod places;
mod read;
mod record;
mod records;
mod sample;
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
pub use inputs::{InputArgs, InputFormat, Inputs, ReadPolicy};
pub use places::{Places, unnumbered};
pub use read::{BLANK_HASH, Documents, Listing, read, scan, text_hash};
pub use record::SortKey;
pub use sample::{Sample, SampleList};
pub use source::{InputFiles, find};
pub use stream::Streams;
pub use survey::{Survey, survey};

/// Returns an encoded name for messages: decoded, invalid UTF-8 replaced.
pub fn readable(encoded: &str) -> String {
    let raw = name::decode(encoded).unwrap_or_else(|| encoded.as_bytes().to_vec());
    String::from_utf8_lossy(&raw).into_owned()
}
