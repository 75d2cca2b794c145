//! Documents in the rows of a Parquet file. Only the columns needed are read.

use std::borrow::Cow;
use std::fmt::Display;
use std::fs::File;
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, RecordBatch};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};

use super::batch::{Batch, DocumentParser, Spot};
use super::inputs::{InputArgs, Inputs};
use super::record::{Record, RecordFields, SortKey, missing_field};
use super::skip::SkippedInput;
use super::source::{InputSource, SourceKind};
use crate::error::excerpt;

/// Rows per batch.
const ROWS: usize = 1024;

/// A row, or what is wrong with it.
pub(super) type ParquetRow = Result<Record<'static>, String>;

/// Reads a Parquet file.
pub(super) struct ParquetReader<'a> {
    reader: ParquetRecordBatchReader,
    path: &'a Path,
    /// Names of the columns.
    fields: RecordFields<'a>,
    /// The arguments, for their limit.
    args: &'a InputArgs,
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
        if source.member.is_some() {
            return Err(SkippedInput::file(&source.path, "a Parquet file in an archive"));
        }
        ParquetReader::try_open(inputs, &source.path)
            .map_err(|why| SkippedInput::file(&source.path, why))
    }

    fn try_open(inputs: &'a Inputs, path: &'a Path) -> Result<Self, String> {
        let (fields, args) = (RecordFields::of(inputs), &inputs.args);
        let unreadable = |error: &dyn Display| format!("cannot read: {error}");
        let file = File::open(path).map_err(|e| unreadable(&e))?;
        let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|e| unreadable(&e))?;
        let names: Vec<String> =
            builder.schema().fields().iter().map(|field| field.name().clone()).collect();
        let column = |name: &str, flag| {
            let place = names.iter().position(|column| column == name);
            place.ok_or_else(|| missing_field(name, flag, &names))
        };
        let text = column(fields.text, "--text_field")?;
        let id = fields.id.map(|name| column(name, "--id_field"));
        let id = if fields.has_optional_id { id.and_then(Result::ok) } else { id.transpose()? };
        let sort_key = fields.sort_key.and_then(|name| column(name, "--keep").ok());
        let about = builder.metadata();
        let rows = about.file_metadata().num_rows().max(0) as u64;
        let text_bytes = about.row_groups().iter().map(|group| text_size(group, fields.text)).sum();
        let wanted = [Some(text), id, sort_key].into_iter().flatten();
        let mask = ProjectionMask::roots(builder.parquet_schema(), wanted);
        let reader = builder.with_projection(mask).with_batch_size(ROWS).build();
        let reader = reader.map_err(|e| unreadable(&e))?;
        Ok(ParquetReader { reader, path, fields, args, next: 1, rows, text_bytes })
    }

    /// Returns the next rows, or `None` at the end and after an error.
    pub fn read(&mut self) -> Option<Result<Vec<ParquetRow>, SkippedInput>> {
        let batch = self.reader.next()?;
        let rows = batch.map_err(message).and_then(|batch| self.rows_of(&batch));
        Some(match rows {
            Ok(rows) => {
                self.next += rows.len() as u64;
                Ok(rows)
            }
            Err(why) => {
                let why = format!("cannot read: {why}");
                Err(SkippedInput::from_line(self.path, self.next, why))
            }
        })
    }

    fn rows_of(&self, batch: &RecordBatch) -> Result<Vec<ParquetRow>, String> {
        let RecordFields { text, id, sort_key, has_optional_id } = self.fields;
        let column = |name: &str| batch.column_by_name(name);
        let texts = column(text).ok_or("the column with the text is gone")?;
        if text_at(texts, None).is_none() {
            let (name, kind) = (excerpt(text), texts.data_type());
            return Err(format!("the column {name} holds {kind}, not text"));
        }
        let (ids, sort_keys) = (id.and_then(column), sort_key.and_then(column));
        let missing =
            |what, name| format!("expected {what} in the column {}, found none", excerpt(name));
        let row = |at: usize| {
            let row_id = ids.and_then(|ids| id_at(ids, at)).filter(|id| !id.is_empty());
            if let (Some(name), None, false) = (id, &row_id, has_optional_id) {
                return Err(missing("an id", name));
            }
            let row_text = text_at(texts, Some(at)).flatten();
            if row_text.as_ref().is_some_and(|text| text.len() as u64 > self.args.max_record.0) {
                return Err(self.args.too_long());
            }
            Ok(Record {
                text: row_text.ok_or_else(|| missing("text", text))?.into(),
                id: row_id.map(Cow::Owned),
                sort_key: sort_keys.and_then(|keys| sort_key_at(keys, at)),
            })
        };
        Ok((0..batch.num_rows()).map(row).collect())
    }
}

