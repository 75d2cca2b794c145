//! Tables with named columns: TSV or CSV with a header, or one JSON object per line.
//!
//! Columns come in any order, among others. A JSON object whose field `documents` is a list stands for one row per element, as in
//! cluster tables.

use std::borrow::Cow;
use std::io::{self, Read};
use std::path::Path;

use serde_json::{Map, Value};

use super::escape::unescape;
use super::form::TableForm;
use super::read::FileStart;
use crate::error::{Error, Result, excerpt};
use crate::files::input::{Line, Lines, Reader, TRUNCATED, damaged};

/// Row of a table.
pub(super) struct TableRow<'a> {
    path: &'a Path,
    /// The line number, from 1.
    pub line: u64,
    /// The values of the required columns, in the order of [`Columns::required`].
    pub values: &'a [Cow<'a, str>],
    /// The value of the optional column.
    pub optional: Option<Cow<'a, str>>,
}

impl TableRow<'_> {
    /// Returns an error in this row.
    pub fn expected(&self, expected: impl Into<String>, found: &str) -> Error {
        parse_error(self.path, self.line, expected, excerpt(found))
    }

    /// Parses a cosine.
    pub fn cosine(&self, column: usize) -> Result<f64> {
        let text = &self.values[column];
        let number = text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
        number.ok_or_else(|| self.expected("a similarity from 0 to 1", text))
    }

    /// Parses a cosine and returns it in percent, shifted by decimal digits: 0.29 becomes 29, where 100 · 0.29 is not.
    pub fn percent(&self, column: usize) -> Result<f64> {
        let cosine = self.cosine(column)?;
        let shifted = format!("{}e2", self.values[column]).parse();
        // A number with an exponent of its own.
        Ok(shifted.unwrap_or(100.0 * cosine))
    }

    /// Parses a whole number.
    pub fn count(&self, column: usize) -> Result<u64> {
        let text = &self.values[column];
        text.parse().map_err(|_| self.expected("a whole number", text))
    }
}

/// Columns to read.
#[derive(Clone, Copy)]
pub(super) struct Columns<'a> {
    pub required: &'a [&'a str],
    pub optional: Option<&'a str>,
}

/// Calls `visit` with every row of a table.
pub(super) fn for_each_row(
    path: &Path,
    form: TableForm,
    start: FileStart,
    columns: Columns,
    visit: &mut dyn FnMut(&TableRow) -> Result<()>,
) -> Result<()> {
    match form {
        TableForm::Tsv => for_each_of_tsv(Lines::over(start.reader, path), columns, visit),
        TableForm::Csv => for_each_of_csv(path, start, columns, visit),
        TableForm::JsonLines => for_each_of_json(Lines::over(start.reader, path), columns, visit),
    }
}

/// Positions of the columns in a row.
struct Positions {
    required: Vec<usize>,
    optional: Option<usize>,
}

impl Columns<'_> {
    /// Finds the columns in a header: each required one exactly once.
    fn find(&self, names: &[&str], separator: &str) -> std::result::Result<Positions, String> {
        let position = |column: &str| names.iter().position(|name| *name == column);
        let is_repeated = |column: &str| names.iter().filter(|name| **name == column).count() > 1;
        let mut all = self.required.iter().copied().chain(self.optional);
        if let Some(repeated) = all.find(|column| is_repeated(column)) {
            return Err(format!("one column {}", excerpt(repeated)));
        }
        let required: Option<_> = self.required.iter().map(|column| position(column)).collect();
        let required = required.ok_or_else(|| self.header(separator))?;
        Ok(Positions { required, optional: self.optional.and_then(position) })
    }

    fn header(&self, separator: &str) -> String {
        format!("the columns {}", excerpt(&self.required.join(separator)))
    }
}

/// Returns a line without the CR of a CRLF line end. Values hold no CR: it is escaped.
fn without_cr(line: &str) -> &str {
    line.strip_suffix('\r').unwrap_or(line)
}

