//! What to read.

use std::borrow::Cow;
use std::path::PathBuf;

use super::{Rank, Streams};

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
