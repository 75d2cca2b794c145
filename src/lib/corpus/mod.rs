//! Whatever people name as their documents, read once, in one order, by several threads.
//!
//! ```text
//! folder         every file below it is a document; JSON lines and Parquet files below it hold one in each record
//! a.txt, a.html  one document
//! a.jsonl        one document a line: an object with the fields `text` and, if it likes, `id` (also .ndjson and .json)
//! -              standard input: JSON lines if it begins with `{`, else one document a line; so are pipes
//! ```
//!
//! [`Shape`] says otherwise: one document a line, a list of files, and so on. Everything may be compressed with gzip or Zstandard, which is
//! known by content. Text may stand in any encoding that browsers know; HTML is stripped to its text.
//!
//! **What cannot be read is passed over**: a file that is no text, a damaged one, a record that is no JSON object. Each is named and counted
//! ([`Skipped`]). An input that is not there is an error, and so is the same id for two documents, both old or both new.
//!
//! **Order**: inputs as they are named, files of a folder by their names, folder by folder, records as they stand. Documents are numbered from 0 in that order,
//! whatever the number of threads, and so are batches: where one ends and the next begins depends on the input alone.
//!
//! **Ids**: of a file below the only input, its path relative to that; where several inputs are named, the path with the input's own in front. Of a
//! record its id field, or `file:line`; the line's number alone if one file with a document a line is all that is read. Bytes of paths that are not UTF-8 are written `%XX`.
//!
//! **Memory**: some megabytes of text a thread at a time (more where one document has more), and what [`Read`] holds of each document.

mod batch;
mod copy;
mod decode;
mod drive;
mod feed;
mod find;
mod inputs;
pub mod lines;
#[cfg(feature = "parquet")]
mod parquet;
mod places;
mod rank;
mod read;
pub mod record;
mod sample;
mod skip;
mod source;
mod stream;
mod survey;
pub mod synthetic;
#[cfg(test)]
mod tests;
mod unique;

use crate::files::name;

pub use copy::copy;
pub use inputs::{Document, Inputs, Shape};
pub use places::{Place, Places};
pub use rank::Rank;
pub use read::{Read, read};
pub use sample::{Sample, SampleList};
pub use skip::{Skip, Skipped};
pub use stream::Streams;
pub use survey::{Survey, survey};

/// An encoded name for people: decoded, with what is not UTF-8 replaced.
pub fn readable(encoded: &str) -> String {
    let raw = name::decode(encoded).unwrap_or_else(|| encoded.as_bytes().to_vec());
    String::from_utf8_lossy(&raw).into_owned()
}
