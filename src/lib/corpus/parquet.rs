//! Documents in the rows of a Parquet file. Only the columns that are needed are read.

use std::borrow::Cow;
use std::fmt::Display;
use std::fs::File;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};

use super::batch::{Batch, Maker, Spot};
use super::skip::Skip;
use super::source::{Kind, Source};
use super::{Document, Inputs, Rank, Shape};
use crate::error::excerpt;

/// Rows that are read at once: a batch.
const ROWS: usize = 1024;

/// What stands in a row, or what is wrong with it.
pub(super) struct Row {
    id: Option<String>,
    text: Result<String, String>,
    rank: Option<Rank>,
}

/// A Parquet file being read.
pub(super) struct Columns {
    reader: ParquetRecordBatchReader,
    source: Source,
    /// The names of the columns, and whether rows may be without an id.
    text: String,
    id: Option<String>,
    rank: Option<String>,
    id_may_miss: bool,
    next: u64,
    rows: u64,
    text_bytes: u64,
}

impl Columns {
    /// Opens the file, which must have the column with the text, and that with the id unless ids may miss.
    pub fn open(inputs: &Inputs, source: &Source) -> Result<Self, Skip> {
        Columns::try_open(inputs, source)
            .map_err(|why| Skip::file(&source.path, format!("cannot read: {why}")))
    }

    fn try_open(inputs: &Inputs, source: &Source) -> Result<Self, String> {
        let file = File::open(&source.path).map_err(in_words)?;
        let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(in_words)?;
        let id_may_miss = matches!(inputs.shape, Shape::Auto | Shape::List);
        let column = |name: &str| {
            let place = builder.schema().index_of(name);
            place.map_err(|_| format!("no column {}", excerpt(name)))
        };
        let text = column(&inputs.text_field)?;
        let id = inputs.id_field.as_deref().map(column);
        let id = if id_may_miss { id.and_then(Result::ok) } else { id.transpose()? };
        let rank = inputs.rank_field.as_deref().and_then(|name| column(name).ok());
        let about = builder.metadata();
        let rows = about.file_metadata().num_rows().max(0) as u64;
        let sizes = about.row_groups().iter().map(|group| text_size(group, &inputs.text_field));
        let text_bytes = sizes.sum();
        let wanted = [Some(text), id, rank].into_iter().flatten();
        let mask = ProjectionMask::roots(builder.parquet_schema(), wanted);
        let reader = builder.with_projection(mask).with_batch_size(ROWS).build();
        Ok(Columns {
            reader: reader.map_err(in_words)?,
            source: source.clone(),
            text: inputs.text_field.clone(),
            id: inputs.id_field.clone(),
            rank: inputs.rank_field.clone(),
            id_may_miss,
            next: 1,
            rows,
            text_bytes,
        })
    }

    /// How many rows the file says it has.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// About how many bytes all texts have together.
    pub fn text_bytes(&self) -> u64 {
        self.text_bytes
    }

    /// The number of the next row, counted from 1.
    pub fn next_row(&self) -> u64 {
        self.next
    }

    /// The next rows, or `None` at the end. After an error there is no more.
    pub fn read(&mut self) -> Option<Result<Vec<Row>, Skip>> {
        let batch = self.reader.next()?;
        let path = &self.source.path;
        let rows = batch.map_err(|e| e.to_string()).and_then(|batch| self.rows_of(&batch));
        let line = Some(self.next);
        if let Ok(rows) = &rows {
            self.next += rows.len() as u64;
        }
        Some(rows.map_err(|why| Skip { line, ..Skip::file(path, format!("cannot read: {why}")) }))
    }

    fn rows_of(&self, batch: &RecordBatch) -> Result<Vec<Row>, String> {
        let column = |name: &str| batch.column_by_name(name);
        let texts = column(&self.text).ok_or("the column with the text is gone")?;
        if text_at(texts, None).is_none() {
            let (name, kind) = (excerpt(&self.text), texts.data_type());
            return Err(format!("the column {name} holds {kind}, not text"));
        }
        let ids = self.id.as_deref().and_then(column);
        let ranks = self.rank.as_deref().and_then(column);
        let row = |at: usize| {
            let text = text_at(texts, Some(at)).flatten();
            let id = ids.and_then(|ids| id_at(ids, at)).filter(|id| !id.is_empty());
            let wrong =
                || format!("expected text in the column {}, found none", excerpt(&self.text));
            let mut text = text.ok_or_else(wrong);
            if let (Some(name), None, false) = (&self.id, &id, self.id_may_miss) {
                text = Err(format!("expected an id in the column {}, found none", excerpt(name)));
            }
            Row { id, text, rank: ranks.and_then(|ranks| rank_at(ranks, at)) }
        };
        Ok((0..batch.num_rows()).map(row).collect())
    }
}

fn in_words(error: impl Display) -> String {
    error.to_string()
}

/// The bytes of the column with the text in a group of rows, decompressed.
fn text_size(group: &parquet::file::metadata::RowGroupMetaData, field: &str) -> u64 {
    let is_text = |path: &str| path == field;
    let columns = group.columns().iter();
    let of_text = columns.filter(|column| is_text(&column.column_path().string()));
    of_text.map(|column| column.uncompressed_size().max(0) as u64).sum()
}

/// The text in a row, if it has one; `None` if the column holds no text at all, which can be asked without a row.
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

/// A number in a row as text, without loss.
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

fn rank_at(column: &ArrayRef, row: usize) -> Option<Rank> {
    if column.is_null(row) {
        return None;
    }
    let text = text_at(column, Some(row)).flatten();
    text.map(Rank::Text).or_else(|| number_at(column, row).map(Rank::Number))
}

impl Maker<'_> {
    /// The documents of some rows.
    pub fn rows<'b>(&self, source: usize, first: u64, rows: &'b [Row]) -> Batch<'b> {
        let mut batch = Batch::default();
        let prefix = self.prefix(source, Kind::Parquet);
        for (line, row) in (first..).zip(rows) {
            match &row.text {
                Ok(text) => {
                    let id = match &row.id {
                        Some(id) => Cow::Borrowed(&**id),
                        None => Cow::Owned(format!("{prefix}{line}")),
                    };
                    let rank = row.rank.clone();
                    batch.bytes += text.len() as u64;
                    batch.documents.push(Document { id, text: Cow::Borrowed(text), rank });
                    batch.spots.push(Spot { source, line });
                }
                Err(why) => {
                    batch.skips.push(Skip::record(self.path(source), line, why.clone()));
                }
            }
        }
        batch
    }
}
