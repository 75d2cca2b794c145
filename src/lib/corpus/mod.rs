//! A collection's documents: where they come from, what they are called, which of them are the sample.

pub mod inputs;
mod names;
mod sample;
pub mod synthetic;

use std::path::PathBuf;

use rustc_hash::FxHashMap;

use crate::error::{Error, Result, excerpt};
use crate::files::list::{self, Separator};
use crate::files::paths::path_from_bytes;
use crate::files::{input, name};

pub use names::Names;
pub use sample::{Sample, SampleList};

/// A document that has not been read yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Where it is.
    pub path: PathBuf,
    /// Its name as the chain's files write it.
    pub name: String,
    /// The line of the `doc_list` that names it.
    pub line: u64,
}

/// The documents of a `doc_list`, in its order, at most `limit` of them. A name that stands there twice is
/// an error: results could not tell the two apart.
pub fn documents(
    doc_list: &std::path::Path,
    separator: Separator,
    limit: Option<usize>,
) -> Result<Vec<Document>> {
    let mut entries = list::read(doc_list, separator)?;
    entries.truncate(limit.unwrap_or(usize::MAX));
    let mut first_lines = FxHashMap::default();
    let mut documents = Vec::with_capacity(entries.len());
    for entry in entries {
        // A document may be called `-`; only files named by flags can be standard input.
        let path = if entry.raw == b"-" { "./-".into() } else { path_from_bytes(&entry.raw) };
        let document = Document { path, name: entry.encoded(), line: entry.line };
        if let Some(first) = first_lines.insert(entry.raw, entry.line) {
            return Err(Error::Parse {
                path: doc_list.to_path_buf(),
                line: entry.line,
                expected: "every document once".into(),
                found: format!("{} again, first in line {first}", excerpt(&document.name)),
            });
        }
        documents.push(document);
    }
    Ok(documents)
}

/// A document's text. Bytes that are not UTF-8 became replacement characters where `repaired` says so; a byte
/// order mark at the start is not part of the text.
pub struct Text {
    /// The text.
    pub text: String,
    /// Whether something had to be replaced.
    pub repaired: bool,
}

impl Document {
    /// Reads the document, decompressing it if it is compressed.
    pub fn read(&self) -> Result<Text> {
        let content = input::read_all(&self.path)?;
        let content = content.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&content);
        let text = String::from_utf8_lossy(content);
        let repaired = matches!(text, std::borrow::Cow::Owned(_));
        Ok(Text { text: text.into_owned(), repaired })
    }

    /// The name for people: decoded, with what is not UTF-8 replaced.
    pub fn readable_name(&self) -> String {
        readable(&self.name)
    }
}

/// An encoded name for people: decoded, with what is not UTF-8 replaced.
pub fn readable(encoded: &str) -> String {
    let raw = name::decode(encoded).unwrap_or_else(|| encoded.as_bytes().to_vec());
    String::from_utf8_lossy(&raw).into_owned()
}
