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
use crate::files::input::{Line, Lines, NEWLINE, Reader, TRUNCATED};
use crate::files::limits::{self, InputFault, MAX_LINE_BYTES};

/// Row of a table.
pub(super) struct TableRow<'a> {
    path: &'a Path,
    /// The line number, from 1.
    pub line: u64,
    /// The values in the order of [`Columns::names`].
    pub values: Vec<Cow<'a, str>>,
}

impl TableRow<'_> {
    /// Returns an error in this row.
    pub fn expected(&self, expected: &str, found: &str) -> Error {
        Error::parse(self.path, self.line, expected, excerpt(found))
    }

    /// Parses a cosine.
    pub fn cosine(&self, column: usize) -> Result<f64> {
        let text = &self.values[column];
        let number = text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
        number.ok_or_else(|| self.expected("a similarity from 0 to 1", text))
    }

    /// Parses a cosine and returns it in percent, shifted by decimal digits: 0.29 becomes 29, where 100 · 0.29 is not. Small numbers of JSON
    /// have an exponent of their own.
    pub fn percent(&self, column: usize) -> Result<f64> {
        let cosine = self.cosine(column)?;
        let text = &*self.values[column];
        let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let exponent = exponent.parse::<i32>().ok().and_then(|power| power.checked_add(2));
        let shifted = exponent.and_then(|power| format!("{digits}e{power}").parse().ok());
        Ok(shifted.unwrap_or(100.0 * cosine))
    }

    /// Parses a whole number.
    pub fn count(&self, column: usize) -> Result<u64> {
        let text = &self.values[column];
        text.parse().map_err(|_| self.expected("a whole number", text))
    }
}

/// Columns to read.
pub(super) struct Columns {
    pub names: &'static [&'static str],
    /// The number of columns that a table must have; the values of others may be missing, and are then empty.
    pub required: usize,
}

impl Columns {
    /// Finds the columns in a header, or returns what it should be.
    fn find(&self, header: &[&str], separator: &str) -> Result<Vec<Option<usize>>, String> {
        let is_repeated = |column: &&&str| header.iter().filter(|name| name == column).count() > 1;
        if let Some(repeated) = self.names.iter().find(is_repeated) {
            return Err(format!("one column {}", excerpt(repeated)));
        }
        let position = |column: &&str| header.iter().position(|name| name == column);
        let positions: Vec<Option<usize>> = self.names.iter().map(position).collect();
        match positions[..self.required].contains(&None) {
            true => Err(self.header(separator)),
            false => Ok(positions),
        }
    }

    fn header(&self, separator: &str) -> String {
        format!("the columns {}", excerpt(&self.names[..self.required].join(separator)))
    }
}

/// Takes a row.
type Visit<'a> = &'a mut dyn FnMut(&TableRow) -> Result<()>;

/// Calls `visit` with every row of a table.
pub(super) fn for_each_row(
    start: FileStart,
    form: TableForm,
    columns: &Columns,
    visit: Visit,
) -> Result<()> {
    match form {
        TableForm::Tsv => for_each_of_tsv(start.lines(), columns, visit),
        TableForm::Csv => for_each_of_csv(start, columns, visit),
        TableForm::JsonLines => for_each_of_json(start.lines(), columns, visit),
    }
}

/// Splits a line, without the CR of a CRLF line end. Values hold no CR: it is escaped.
fn cells(line: &str) -> Vec<&str> {
    line.strip_suffix('\r').unwrap_or(line).split('\t').collect()
}

fn for_each_of_tsv(mut lines: Lines, columns: &Columns, visit: Visit) -> Result<()> {
    let header = lines.need_line(&columns.header("\t"))?;
    let names = cells(header.text);
    let found = columns.find(&names, "\t");
    let positions = found.map_err(|expected| header.expected(expected, header.text))?;
    let width = names.len();
    while let Some(line) = lines.next_line()? {
        let cells = cells(line.text);
        if cells.len() != width {
            return Err(line.expected(format!("{width} values"), line.text));
        }
        let value = |position: &Option<usize>| unescape(position.map_or("", |at| cells[at]));
        let values: Option<Vec<Cow<str>>> = positions.iter().map(value).collect();
        let values = values
            .ok_or_else(|| line.expected("values with \\t, \\n, \\r or \\\\ only", line.text))?;
        visit(&TableRow { path: line.path, line: line.number, values })?;
    }
    Ok(())
}

