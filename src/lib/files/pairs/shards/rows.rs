//! Rows of a part of a table.

use super::read::{PartLines, PartRecords};
use super::table::PART_COLUMNS;
use crate::error::{Error, Result};
use crate::files::pairs::escape::unescape;
use crate::files::pairs::form::TableForm;
use crate::files::parts::Parts;

/// Columns of order numbers.
const KEY_COLUMNS: usize = 3;
/// Columns besides those of the origin.
const LEAST_COLUMNS: usize = PART_COLUMNS.len() - 2;

/// Rows of a part.
pub(super) struct PartRows {
    lines: PartLines,
    /// The first line of JSON Lines, which have no header.
    first: Option<String>,
    /// The form of the part; `None` for a file without a line.
    pub form: Option<TableForm>,
    /// The number of columns, as far as the file has any.
    pub columns: Option<usize>,
}

/// A row of a part without its order numbers.
pub(super) struct PartRow {
    /// The number of its line.
    pub line: u64,
    pub is_copy: bool,
    /// The row as the whole table has it, without its newline.
    pub text: String,
}

impl PartRows {
    /// Opens the part at a position and reads its header.
    pub fn open(parts: &Parts, position: usize) -> Result<Self> {
        let mut rows = PartRows {
            lines: PartLines::open(parts, position)?,
            first: None,
            form: None,
            columns: None,
        };
        let mut line = String::new();
        if !rows.lines.read(&mut line)? {
            return Ok(rows);
        }
        if line.starts_with('{') {
            (rows.form, rows.first) = (Some(TableForm::JsonLines), Some(line));
            return Ok(rows);
        }
        for (form, separator) in [(TableForm::Tsv, "\t"), (TableForm::Csv, ",")] {
            let is_header = |count: &usize| PART_COLUMNS[..*count].join(separator) == line;
            if let Some(count) = [LEAST_COLUMNS, PART_COLUMNS.len()].into_iter().find(is_header) {
                (rows.form, rows.columns) = (Some(form), Some(count));
                return Ok(rows);
            }
        }
        let expected = format!("the columns {}", PART_COLUMNS[..LEAST_COLUMNS].join(" "));
        Err(rows.lines.expected(&expected, &line))
    }

    /// Reads a row, which may have several lines in CSV: those of a value in quotes.
    fn read(&mut self) -> Result<Option<String>> {
        if let Some(first) = self.first.take() {
            return Ok(Some(first));
        }
        let mut text = String::new();
        if !self.lines.read(&mut text)? {
            return Ok(None);
        }
        let is_open = |text: &str| memchr::memchr_iter(b'"', text.as_bytes()).count() % 2 == 1;
        while self.form == Some(TableForm::Csv) && is_open(&text) {
            text.push('\n');
            if !self.lines.read(&mut text)? {
                return Err(self.lines.expected("a closing quote", &text));
            }
        }
        Ok(Some(text))
    }
}

impl PartRecords for PartRows {
    type Key = [u64; 2];
    type Record = PartRow;

    fn next_record(&mut self) -> Result<Option<([u64; 2], PartRow)>> {
        let Some(mut text) = self.read()? else { return Ok(None) };
        let form = self.form.unwrap_or(TableForm::JsonLines);
        let Some(([low, high, copy], start)) = keys(form, &text) else {
            return Err(self.lines.expected("the numbers low, high and copy", &text));
        };
        // The brace of an object stays.
        text.drain(usize::from(form == TableForm::JsonLines)..start);
        let row = PartRow { line: self.lines.number, is_copy: copy == 1, text };
        Ok(Some(([low, high], row)))
    }

    fn unsorted(&self) -> Error {
        self.lines
            .expected("rows by ascending low and high", "one that is not after the one before")
    }
}

/// Returns the order numbers of a row, and where its other values begin.
fn keys(form: TableForm, text: &str) -> Option<([u64; KEY_COLUMNS], usize)> {
    let (mut numbers, mut rest) = ([0; KEY_COLUMNS], text);
    for (column, number) in numbers.iter_mut().enumerate() {
        if form == TableForm::JsonLines {
            rest = rest.strip_prefix(if column == 0 { "{" } else { "" })?;
            rest = rest.strip_prefix('"')?.strip_prefix(PART_COLUMNS[column])?;
            rest = rest.strip_prefix("\":")?;
        }
        let separator = if form == TableForm::Tsv { '\t' } else { ',' };
        let (digits, after) = rest.split_once(separator)?;
        (*number, rest) = (digits.parse().ok()?, after);
    }
    Some((numbers, text.len() - rest.len()))
}

/// Returns the values of a row of the whole table: similarity, ids and origins.
pub(super) fn values(form: TableForm, text: &str) -> Option<Vec<String>> {
    match form {
        TableForm::Tsv => {
            text.split('\t').map(|value| Some(unescape(value)?.into_owned())).collect()
        }
        TableForm::Csv => {
            let mut reader =
                csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
            let record = reader.records().next()?.ok()?;
            Some(record.iter().map(str::to_string).collect())
        }
        TableForm::JsonLines => {
            let object: serde_json::Map<String, serde_json::Value> =
                serde_json::from_str(text).ok()?;
            let value = |column: &&str| match object.get(*column)? {
                serde_json::Value::String(text) => Some(text.clone()),
                number => Some(number.to_string()),
            };
            Some(PART_COLUMNS[KEY_COLUMNS..].iter().map_while(value).collect())
        }
    }
}
