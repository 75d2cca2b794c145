//! Documents in the rows of a Parquet file. Only the columns needed are read.
//!
//! Rows are read by the crate's record interface: its interface to Arrow is faster, but takes several times as long to build.

use std::borrow::Cow;
use std::fmt::Display;
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::reader::RowIter;
use parquet::record::{Field, Row};
use parquet::schema::types::Type;

use super::batch::{Batch, DocumentParser, Spot};
use super::inputs::{InputArgs, Inputs};
use super::record::{Record, RecordFields, SortKey, missing_field};
use super::skip::SkippedInput;
use super::source::{InputSource, SourceKind};
use crate::error::excerpt;

/// Rows per batch, at most.
const ROWS: usize = 1024;
/// Bytes of texts per batch, from which on it is full.
const BATCH_BYTES: usize = 1 << 20;

/// A row, or what is wrong with it.
pub(super) type ParquetRow = Result<Record<'static>, String>;

/// Reads a Parquet file.
pub(super) struct ParquetReader<'a> {
    reader: RowIter<'static>,
    path: &'a Path,
    /// Names of the columns.
    fields: RecordFields<'a>,
    /// The arguments, for their limit.
    args: &'a InputArgs,
    /// Why the rest is unreadable: reported after the rows before it.
    failure: Option<String>,
    is_at_end: bool,
    /// The number of the next row, counted from 1.
    pub next: u64,
    /// The number of rows that the file states.
    pub rows: u64,
    /// The approximate bytes of all texts.
    pub text_bytes: u64,
}

impl<'a> ParquetReader<'a> {
    /// Opens the file, which must have the text column, and the id column unless ids are optional.
    pub fn open(inputs: &'a Inputs, source: &'a InputSource) -> Result<Self, SkippedInput> {
        if source.member.is_some() || source.is_stream {
            let why = "a Parquet file in an archive or pipe, which cannot be read at any position";
            return Err(SkippedInput::file(&source.path, why));
        }
        ParquetReader::try_open(inputs, &source.path)
            .map_err(|why| SkippedInput::file(&source.path, why))
    }

    fn try_open(inputs: &'a Inputs, path: &'a Path) -> Result<Self, String> {
        let (fields, args) = (RecordFields::of(inputs), &inputs.args);
        let file = File::open(path).map_err(unreadable)?;
        let reader = guarded(|| SerializedFileReader::new(file).map_err(unreadable))?;
        let about = reader.metadata();
        let schema = about.file_metadata().schema();
        let projection = projection(schema, &fields)?;
        let rows = about.file_metadata().num_rows().max(0) as u64;
        let text_bytes = about.row_groups().iter().map(|group| text_size(group, fields.text)).sum();
        let reader = guarded(|| {
            RowIter::from_file_into(Box::new(reader)).project(Some(projection)).map_err(unreadable)
        })?;
        let (failure, is_at_end, next) = (None, false, 1);
        Ok(ParquetReader { reader, path, fields, args, failure, is_at_end, next, rows, text_bytes })
    }

    /// Returns the next rows, or `None` at the end and after an error.
    pub fn read(&mut self) -> Option<Result<Vec<ParquetRow>, SkippedInput>> {
        let (mut rows, mut bytes) = (Vec::new(), 0);
        while rows.len() < ROWS && bytes < BATCH_BYTES && !self.is_at_end {
            let reader = &mut self.reader;
            let row = guarded(|| reader.next().transpose().map_err(unreadable));
            match row.and_then(|row| row.map(|row| self.record(&row)).transpose()) {
                Ok(Some(row)) => {
                    bytes += row.as_ref().map_or(0, |record| record.text.len());
                    rows.push(row);
                }
                Ok(None) => self.is_at_end = true,
                Err(why) => (self.failure, self.is_at_end) = (Some(why), true),
            }
        }
        self.next += rows.len() as u64;
        if !rows.is_empty() {
            return Some(Ok(rows));
        }
        let why = self.failure.take()?;
        Some(Err(SkippedInput::from_line(self.path, self.next, why)))
    }

    /// Returns the record of a row; fails if the column of texts has other values.
    fn record(&self, row: &Row) -> Result<ParquetRow, String> {
        let RecordFields { text, id, sort_key, has_optional_id } = self.fields;
        let missing =
            |what, name| format!("expected {what} in the column {}, found none", excerpt(name));
        let value = |name| column(row, name);
        let row_text = match value(text) {
            Some(Field::Str(text)) => Some(text.clone()),
            None | Some(Field::Null) => None,
            Some(other) => {
                let found = excerpt(&other.to_string());
                return Err(format!(
                    "expected text in the column {}, found {found}",
                    excerpt(text)
                ));
            }
        };
        let row_id = id.and_then(value).and_then(id_of).filter(|id| !id.is_empty());
        if let (Some(name), None, false) = (id, &row_id, has_optional_id) {
            return Ok(Err(missing("an id", name)));
        }
        if row_text.as_ref().is_some_and(|text| text.len() as u64 > self.args.max_record.0) {
            return Ok(Err(self.args.too_long()));
        }
        Ok(row_text.ok_or_else(|| missing("text", text)).map(|text| Record {
            text: text.into(),
            id: row_id.map(Cow::Owned),
            sort_key: sort_key.and_then(value).and_then(sort_key_of),
        }))
    }
}

