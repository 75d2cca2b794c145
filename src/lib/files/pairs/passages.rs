//! Copied passages: pairs of documents with places in both. Tables in every form, and the XML files of PAN.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::columns::{Columns, TableRow, for_each_row};
use super::form::TableForm;
use super::pan;
use super::read::FileStart;
use crate::error::{Error, Result};

/// A copied passage. Offsets and lengths count characters (Unicode scalar values).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct KnownPassage {
    /// The id of the document with the copy.
    pub suspicious: String,
    /// Offset and length in the suspicious document.
    pub place: [u64; 2],
    /// The id of the source.
    pub source: String,
    /// Offset and length in the source.
    pub source_place: [u64; 2],
    /// The kind of obfuscation; empty if unknown.
    pub kind: String,
}

/// A passage as `align_passages` writes it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PassageRecord<'a> {
    /// The id of the suspicious document.
    pub suspicious: &'a str,
    /// Characters before the passage.
    pub offset: usize,
    /// Characters of the passage.
    pub length: usize,
    /// The id of the source.
    pub source: &'a str,
    /// Characters before the passage in the source.
    pub source_offset: usize,
    /// Characters of the passage in the source.
    pub source_length: usize,
    /// Similarity of the two passages.
    pub similarity: f64,
    /// Words of the longest common run.
    pub run: usize,
}

impl PassageRecord<'_> {
    /// Returns the record as a line of JSON.
    pub fn line(&self) -> String {
        let mut line = serde_json::to_string(self).expect("texts and numbers are JSON");
        line.push('\n');
        line
    }
}

/// Columns of passages.
const PASSAGE_COLUMNS: Columns = Columns {
    names: &["suspicious", "offset", "length", "source", "source_offset", "source_length", "kind"],
    required: 6,
};

/// Reads passages: a table (TSV, CSV, JSON Lines), or an XML file or folder of PAN.
///
/// # Errors
/// A row without places or with an empty passage, at its line.
pub fn read_passages(path: &Path) -> Result<Vec<KnownPassage>> {
    let mut passages = Vec::new();
    let start = match pan::is_folder(path) {
        true => return pan::read_folder(path),
        false => FileStart::open(path)?,
    };
    if start.line.trim_start().starts_with('<') {
        return pan::read_file(start);
    }
    let form = TableForm::of_content(path, &start.line);
    for_each_row(start, form, &PASSAGE_COLUMNS, &mut |row| {
        passages.push(KnownPassage {
            suspicious: id(row, 0)?,
            place: place(row, 1)?,
            source: id(row, 3)?,
            source_place: place(row, 4)?,
            kind: row.values[6].to_string(),
        });
        Ok(())
    })?;
    Ok(passages)
}

/// A pair of documents whose passages are looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuspectedPair {
    /// The number of its line, from 1.
    pub line: u64,
    /// The id of the suspicious document.
    pub suspicious: String,
    /// The id of the source.
    pub source: String,
    /// The kind of obfuscation; empty if unknown.
    pub kind: String,
}

/// Reads a table with the columns `suspicious`, `source` and, if known, `kind`.
pub fn read_suspected_pairs(path: &Path) -> Result<Vec<SuspectedPair>> {
    let start = FileStart::open(path)?;
    let form = TableForm::of_content(path, &start.line);
    let columns = Columns { names: &["suspicious", "source", "kind"], required: 2 };
    let mut pairs = Vec::new();
    for_each_row(start, form, &columns, &mut |row| {
        let (suspicious, source, kind) = (id(row, 0)?, id(row, 1)?, row.values[2].to_string());
        pairs.push(SuspectedPair { line: row.line, suspicious, source, kind });
        Ok(())
    })?;
    Ok(pairs)
}

/// Returns the id of a document in a row.
fn id(row: &TableRow<'_>, column: usize) -> Result<String> {
    match &*row.values[column] {
        "" => Err(row.expected("the id of a document", "")),
        id => Ok(id.to_string()),
    }
}

