//! Tables with named columns, in the formats that `find_near_dups` writes: TSV with a header (and `\t`, `\n`, `\r`, `\\` in values as escapes), CSV with a header, or a JSON object a line.
//! Columns may stand in any order, and others may stand beside them.

use std::borrow::Cow;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::error::{Error, Result, excerpt};
use crate::files::input::{self, Line, Lines};

/// A row of a table, and where it stands.
pub(super) struct Row<'a> {
    path: &'a Path,
    /// The line, counted from 1.
    pub line: u64,
    /// The values of the columns that were asked for, in that order.
    pub values: &'a [Cow<'a, str>],
}

impl Row<'_> {
    /// An error in this row.
    pub fn expected(&self, expected: impl Into<String>, found: &str) -> Error {
        let (path, expected) = (self.path.to_path_buf(), expected.into());
        Error::Parse { path, line: self.line, expected, found: excerpt(found) }
    }

    /// A cosine.
    pub fn similarity(&self, column: usize) -> Result<f64> {
        let text = &self.values[column];
        let number = text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
        number.ok_or_else(|| self.expected("a similarity from 0 to 1", text))
    }

    /// A whole number.
    pub fn count(&self, column: usize) -> Result<u64> {
        let text = &self.values[column];
        text.parse().map_err(|_| self.expected("a whole number", text))
    }
}

/// What a table is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Tsv,
    Csv,
    JsonLines,
}

impl Format {
    /// By the name's ending, before those of compression; TSV if it says nothing.
    fn of(path: &Path) -> Self {
        let name = path.to_string_lossy();
        let name = name.trim_end_matches(".gz").trim_end_matches(".zst");
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        match ending {
            "csv" => Format::Csv,
            "jsonl" | "ndjson" | "json" => Format::JsonLines,
            _ => Format::Tsv,
        }
    }
}

/// Calls `visit` with every row of a file.
pub(super) fn for_each(
    path: &Path,
    columns: &[&str],
    visit: &mut dyn FnMut(&Row) -> Result<()>,
) -> Result<()> {
    match Format::of(path) {
        Format::Tsv => for_each_of_tsv(path, columns, visit),
        Format::Csv => for_each_of_csv(path, columns, visit),
        Format::JsonLines => for_each_of_json(path, columns, visit),
    }
}

fn for_each_of_tsv(
    path: &Path,
    columns: &[&str],
    visit: &mut dyn FnMut(&Row) -> Result<()>,
) -> Result<()> {
    let mut lines = Lines::open(path)?;
    let header = lines.need_line(&header_of(columns, "\t"))?;
    let names: Vec<&str> = header.text.split('\t').collect();
    let places = places(&names, columns).ok_or_else(|| wrong_header(&header, columns))?;
    let width = names.len();
    while let Some(line) = lines.next_line()? {
        let values: Vec<&str> = line.text.split('\t').collect();
        if values.len() != width {
            return Err(line.expected(format!("{width} values"), line.text));
        }
        let wanted: Option<Vec<_>> = places.iter().map(|place| unescaped(values[*place])).collect();
        let wanted =
            wanted.ok_or_else(|| line.expected("values with \\t, \\n, \\r or \\\\", line.text))?;
        visit(&Row { path, line: line.number, values: &wanted })?;
    }
    Ok(())
}

fn wrong_header(line: &Line, columns: &[&str]) -> Error {
    line.expected(header_of(columns, "\t"), line.text)
}

/// What is said of a header that lacks a column.
fn header_of(columns: &[&str], separator: &str) -> String {
    format!("the columns {}", excerpt(&columns.join(separator)))
}

/// Where the columns stand, if all are there.
fn places(names: &[&str], columns: &[&str]) -> Option<Vec<usize>> {
    columns.iter().map(|column| names.iter().position(|name| name == column)).collect()
}

/// A value of TSV as it was before it was written, if its escapes are right.
fn unescaped(value: &str) -> Option<Cow<'_, str>> {
    if !value.contains('\\') {
        return Some(Cow::Borrowed(value));
    }
    let mut plain = String::with_capacity(value.len());
    let mut characters = value.chars();
    while let Some(character) = characters.next() {
        plain.push(match character {
            '\\' => match characters.next()? {
                't' => '\t',
                'n' => '\n',
                'r' => '\r',
                '\\' => '\\',
                _ => return None,
            },
            other => other,
        });
    }
    Some(Cow::Owned(plain))
}

fn for_each_of_csv(
    path: &Path,
    columns: &[&str],
    visit: &mut dyn FnMut(&Row) -> Result<()>,
) -> Result<()> {
    let mut table = csv::Reader::from_reader(input::open(path)?);
    let header = table.headers().map_err(|error| of_csv(path, error))?;
    let names: Vec<&str> = header.iter().collect();
    let missing = || Error::Parse {
        path: path.to_path_buf(),
        line: 1,
        expected: header_of(columns, ","),
        found: excerpt(&names.join(",")),
    };
    let places = places(&names, columns).ok_or_else(missing)?;
    let mut record = csv::StringRecord::new();
    while read_record(&mut table, &mut record, path)? {
        let values: Vec<Cow<str>> = places.iter().map(|place| record[*place].into()).collect();
        let line = record.position().map_or(0, csv::Position::line);
        visit(&Row { path, line, values: &values })?;
    }
    Ok(())
}

