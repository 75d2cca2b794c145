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
#[cfg(feature = "parquet")]
mod columns;
mod copy;
mod decode;
mod drive;
mod feed;
mod find;
mod places;
mod rank;
mod read;
mod skip;
mod source;
mod streams;
mod survey;
#[cfg(test)]
mod tests;
mod unique;

use std::borrow::Cow;
use std::path::PathBuf;

pub use copy::copy;
pub use places::{Place, Places};
pub use rank::Rank;
pub use read::{Read, read};
pub use skip::{Skip, Skipped};
pub use streams::Streams;
pub use survey::{Survey, survey};

/// What to read, and how.
#[derive(Debug, Clone)]
pub struct Inputs {
    /// Folders, files, pipes, `-`. The old ones first.
    pub paths: Vec<PathBuf>,
    /// How many of the paths are old: their documents come first and are never copied.
    pub old: usize,
    /// What the files are.
    pub shape: Shape,
    /// Globs: of the files of a folder only those of which one matches the path relative to the folder; all if there is none. `*` goes over `/`.
    pub include: Vec<String>,
    /// Globs: of the files and folders of a folder none of which one matches the path relative to the folder.
    pub exclude: Vec<String>,
    /// The field of a record with the text.
    pub text_field: String,
    /// The field of a record with the id; without one documents are called by where they stand.
    pub id_field: Option<String>,
    /// A field of a record by which documents can be put in order.
    pub rank_field: Option<String>,
    /// How standard input and pipes are read.
    pub streams: Streams,
}

impl Inputs {
    /// These paths with nothing said about them. Pipes are read once.
    pub fn new(paths: Vec<PathBuf>) -> Self {
        Inputs {
            paths,
            old: 0,
            shape: Shape::Auto,
            include: Vec::new(),
            exclude: Vec::new(),
            text_field: "text".into(),
            id_field: Some("id".into()),
            rank_field: None,
            streams: Streams::once(),
        }
    }
}

/// What the files are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shape {
    /// What their names say: records for JSON lines and Parquet, else one document each. A record may be without an id.
    #[default]
    Auto,
    /// One JSON object a line, with an id if there is a field for it.
    Json,
    /// One document a line; lines of nothing but white space are none.
    Lines,
    /// Lists of files, one path a line; the files are what their names say.
    List,
    /// One document each.
    Text,
    /// Parquet.
    Parquet,
}

/// A document that was read.
#[derive(Debug, Clone)]
pub struct Document<'a> {
    /// Its id.
    pub id: Cow<'a, str>,
    /// Its text.
    pub text: Cow<'a, str>,
    /// What it can be put in order by, if that was asked for and is there.
    pub rank: Option<Rank>,
}