fn for_each_of_tsv(
    mut lines: Lines,
    columns: Columns,
    visit: &mut dyn FnMut(&TableRow) -> Result<()>,
) -> Result<()> {
    let header = lines.need_line(&columns.header("\t"))?;
    let names: Vec<&str> = without_cr(header.text).split('\t').collect();
    let found = columns.find(&names, "\t");
    let positions = found.map_err(|expected| header.expected(expected, header.text))?;
    let width = names.len();
    while let Some(line) = lines.next_line()? {
        let escaped: Vec<&str> = without_cr(line.text).split('\t').collect();
        if escaped.len() != width {
            return Err(line.expected(format!("{width} values"), line.text));
        }
        let values: Option<Vec<_>> =
            positions.required.iter().map(|position| unescape(escaped[*position])).collect();
        let values = values
            .ok_or_else(|| line.expected("values with \\t, \\n, \\r or \\\\ only", line.text))?;
        let optional = positions.optional.map(|position| escaped[position].into());
        visit(&TableRow { path: line.path, line: line.number, values: &values, optional })?;
    }
    Ok(())
}

fn for_each_of_csv(
    path: &Path,
    start: FileStart,
    columns: Columns,
    visit: &mut dyn FnMut(&TableRow) -> Result<()>,
) -> Result<()> {
    // The parser ends a record at CR and counts the line at LF, with the next record.
    let uncounted = u64::from(start.has_crlf);
    let failed = |error| csv_error(path, uncounted, error);
    let mut table = csv::Reader::from_reader(WithLastByte { reader: start.reader, last: b'\n' });
    let header = table.headers().map_err(failed)?.clone();
    let names: Vec<&str> = header.iter().collect();
    let found = columns.find(&names, ",");
    let positions =
        found.map_err(|expected| parse_error(path, 1, expected, excerpt(&names.join(","))))?;
    let mut record = csv::StringRecord::new();
    let mut line = 1;
    while table.read_record(&mut record).map_err(failed)? {
        let value = |position: &usize| Cow::Borrowed(&record[*position]);
        let values: Vec<Cow<str>> = positions.required.iter().map(value).collect();
        let optional = positions.optional.as_ref().map(value);
        line = record.position().map_or(0, csv::Position::line) + uncounted;
        visit(&TableRow { path, line, values: &values, optional })?;
    }
    if table.get_ref().last == b'\n' {
        return Ok(());
    }
    Err(parse_error(path, line, "a newline at the end of the line", TRUNCATED.into()))
}

/// Reader that remembers the last byte: a CSV file without a last newline may be truncated.
struct WithLastByte {
    reader: Reader,
    last: u8,
}

impl Read for WithLastByte {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.last = buffer[..count].last().copied().unwrap_or(self.last);
        Ok(count)
    }
}

fn csv_error(path: &Path, uncounted: u64, error: csv::Error) -> Error {
    let line = error.position().map_or(1, |position| position.line() + uncounted);
    let wrong = |expected: &str, found: String| parse_error(path, line, expected, found);
    match error.into_kind() {
        csv::ErrorKind::Io(error) => wrong("readable data", damaged(error)),
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            wrong(&format!("{expected_len} values"), len.to_string())
        }
        csv::ErrorKind::Utf8 { .. } => wrong("UTF-8", "other bytes".into()),
        kind => wrong("CSV", format!("{kind:?}")),
    }
}

fn for_each_of_json(
    mut lines: Lines,
    columns: Columns,
    visit: &mut dyn FnMut(&TableRow) -> Result<()>,
) -> Result<()> {
    while let Some(line) = lines.next_line()? {
        let object: Map<String, Value> = serde_json::from_str(line.text)
            .map_err(|_| line.expected("a JSON object", line.text))?;
        let listed = object.get("documents").and_then(Value::as_array).map(Vec::as_slice);
        let optional = columns.optional.and_then(|name| object.get(name)).and_then(Value::as_str);
        for row in 0..listed.map_or(1, <[Value]>::len) {
            let field = |column: &&str| match (*column, listed) {
                ("document", Some(documents)) => json_text(&line, Some(&documents[row]), column),
                _ => json_text(&line, object.get(*column), column),
            };
            let values: Result<Vec<Cow<str>>> = columns.required.iter().map(field).collect();
            let optional = optional.map(Cow::Borrowed);
            visit(&TableRow { path: line.path, line: line.number, values: &values?, optional })?;
        }
    }
    Ok(())
}

/// Returns the text of a field, which is a string or a number.
fn json_text<'a>(line: &Line, value: Option<&'a Value>, column: &str) -> Result<Cow<'a, str>> {
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

/// Returns the error of a line.
pub(super) fn parse_error(
    path: &Path,
    line: u64,
    expected: impl Into<String>,
    found: String,
) -> Error {
    Error::Parse { path: path.to_path_buf(), line, expected: expected.into(), found }
}
