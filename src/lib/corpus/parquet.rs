//! Documents in the rows of a Parquet file. Only the columns needed are read.

use std::borrow::Cow;
use std::fmt::Display;
use std::fs::File;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};

use super::batch::{Batch, DocumentParser, Spot};
use super::inputs::Inputs;
use super::record::{Record, SortKey};
use super::skip::SkippedInput;
use super::source::{InputSource, SourceKind};
use crate::error::excerpt;

/// Rows per batch.
const ROWS: usize = 1024;

/// A row, or what is wrong with it.
pub(super) struct ParquetRow {
    id: Option<String>,
    text: Result<String, String>,
    sort_key: Option<SortKey>,
}

/// Reads a Parquet file.
pub(super) struct ParquetReader {
    reader: ParquetRecordBatchReader,
    source: InputSource,
    /// Names of the columns, and whether rows may lack an id.
    text: String,
    id: Option<String>,
    sort_key: Option<String>,
    has_optional_id: bool,
    next: u64,
    rows: u64,
    text_bytes: u64,
}

impl ParquetReader {
    /// Opens the file, which must have the text column, and the id column unless ids are optional.
    pub fn open(inputs: &Inputs, source: &InputSource) -> Result<Self, SkippedInput> {
        ParquetReader::try_open(inputs, source)
            .map_err(|why| SkippedInput::file(&source.path, format!("cannot read: {why}")))
    }

    fn try_open(inputs: &Inputs, source: &InputSource) -> Result<Self, String> {
        let file = File::open(&source.path).map_err(message)?;
        let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(message)?;
        let has_optional_id = inputs.args.format.has_optional_ids();
        let column = |name: &str| {
            let place = builder.schema().index_of(name);
            place.map_err(|_| format!("no column {}", excerpt(name)))
        };
        let text = column(&inputs.args.text_field)?;
        let id = inputs.id_field().map(column);
        let id = if has_optional_id { id.and_then(Result::ok) } else { id.transpose()? };
        let sort_key = inputs.sort_field.as_deref().and_then(|name| column(name).ok());
        let about = builder.metadata();
        let rows = about.file_metadata().num_rows().max(0) as u64;
        let sizes =
            about.row_groups().iter().map(|group| text_size(group, &inputs.args.text_field));
        let text_bytes = sizes.sum();
        let wanted = [Some(text), id, sort_key].into_iter().flatten();
        let mask = ProjectionMask::roots(builder.parquet_schema(), wanted);
        let reader = builder.with_projection(mask).with_batch_size(ROWS).build();
        Ok(ParquetReader {
            reader: reader.map_err(message)?,
            source: source.clone(),
            text: inputs.args.text_field.clone(),
            id: inputs.id_field().map(String::from),
            sort_key: inputs.sort_field.clone(),
            has_optional_id,
            next: 1,
            rows,
            text_bytes,
        })
    }

    /// Returns the number of rows that the file states.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Returns the approximate bytes of all texts.
    pub fn text_bytes(&self) -> u64 {
        self.text_bytes
    }

    /// Returns the number of the next row, counted from 1.
    pub fn next_row(&self) -> u64 {
        self.next
    }

    /// Returns the next rows, or `None` at the end and after an error.
    pub fn read(&mut self) -> Option<Result<Vec<ParquetRow>, SkippedInput>> {
        let batch = self.reader.next()?;
        let path = &self.source.path;
        let rows = batch.map_err(|e| e.to_string()).and_then(|batch| self.rows_of(&batch));
        let line = Some(self.next);
        if let Ok(rows) = &rows {
            self.next += rows.len() as u64;
        }
        Some(rows.map_err(|why| SkippedInput {
            line,
            ..SkippedInput::file(path, format!("cannot read: {why}"))
        }))
    }