fn message(error: impl Display) -> String {
    error.to_string()
}

/// Returns the decompressed bytes of the text column in a row group.
fn text_size(group: &parquet::file::metadata::RowGroupMetaData, field: &str) -> u64 {
    let of_text = group.columns().iter().filter(|column| column.column_path().string() == field);
    of_text.map(|column| column.uncompressed_size().max(0) as u64).sum()
}

/// Returns the text in a row, if there is one; `None` if the column holds no text at all.
fn text_at(column: &ArrayRef, row: Option<usize>) -> Option<Option<String>> {
    let row = row.filter(|row| !column.is_null(*row));
    let text = if let Some(texts) = column.as_string_opt::<i32>() {
        row.map(|row| texts.value(row))
    } else if let Some(texts) = column.as_string_opt::<i64>() {
        row.map(|row| texts.value(row))
    } else {
        let texts = column.as_string_view_opt()?;
        row.map(|row| texts.value(row))
    };
    Some(text.map(String::from))
}

/// Returns an integer in a row as text.
fn whole_number_at(column: &ArrayRef, row: usize) -> Option<String> {
    primitive_at::<Int64Type>(column, row)
        .or_else(|| primitive_at::<Int32Type>(column, row))
        .or_else(|| primitive_at::<UInt64Type>(column, row))
        .or_else(|| primitive_at::<UInt32Type>(column, row))
}

fn primitive_at<T: ArrowPrimitiveType<Native: Display>>(
    column: &ArrayRef,
    row: usize,
) -> Option<String> {
    Some(column.as_primitive_opt::<T>()?.value(row).to_string())
}

fn number_at(column: &ArrayRef, row: usize) -> Option<f64> {
    if let Some(numbers) = column.as_primitive_opt::<Float64Type>() {
        return Some(numbers.value(row));
    }
    if let Some(numbers) = column.as_primitive_opt::<Float32Type>() {
        return Some(f64::from(numbers.value(row)));
    }
    whole_number_at(column, row)?.parse().ok()
}

fn id_at(column: &ArrayRef, row: usize) -> Option<String> {
    if column.is_null(row) {
        return None;
    }
    text_at(column, Some(row))
        .flatten()
        .or_else(|| whole_number_at(column, row))
        .or_else(|| number_at(column, row).map(|number| number.to_string()))
}

fn sort_key_at(column: &ArrayRef, row: usize) -> Option<SortKey> {
    if column.is_null(row) {
        return None;
    }
    if let Some(text) = text_at(column, Some(row)).flatten() {
        return Some(SortKey::Text(text));
    }
    // Infinite numbers are the largest and smallest.
    let finite = |number: f64| number.clamp(f64::MIN, f64::MAX).to_string();
    let number = whole_number_at(column, row).or_else(|| number_at(column, row).map(finite))?;
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
        let prefix = self.prefix(source, SourceKind::Parquet);
        for (line, row) in (first..).zip(rows) {
            let spot = Spot { source, line };
            match row {
                Ok(Record { text, id, sort_key }) => {
                    let (text, id) = (Cow::Borrowed(&**text), id.as_deref().map(Cow::Borrowed));
                    let record = Record { text, id, sort_key: sort_key.clone() };
                    let kind = SourceKind::Parquet;
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