fn unreadable(error: impl Display) -> String {
    format!("cannot read: {error}")
}

/// Runs the crate's code. It panics at some damaged files.
fn guarded<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err("cannot read: damaged".into()))
}

/// Returns the columns to read: those that hold the fields.
fn projection(schema: &Type, fields: &RecordFields<'_>) -> Result<Type, String> {
    let columns = schema.get_fields();
    let names: Vec<String> = columns.iter().map(|column| column.name().to_string()).collect();
    let has = |field: &str| {
        columns.iter().any(|column| column.name() == root(&names, field).unwrap_or_default())
    };
    if !has(fields.text) {
        return Err(missing_field(fields.text, "--text_field", &names));
    }
    if let Some(id) = fields.id.filter(|id| !fields.has_optional_id && !has(id)) {
        return Err(missing_field(id, "--id_field", &names));
    }
    let wanted = [Some(fields.text), fields.id, fields.sort_key];
    let wanted: Vec<&str> = wanted.iter().flatten().filter_map(|name| root(&names, name)).collect();
    let kept = columns.iter().filter(|column| wanted.contains(&column.name()));
    let projection =
        Type::group_type_builder(schema.name()).with_fields(kept.map(Arc::clone).collect());
    projection.build().map_err(unreadable)
}

/// Returns the column that holds a field: that of its name, or of the first part of its path.
fn root<'n>(names: &'n [String], field: &str) -> Option<&'n str> {
    let of = |wanted: &str| names.iter().find(|name| *name == wanted);
    of(field).or_else(|| of(field.split('.').next()?)).map(|name| &**name)
}

/// Returns the value of a field of a row.
fn column<'r>(row: &'r Row, field: &str) -> Option<&'r Field> {
    let of = |wanted: &str| row.get_column_iter().find(|(name, _)| *name == wanted).map(|c| c.1);
    of(field).or_else(|| {
        let (first, rest) = field.split_once('.')?;
        match of(first)? {
            Field::Group(inside) => column(inside, rest),
            _ => None,
        }
    })
}

/// Returns the decompressed bytes of the text column in a row group.
fn text_size(group: &RowGroupMetaData, field: &str) -> u64 {
    let of_text = group.columns().iter().filter(|column| column.column_path().string() == field);
    of_text.map(|column| column.uncompressed_size().max(0) as u64).sum()
}

/// Returns a number as it is written in decimal.
fn number_of(value: &Field) -> Option<String> {
    Some(match value {
        Field::Byte(number) => number.to_string(),
        Field::Short(number) => number.to_string(),
        Field::Int(number) | Field::Date(number) | Field::TimeMillis(number) => number.to_string(),
        Field::Long(number)
        | Field::TimeMicros(number)
        | Field::TimestampMillis(number)
        | Field::TimestampMicros(number) => number.to_string(),
        Field::UByte(number) => number.to_string(),
        Field::UShort(number) => number.to_string(),
        Field::UInt(number) => number.to_string(),
        Field::ULong(number) => number.to_string(),
        Field::Float(number) => number.to_string(),
        Field::Double(number) => number.to_string(),
        _ => return None,
    })
}

fn id_of(value: &Field) -> Option<String> {
    match value {
        Field::Str(text) => Some(text.clone()),
        other => number_of(other),
    }
}

fn sort_key_of(value: &Field) -> Option<SortKey> {
    // Infinite numbers are the largest and smallest.
    let finite = |number: f64| number.clamp(f64::MIN, f64::MAX).to_string();
    let number = match value {
        Field::Str(text) => return Some(SortKey::Text(text.clone())),
        Field::Bool(flag) => u8::from(*flag).to_string(),
        Field::Float(number) => finite(f64::from(*number)),
        Field::Double(number) => finite(*number),
        other => number_of(other)?,
    };
    number.parse().ok().map(SortKey::Number)
}

impl DocumentParser<'_> {
    /// Adds the documents of some rows.
    pub fn add_rows<'b>(
        &self,
        batch: &mut Batch<'b>,
        source: usize,
        first: u64,
        rows: &'b [ParquetRow],
    ) {
        let kind = SourceKind::Parquet;
        let prefix = self.prefix(source, kind);
        for (line, row) in (first..).zip(rows) {
            let spot = Spot { source, line };
            match row {
                Ok(Record { text, id, sort_key }) => {
                    let (text, id) = (Cow::Borrowed(&**text), id.as_deref().map(Cow::Borrowed));
                    let record = Record { text, id, sort_key: sort_key.clone() };
                    batch.push(self.document(spot, kind, &prefix, record), spot, None);
                }
                Err(why) => batch.facts.skips.push(self.bad_record(spot, why.clone())),
            }
            if self.has_failed(batch) {
                return;
            }
        }
    }
}