/// Returns offset and length in a row, from a column on.
fn place(row: &TableRow<'_>, column: usize) -> Result<[u64; 2]> {
    let place = [row.count(column)?, row.count(column + 1)?];
    match is_place(place) {
        true => Ok(place),
        false => Err(row.expected(PLACE, &row.values[column + 1])),
    }
}

/// What an offset and a length must be.
pub(super) const PLACE: &str = "a length of at least 1 that ends within 64 bits";

/// Returns whether an offset and a length are a range that is not empty.
pub(super) fn is_place([offset, length]: [u64; 2]) -> bool {
    length > 0 && offset.checked_add(length).is_some()
}

/// Returns the error of a pair whose document is missing.
pub fn missing_document(path: &Path, line: u64, id: &str) -> Error {
    let path: PathBuf = path.into();
    Error::parse(&path, line, "the id of a document of the input", crate::error::excerpt(id))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, content: &str) -> Result<Vec<KnownPassage>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        read_passages(&path)
    }

    fn passage(kind: &str) -> KnownPassage {
        KnownPassage {
            suspicious: "a".into(),
            place: [1, 2],
            source: "b".into(),
            source_place: [3, 4],
            kind: kind.into(),
        }
    }

    #[test]
    fn all_forms_are_read() {
        for (content, kind) in [
            (
                "suspicious\toffset\tlength\tsource\tsource_offset\tsource_length\tkind\na\t1\t2\tb\t3\t4\tnone\n",
                "none",
            ),
            ("source,suspicious,offset,length,source_offset,source_length\nb,a,1,2,3,4\n", ""),
            (
                "{\"suspicious\":\"a\",\"offset\":1,\"length\":2,\"source\":\"b\",\"source_offset\":3,\"source_length\":4,\"run\":9}\n",
                "",
            ),
            (
                "<?xml version=\"1.0\"?>\n<document reference=\"a\"><feature name=\"plagiarism\" obfuscation=\"none\" this_offset=\"1\" this_length=\"2\" source_reference=\"b\" source_offset=\"3\" source_length=\"4\"/><feature name=\"about\"/></document>\n",
                "none",
            ),
        ] {
            assert_eq!(read("x", content).unwrap(), [passage(kind)], "{content}");
        }
        assert_eq!(read("x.jsonl", "").unwrap(), []);
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("sub")).unwrap();
        let xml = "<document reference='a'><feature this_offset='1' this_length='2' source_reference='b' source_offset='3' source_length='4'></feature></document>";
        for name in ["sub/2.xml", "1.xml", "notes.txt"] {
            std::fs::write(folder.path().join(name), xml).unwrap();
        }
        assert_eq!(read_passages(folder.path()).unwrap(), [passage(""), passage("")]);
    }

    #[test]
    fn wrong_rows_are_named() {
        let header = "suspicious\toffset\tlength\tsource\tsource_offset\tsource_length\n";
        for (content, expected) in [
            (format!("{header}a\t1\t0\tb\t3\t4\n"), "x:2: expected a length of at least 1 that ends within 64 bits, found '0'"),
            (format!("{header}a\t-1\t2\tb\t3\t4\n"), "x:2: expected a whole number, found '-1'"),
            (format!("{header}\t1\t2\tb\t3\t4\n"), "x:2: expected the id of a document, found ''"),
            ("a\tb\n".into(), "x:1: expected the columns 'suspicious\\toffset\\tlength\\tsource\\tsource_offset\\tsource_length', found 'a\\tb'"),
            ("{\"suspicious\":\"a\"}\n".into(), "x:1: expected the field 'offset'"),
            ("<document reference='a'>\n<feature this_offset='x' this_length='2' source_reference='b' source_offset='3' source_length='4'/></document>".into(), "x:2: expected a whole number in this_offset, found 'x'"),
            ("<document>\n\n<feature this_offset='1'/></document>".into(), "x:3: expected the attribute 'reference' of a document before its features, found '<feature>'"),
            ("<document reference='a'>\n<open></document>".into(), "x:2: expected XML, found "),
        ] {
            let found = read("x", &content).unwrap_err().to_string();
            assert!(found.contains(expected), "{content}: {found}");
        }
    }
}