    fn rows_of(&self, batch: &RecordBatch) -> Result<Vec<ParquetRow>, String> {
        let column = |name: &str| batch.column_by_name(name);
        let texts = column(&self.text).ok_or("the column with the text is gone")?;
        if text_at(texts, None).is_none() {
            let (name, kind) = (excerpt(&self.text), texts.data_type());
            return Err(format!("the column {name} holds {kind}, not text"));
        }
        let ids = self.id.as_deref().and_then(column);
        let sort_keys = self.sort_key.as_deref().and_then(column);
        let row = |at: usize| {
            let text = text_at(texts, Some(at)).flatten();
            let id = ids.and_then(|ids| id_at(ids, at)).filter(|id| !id.is_empty());
            let wrong =
                || format!("expected text in the column {}, found none", excerpt(&self.text));
            let mut text = text.ok_or_else(wrong);
            if let (Some(name), None, false) = (&self.id, &id, self.has_optional_id) {
                text = Err(format!("expected an id in the column {}, found none", excerpt(name)));
            }
            ParquetRow { id, text, sort_key: sort_keys.and_then(|keys| sort_key_at(keys, at)) }
        };
        Ok((0..batch.num_rows()).map(row).collect())
    }
}

fn message(error: impl Display) -> String {
    error.to_string()
}

/// Returns the decompressed bytes of the text column in a row group.
fn text_size(group: &parquet::file::metadata::RowGroupMetaData, field: &str) -> u64 {
    let is_text = |path: &str| path == field;
    let columns = group.columns().iter();
    let of_text = columns.filter(|column| is_text(&column.column_path().string()));
    of_text.map(|column| column.uncompressed_size().max(0) as u64).sum()
}

/// Returns the text in a row, if there is one; `None` if the column holds no text at all.
fn text_at(column: &ArrayRef, row: Option<usize>) -> Option<Option<String>> {
    let row = row.filter(|row| !column.is_null(*row));
    if let Some(texts) = column.as_string_opt::<i32>() {
        return Some(row.map(|row| texts.value(row).to_string()));
    }
    if let Some(texts) = column.as_string_opt::<i64>() {
        return Some(row.map(|row| texts.value(row).to_string()));
    }
    let texts = column.as_string_view_opt()?;
    Some(row.map(|row| texts.value(row).to_string()))
}

/// Returns an integer in a row as text.
fn whole_number_at(column: &ArrayRef, row: usize) -> Option<String> {
    if let Some(numbers) = column.as_primitive_opt::<Int64Type>() {
        return Some(numbers.value(row).to_string());
    }
    if let Some(numbers) = column.as_primitive_opt::<Int32Type>() {
        return Some(numbers.value(row).to_string());
    }
    if let Some(numbers) = column.as_primitive_opt::<UInt64Type>() {
        return Some(numbers.value(row).to_string());
    }
    Some(column.as_primitive_opt::<UInt32Type>()?.value(row).to_string())
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
    let text = text_at(column, Some(row)).flatten();
    text.or_else(|| whole_number_at(column, row))
        .or_else(|| number_at(column, row).map(|number| number.to_string()))
}

fn sort_key_at(column: &ArrayRef, row: usize) -> Option<SortKey> {
    if column.is_null(row) {
        return None;
    }
    let text = text_at(column, Some(row)).flatten();
    text.map(SortKey::Text).or_else(|| number_at(column, row).map(SortKey::Number))
}

impl DocumentParser<'_> {
    /// Returns the documents of some rows.
    pub fn rows<'b>(&self, source: usize, first: u64, rows: &'b [ParquetRow]) -> Batch<'b> {
        let mut batch = Batch::default();
        let prefix = self.prefix(source, SourceKind::Parquet);
        for (line, row) in (first..).zip(rows) {
            let spot = Spot { source, line };
            match &row.text {
                Ok(text) => {
                    let id = row.id.as_deref().map(Cow::Borrowed);
                    let (text, sort_key) = (Cow::Borrowed(&**text), row.sort_key.clone());
                    batch.bytes += text.len() as u64;
                    batch.documents.push(self.document(
                        spot,
                        &prefix,
                        Record { text, id, sort_key },
                    ));
                    batch.spots.push(spot);
                }
                Err(why) => batch.skips.push(self.bad_record(spot, why.clone())),
            }
            if self.has_failed(&batch) {
                break;
            }
        }
        batch
    }
}
