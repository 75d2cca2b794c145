//! Tables with named columns, in the formats that `find_near_dups` writes: TSV with a header (and `\t`, `\n`, `\r`, `\\` in values as escapes), CSV with a header, or a JSON object a line.
//! Columns may stand in any order, and others may stand beside them. A JSON object whose field `documents` is a list stands for as many rows, one for each.

use std::borrow::Cow;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::error::{Error, Result, excerpt};
use crate::files::input::{self, Line, Lines};
use crate::files::table::unescape;

/// A row of a table, and where it stands.
pub(super) struct Row<'a> {
    path: &'a Path,
    /// The line, counted from 1.
    pub line: u64,
    /// The values of the columns that were asked for, in that order.
    pub values: &'a [Cow<'a, str>],
    /// The value of the column that may be there or not.
    pub extra: Option<Cow<'a, str>>,
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
        let name = path.to_string_lossy().to_lowercase();
        let name = name.trim_end_matches(".gz").trim_end_matches(".zst");
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        match ending {
            "csv" => Format::Csv,
            "jsonl" | "ndjson" | "json" => Format::JsonLines,
            _ => Format::Tsv,
        }
    }
}

/// What is looked for in a table.
struct Wanted<'a> {
    columns: &'a [&'a str],
    extra: Option<&'a str>,
}

/// Calls `visit` with every row of a file; `extra` names a column that need not be there.
pub(super) fn for_each(
    path: &Path,
    columns: &[&str],
    extra: Option<&str>,
    visit: &mut dyn FnMut(&Row) -> Result<()>,
) -> Result<()> {
    let wanted = Wanted { columns, extra };
    match Format::of(path) {
        Format::Tsv => for_each_of_tsv(path, &wanted, visit),
        Format::Csv => for_each_of_csv(path, &wanted, visit),
        Format::JsonLines => for_each_of_json(path, &wanted, visit),
    }
}

/// Where the wanted columns stand.
struct Places {
    columns: Vec<usize>,
    extra: Option<usize>,
}

impl Wanted<'_> {
    /// Where the columns stand under a header, if all that must be there are.
    fn places(&self, names: &[&str]) -> Option<Places> {
        let place = |column: &str| names.iter().position(|name| *name == column);
        let columns: Option<Vec<usize>> = self.columns.iter().map(|column| place(column)).collect();
        Some(Places { columns: columns?, extra: self.extra.and_then(place) })
    }

    /// What is said of a header that lacks a column.
    fn header(&self, separator: &str) -> String {
        format!("the columns {}", excerpt(&self.columns.join(separator)))
    }
}

fn for_each_of_tsv(
    path: &Path,
    wanted: &Wanted,
    visit: &mut dyn FnMut(&Row) -> Result<()>,
) -> Result<()> {
    let mut lines = Lines::open(path)?;
    let header = lines.need_line(&wanted.header("\t"))?;
    let names: Vec<&str> = header.text.split('\t').collect();
    let places = wanted.places(&names);
    let places = places.ok_or_else(|| header.expected(wanted.header("\t"), header.text))?;
    let width = names.len();
    while let Some(line) = lines.next_line()? {
        let values: Vec<&str> = line.text.split('\t').collect();
        if values.len() != width {
            return Err(line.expected(format!("{width} values"), line.text));
        }
        let plain: Option<Vec<_>> =
            places.columns.iter().map(|place| unescape(values[*place])).collect();
        let plain =
            plain.ok_or_else(|| line.expected("values with \\t, \\n, \\r or \\\\", line.text))?;
        let extra = places.extra.map(|place| values[place].into());
        visit(&Row { path, line: line.number, values: &plain, extra })?;
    }
    Ok(())
}

fn for_each_of_csv(
    path: &Path,
    wanted: &Wanted,
    visit: &mut dyn FnMut(&Row) -> Result<()>,
) -> Result<()> {
    let mut table = csv::Reader::from_reader(input::open(path)?);
    let header = table.headers().map_err(|error| of_csv(path, error))?;
    let names: Vec<&str> = header.iter().collect();
    let missing = || Error::Parse {
        path: path.to_path_buf(),
        line: 1,
        expected: wanted.header(","),
        found: excerpt(&names.join(",")),
    };
    let places = wanted.places(&names).ok_or_else(missing)?;
    let mut record = csv::StringRecord::new();
    while read_record(&mut table, &mut record, path)? {
        let value = |place: &usize| Cow::Borrowed(&record[*place]);
        let values: Vec<Cow<str>> = places.columns.iter().map(value).collect();
        let extra = places.extra.as_ref().map(value);
        let line = record.position().map_or(0, csv::Position::line);
        visit(&Row { path, line, values: &values, extra })?;
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
    wanted: &Wanted,
    visit: &mut dyn FnMut(&Row) -> Result<()>,
) -> Result<()> {
    let mut lines = Lines::open(path)?;
    while let Some(line) = lines.next_line()? {
        let object: Map<String, Value> = serde_json::from_str(line.text)
            .map_err(|_| line.expected("a JSON object", line.text))?;
        let listed = object.get("documents").and_then(Value::as_array).map(Vec::as_slice);
        let extra = wanted.extra.and_then(|name| object.get(name)).and_then(Value::as_str);
        for row in 0..listed.map_or(1, <[Value]>::len) {
            let field = |column: &&str| match (*column, listed) {
                ("document", Some(documents)) => json_value(&line, Some(&documents[row]), column),
                _ => json_value(&line, object.get(*column), column),
            };
            let values: Result<Vec<Cow<str>>> = wanted.columns.iter().map(field).collect();
            let extra = extra.map(Cow::Borrowed);
            visit(&Row { path, line: line.number, values: &values?, extra })?;
        }
    }
    Ok(())
}

/// What stands in a field, which is a string or a number.
fn json_value<'a>(line: &Line, value: Option<&'a Value>, column: &str) -> Result<Cow<'a, str>> {
    match value {
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

    fn read(name: &str, content: &str) -> Result<Vec<(u64, Vec<String>)>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        let mut rows = Vec::new();
        for_each(&path, &["similarity", "document_1"], None, &mut |row| {
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
}