fn read_record<R: Read>(
    table: &mut csv::Reader<R>,
    record: &mut csv::StringRecord,
    path: &Path,
) -> Result<bool> {
    table.read_record(record).map_err(|error| of_csv(path, error))
}

fn of_csv(path: &Path, error: csv::Error) -> Error {
    let line = error.position().map_or(1, csv::Position::line);
    let path: PathBuf = path.to_path_buf();
    match error.into_kind() {
        csv::ErrorKind::Io(source) => Error::Io { doing: "read", path, source },
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => Error::Parse {
            path,
            line,
            expected: format!("{expected_len} values"),
            found: len.to_string(),
        },
        csv::ErrorKind::Utf8 { .. } => {
            Error::Parse { path, line, expected: "UTF-8".into(), found: "other bytes".into() }
        }
        _ => Error::Parse { path, line, expected: "CSV".into(), found: "something else".into() },
    }
}

fn for_each_of_json(
    path: &Path,
    columns: &[&str],
    visit: &mut dyn FnMut(&Row) -> Result<()>,
) -> Result<()> {
    let mut lines = Lines::open(path)?;
    while let Some(line) = lines.next_line()? {
        let object: Map<String, Value> = serde_json::from_str(line.text)
            .map_err(|_| line.expected("a JSON object", line.text))?;
        let values: Result<Vec<Cow<str>>> =
            columns.iter().map(|column| json_value(&line, &object, column)).collect();
        visit(&Row { path, line: line.number, values: &values? })?;
    }
    Ok(())
}

/// A field, which is a string or a number.
fn json_value<'a>(
    line: &Line,
    object: &'a Map<String, Value>,
    column: &str,
) -> Result<Cow<'a, str>> {
    match object.get(column) {
        Some(Value::String(text)) => Ok(Cow::Borrowed(text)),
        Some(Value::Number(number)) => Ok(Cow::Owned(number.to_string())),
        Some(other) => {
            let expected = format!("a string or a number in the field {}", excerpt(column));
            Err(line.expected(expected, &other.to_string()))
        }
        None => Err(line.expected(format!("the field {}", excerpt(column)), line.text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(name: &str, content: &str) -> Result<Vec<(u64, Vec<String>)>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        let mut rows = Vec::new();
        for_each(&path, &["similarity", "document_1"], &mut |row| {
            rows.push((row.line, row.values.iter().map(|value| value.to_string()).collect()));
            Ok(())
        })?;
        Ok(rows)
    }

    #[test]
    fn all_formats_say_the_same() {
        let row = |line, id: &str| (line, vec!["0.5".to_string(), id.to_string()]);
        let tsv = "document_1\tother\tsimilarity\na\tx\t0.5\n\\\\b\\tc\\n\tx\t0.5\n";
        assert_eq!(read("f.tsv", tsv).unwrap(), [row(2, "a"), row(3, "\\b\tc\n")]);
        let csv = "similarity,document_1\n0.5,a\n0.5,\"\\b\tc\n\"\n0.5,d\n";
        let rows = [row(2, "a"), row(3, "\\b\tc\n"), row(5, "d")];
        assert_eq!(read("f.csv", csv).unwrap(), rows);
        let json = "{\"document_1\":\"a\",\"similarity\":0.5}\n{\"similarity\":0.5,\"document_1\":\"\\\\b\\tc\\n\",\"x\":[]}\n{\"similarity\":\"0.5\",\"document_1\":7}\n";
        assert_eq!(read("f.jsonl", json).unwrap(), [row(1, "a"), row(2, "\\b\tc\n"), row(3, "7")]);
        assert_eq!(read("f", "similarity\tdocument_1\n").unwrap(), []);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (name, content, told) in [
            ("f.tsv", "", "f.tsv:1: expected the columns 'similarity\\tdocument_1', found the end"),
            ("f.tsv", "similarity\n", "f.tsv:1: expected the columns 'similarity\\tdocument_1'"),
            ("f.tsv", "similarity\tdocument_1\n1\n", "f.tsv:2: expected 2 values, found '1'"),
            ("f.tsv", "similarity\tdocument_1\n1\ta", "f.tsv:2: expected a newline"),
            ("f.tsv", "similarity\tdocument_1\n1\t\\x\n", "f.tsv:2: expected values with"),
            ("f.csv", "a,b\n", "f.csv:1: expected the columns 'similarity,document_1'"),
            ("f.csv", "similarity,document_1\n1,a\n1\n", "f.csv:3: expected 2 values, found 1"),
            ("f.jsonl", "[1]\n", "f.jsonl:1: expected a JSON object, found '[1]'"),
            ("f.jsonl", "{\"similarity\":1}\n", "f.jsonl:1: expected the field 'document_1'"),
            (
                "f.jsonl",
                "{\"similarity\":null}\n",
                "expected a string or a number in the field 'similarity', found 'null'",
            ),
        ] {
            let error = read(name, content).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
    }

    proptest! {
        #[test]
        fn escapes_come_back(value in "[\\\\tnr\t\n\ra-c]{0,12}") {
            let escaped = value.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r");
            let back = unescaped(&escaped);
            prop_assert_eq!(back.as_deref(), Some(&*value));
        }
    }
}