fn for_each_of_csv(start: FileStart, columns: &Columns, visit: Visit) -> Result<()> {
    let path = &*start.path;
    // The parser ends a record at CR and counts the line at LF, with the next record.
    let uncounted = u64::from(start.has_crlf);
    let failed = |error| csv_error(path, uncounted, error);
    let bytes = CsvBytes { reader: start.reader, last: b'\n', since_record: 0 };
    let mut table = csv::Reader::from_reader(bytes);
    let header = table.headers().map_err(failed)?.clone();
    let names: Vec<&str> = header.iter().collect();
    let found = columns.find(&names, ",");
    let positions =
        found.map_err(|expected| Error::parse(path, 1, expected, excerpt(&names.join(","))))?;
    let mut record = csv::StringRecord::new();
    let mut line = 1;
    while table.read_record(&mut record).map_err(failed)? {
        table.get_mut().since_record = 0;
        let value = |position: &Option<usize>| position.map_or("", |at| &record[at]).into();
        let values = positions.iter().map(value).collect();
        line = record.position().map_or(0, csv::Position::line) + uncounted;
        visit(&TableRow { path, line, values })?;
    }
    if table.get_ref().last == b'\n' {
        return Ok(());
    }
    Err(Error::parse(path, line, NEWLINE, TRUNCATED))
}

/// Reader that remembers the last byte: a CSV file without a last newline may be truncated. It ends a record, which may have many lines, at
/// [`MAX_LINE_BYTES`].
struct CsvBytes {
    reader: Reader,
    last: u8,
    since_record: u64,
}

impl Read for CsvBytes {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.since_record += count as u64;
        if self.since_record > MAX_LINE_BYTES {
            return Err(InputFault::line(None).into());
        }
        self.last = buffer[..count].last().copied().unwrap_or(self.last);
        Ok(count)
    }
}

fn csv_error(path: &Path, uncounted: u64, error: csv::Error) -> Error {
    let line = error.position().map_or(1, |position| position.line() + uncounted);
    let wrong = |expected: &str, found: String| Error::parse(path, line, expected, found);
    match error.into_kind() {
        csv::ErrorKind::Io(error) => {
            let (expected, found) = limits::unreadable(&error);
            wrong(&expected, found)
        }
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            wrong(&format!("{expected_len} values"), len.to_string())
        }
        csv::ErrorKind::Utf8 { .. } => wrong("UTF-8", "other bytes".into()),
        kind => wrong("CSV", format!("{kind:?}")),
    }
}

fn for_each_of_json(mut lines: Lines, columns: &Columns, visit: Visit) -> Result<()> {
    while let Some(line) = lines.next_line()? {
        let object: Map<String, Value> = serde_json::from_str(line.text)
            .map_err(|_| line.expected("a JSON object", line.text))?;
        let listed = object.get("documents").and_then(Value::as_array).map(Vec::as_slice);
        for row in 0..listed.map_or(1, <[Value]>::len) {
            let field = |(number, column): (usize, &&str)| match (*column, listed) {
                ("document", Some(documents)) => json_text(&line, Some(&documents[row]), column),
                _ if number < columns.required => json_text(&line, object.get(*column), column),
                _ => Ok(optional_text(object.get(*column))),
            };
            let values = columns.names.iter().enumerate().map(field).collect::<Result<_>>()?;
            visit(&TableRow { path: line.path, line: line.number, values })?;
        }
    }
    Ok(())
}

/// Returns the text of a field that may be missing.
fn optional_text(value: Option<&Value>) -> Cow<'_, str> {
    match value {
        Some(Value::String(text)) => Cow::Borrowed(text),
        Some(Value::Number(number)) => Cow::Owned(number.to_string()),
        _ => Cow::Borrowed(""),
    }
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
