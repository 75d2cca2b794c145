//! What is read: files, streams and members of archives, and their content.

use std::path::{Path, PathBuf};

use super::archive::Member;
use super::inputs::{InputFormat, Inputs};
use super::range::ByteRange;
use super::records::CsvDialect;
use crate::files::extension;

/// A file, stream or member of an archive that holds one document or many.
#[derive(Debug, Clone)]
pub(super) struct InputSource {
    /// The path; of a member, that of the archive, `!` and the path in it.
    pub path: Box<Path>,
    /// The member of an archive, if it is one.
    pub member: Option<Box<Member>>,
    /// The name is the path from this byte on.
    pub name_start: u32,
    /// The line of the list that names the source, or 0.
    pub list_line: u32,
    /// The number of the input, which is the list's if a list names the source.
    pub input: u16,
    pub kind: SourceKind,
    /// Whether it can be opened only once, like standard input and pipes.
    pub is_stream: bool,
    /// Whether its documents are new.
    pub is_new: bool,
    /// Whether the user named the file itself, not a folder or archive around it.
    pub is_named: bool,
    /// The bytes in which the lines to read begin, if not all are read.
    pub range: Option<ByteRange>,
}

/// Content of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SourceKind {
    /// One JSON object per line.
    Json,
    /// One JSON array of objects.
    Array,
    /// Rows of a table in text.
    Csv(CsvDialect),
    /// One document per line.
    Lines,
    /// One document.
    Whole,
    /// Parquet columns.
    Parquet,
    /// Records of a web archive.
    Warc,
    /// Wikipedia extracts.
    Wiki,
    /// Decided when it is opened, by its first bytes.
    Unseen,
}

impl SourceKind {
    /// Returns the content of a file, by its format or its name.
    pub fn of(format: InputFormat, path: &Path) -> Self {
        match format {
            InputFormat::Json | InputFormat::Csv | InputFormat::Tsv => SourceKind::Unseen,
            InputFormat::Lines => SourceKind::Lines,
            InputFormat::Text => SourceKind::Whole,
            InputFormat::Parquet => SourceKind::Parquet,
            InputFormat::Warc => SourceKind::Warc,
            InputFormat::Wiki => SourceKind::Wiki,
            InputFormat::Auto | InputFormat::List => match &*extension(path) {
                "jsonl" | "ndjson" => SourceKind::Json,
                "json" | "csv" | "tsv" | "tab" => SourceKind::Unseen,
                "parquet" => SourceKind::Parquet,
                "warc" => SourceKind::Warc,
                _ => SourceKind::Whole,
            },
        }
    }

    /// Returns the content of a stream, which has no name.
    pub fn of_stream(format: InputFormat) -> Self {
        match format {
            InputFormat::Auto | InputFormat::List => SourceKind::Unseen,
            _ => SourceKind::of(format, Path::new("")),
        }
    }
}

impl InputSource {
    /// Returns a file that is read on its own.
    pub fn of_file(path: &Path, kind: SourceKind) -> Self {
        InputSource {
            path: path.into(),
            member: None,
            name_start: 0,
            list_line: 0,
            input: 0,
            kind,
            is_stream: false,
            is_new: true,
            is_named: true,
            range: None,
        }
    }

    /// Returns the name as bytes.
    pub fn raw_name(&self) -> &[u8] {
        &self.path.as_os_str().as_encoded_bytes()[self.name_start as usize..]
    }

    /// Returns the same source at another place.
    pub fn at(&self, path: PathBuf) -> Self {
        InputSource { path: path.into(), ..self.clone() }
    }

    /// Returns the same source with known content.
    pub fn of_kind(&self, kind: SourceKind) -> Self {
        InputSource { kind, ..self.clone() }
    }

    /// Returns the list that names the source, and its line there.
    pub fn list_place(&self, inputs: &Inputs) -> Option<(PathBuf, u64)> {
        let list = inputs.paths().nth(usize::from(self.input))?;
        (self.list_line > 0).then(|| (list.to_path_buf(), u64::from(self.list_line)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_determine_the_content_of_files() {
        for (name, kind) in [
            ("a.jsonl", SourceKind::Json),
            ("a.b.NDJSON.gz", SourceKind::Json),
            ("a.json.zst", SourceKind::Unseen),
            ("a.csv", SourceKind::Unseen),
            ("a.warc.gz", SourceKind::Warc),
            ("a.parquet", SourceKind::Parquet),
            ("a.txt", SourceKind::Whole),
            ("jsonl", SourceKind::Whole),
            ("a.jsonl.bak", SourceKind::Whole),
        ] {
            assert_eq!(SourceKind::of(InputFormat::Auto, Path::new(name)), kind, "{name}");
        }
        assert_eq!(SourceKind::of(InputFormat::Lines, Path::new("a.jsonl")), SourceKind::Lines);
        assert_eq!(SourceKind::of_stream(InputFormat::Auto), SourceKind::Unseen);
        assert_eq!(SourceKind::of_stream(InputFormat::Text), SourceKind::Whole);
    }
}
