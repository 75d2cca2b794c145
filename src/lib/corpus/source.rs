//! One file or stream that holds one document or many.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::Shape;

/// A file or a stream.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub path: Box<Path>,
    /// Its name is the path from this byte on.
    name_start: u32,
    pub kind: Kind,
    /// Whether it can be opened once only, as standard input and pipes.
    pub is_stream: bool,
    /// Whether its documents are new ones.
    pub is_new: bool,
}

/// What a source holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A JSON object a line.
    Json,
    /// A document a line.
    Lines,
    /// A document.
    Whole,
    /// Documents in columns.
    Parquet,
    /// JSON lines if it begins with `{`, else a document a line: to be seen when it is opened.
    Unseen,
}

impl Kind {
    /// What a file is, by what was said of it or by its name.
    pub fn of(shape: Shape, path: &Path) -> Self {
        match shape {
            Shape::Json => Kind::Json,
            Shape::Lines => Kind::Lines,
            Shape::Text => Kind::Whole,
            Shape::Parquet => Kind::Parquet,
            Shape::Auto | Shape::List => match &*ending(path) {
                "json" | "jsonl" | "ndjson" => Kind::Json,
                "parquet" => Kind::Parquet,
                _ => Kind::Whole,
            },
        }
    }

    /// What a stream is, which has no name.
    pub fn of_stream(shape: Shape) -> Self {
        match shape {
            Shape::Auto | Shape::List => Kind::Unseen,
            _ => Kind::of(shape, Path::new("")),
        }
    }
}

/// The ending of a name in lower case, without that of compression.
pub(super) fn ending(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let name = [".gz", ".zst"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
    name.rsplit_once('.').map_or(String::new(), |(_, ending)| ending.to_string())
}

impl Source {
    /// A source whose name is its path without the first `name_start` bytes.
    pub fn new(path: PathBuf, name_start: usize, kind: Kind, is_new: bool) -> Self {
        let name_start = u32::try_from(name_start).expect("no path is that long");
        Source { path: path.into(), name_start, kind, is_stream: false, is_new }
    }

    /// The same as a stream.
    pub fn stream(self) -> Self {
        Source { is_stream: true, ..self }
    }

    /// The name as bytes.
    pub fn raw_name(&self) -> &[u8] {
        &self.path.as_os_str().as_encoded_bytes()[self.name_start as usize..]
    }

    /// The name in ids. Bytes that are not UTF-8 are escaped, so that different names stay different.
    pub fn name(&self) -> Cow<'_, str> {
        let raw = self.raw_name();
        match std::str::from_utf8(raw) {
            Ok(name) => Cow::Borrowed(name),
            Err(_) => Cow::Owned(escaped(raw)),
        }
    }
}

fn escaped(raw: &[u8]) -> String {
    let mut name = String::with_capacity(raw.len() + 8);
    for chunk in raw.utf8_chunks() {
        name.push_str(chunk.valid());
        chunk.invalid().iter().for_each(|byte| name.push_str(&format!("%{byte:02X}")));
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_what_files_are() {
        for (name, kind) in [
            ("a.jsonl", Kind::Json),
            ("a.b.NDJSON.gz", Kind::Json),
            ("a.json.zst", Kind::Json),
            ("a.parquet", Kind::Parquet),
            ("a.txt", Kind::Whole),
            ("jsonl", Kind::Whole),
            ("a.jsonl.bak", Kind::Whole),
        ] {
            assert_eq!(Kind::of(Shape::Auto, Path::new(name)), kind, "{name}");
        }
        assert_eq!(Kind::of(Shape::Lines, Path::new("a.jsonl")), Kind::Lines);
        assert_eq!(Kind::of_stream(Shape::Auto), Kind::Unseen);
        assert_eq!(Kind::of_stream(Shape::Text), Kind::Whole);
    }

    #[test]
    fn names_that_are_not_utf8_stay_different() {
        assert_eq!(escaped(b"a\xff b\xfe:c"), "a%FF b%FE:c");
    }
}
