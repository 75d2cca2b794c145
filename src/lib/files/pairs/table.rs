//! Writer of tables: TSV, CSV or JSON Lines by the file name, compressed if it ends in `.gz`, `.zst`, `.bz2` or `.xz`.
//!
//! Similarities are written as cosines from 0 to 1.

use std::path::Path;

use rayon::prelude::*;

use super::escape::escape;
use super::form::TableForm;
use crate::error::{INFALLIBLE, Result};
use crate::files::decimal::{append_number, decimals};
use crate::files::output::{Output, Part, Publisher};
use crate::search::Pair;

/// Buffer of a CSV row in bytes; longer rows are written in pieces.
const CSV_BUFFER: usize = 512;

/// Value of one column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum TableCell<'a> {
    /// A document id or a word.
    Text(&'a str),
    /// A count.
    Number(u64),
    /// A similarity in percent, written as a cosine.
    Similarity(f64),
}

/// The file of a table, created before its content is known.
pub struct TableFile {
    pub(super) out: Output,
    pub(super) form: TableForm,
}

impl TableFile {
    /// Begins the file in the form of its name.
    pub fn create(publisher: &Publisher<'_>, path: &Path) -> Result<Self> {
        let form = TableForm::of_name(path)?;
        Ok(TableFile { out: publisher.create(path)?, form })
    }
}

/// Writes a table row by row.
pub(super) struct TableWriter {
    pub out: Output,
    pub form: TableForm,
    columns: &'static [&'static str],
    row: Vec<u8>,
}

impl TableWriter {
    /// Writes the header of TSV and CSV.
    pub fn begin(file: TableFile, columns: &'static [&'static str]) -> Result<Self> {
        let TableFile { out, form } = file;
        let mut table = TableWriter { out, form, columns, row: Vec::new() };
        if form != TableForm::JsonLines {
            let names = columns.iter().map(|column| TableCell::Text(column));
            table.row(&names.collect::<Vec<_>>())?;
        }
        Ok(table)
    }

    /// Writes a row from the first cells, one per column.
    pub fn row(&mut self, cells: &[TableCell]) -> Result<()> {
        self.row.clear();
        append_row(&mut self.row, self.form, self.columns, cells);
        self.out.write(&self.row)
    }

    /// Writes a row per item, formatted on all threads, and returns their number.
    pub fn rows<'a, T: Sync, const N: usize>(
        &mut self,
        mut items: impl Iterator<Item = T>,
        cells: impl Fn(&T) -> [TableCell<'a>; N] + Sync,
    ) -> Result<u64> {
        let (form, columns) = (self.form, self.columns);
        let rows = |items: &[T]| {
            let mut rows = Vec::new();
            items.iter().for_each(|item| append_row(&mut rows, form, columns, &cells(item)));
            rows
        };
        let mut count = 0;
        loop {
            let next: Vec<T> = items.by_ref().take(PAIRS_PER_WRITE).collect();
            if next.is_empty() {
                return Ok(count);
            }
            count += next.len() as u64;
            let texts: Vec<Vec<u8>> = next.par_chunks(PAIRS_PER_TASK).map(rows).collect();
            texts.iter().try_for_each(|text| self.out.write(text))?;
        }
    }
}

/// Appends a row of the first cells, one per column.
fn append_row(text: &mut Vec<u8>, form: TableForm, columns: &[&str], cells: &[TableCell]) {
    let cells = &cells[..columns.len()];
    match form {
        TableForm::Tsv => append_tsv(text, cells),
        TableForm::Csv => append_csv(text, cells),
        TableForm::JsonLines => append_object(text, columns, cells),
    }
}

/// Columns that tell existing documents, whose number this is, from new ones: their ids may be the same. Tables have them only where there
/// are existing documents, which come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OriginColumns(pub u32);

impl OriginColumns {
    /// Returns whether tables have these columns.
    pub(super) fn is_shown(self) -> bool {
        self.0 > 0
    }

    /// Returns the columns of a table, whose last `count` tell the origin.
    pub(super) fn select<'c>(self, all: &'c [&'c str], count: usize) -> &'c [&'c str] {
        if self.is_shown() { all } else { &all[..all.len() - count] }
    }

    /// Returns the origin of a document.
    pub(super) fn of(self, document: u32) -> &'static str {
        if document < self.0 { "old" } else { "new" }
    }
}

/// Columns of a table of pairs.
pub(super) const PAIR_COLUMNS: &[&str] =
    &["similarity", "document_1", "document_2", "from_1", "from_2"];

/// Pairs that all threads format before they are written.
const PAIRS_PER_WRITE: usize = 1 << 17;
/// Pairs that one thread formats at a time.
const PAIRS_PER_TASK: usize = 1 << 12;

/// Writes pairs; `id` returns the id of a document. The content is left under its temporary name.
pub fn write_pairs<'a>(
    file: TableFile,
    pairs: impl Iterator<Item = Pair>,
    origins: OriginColumns,
    id: impl Fn(u32) -> &'a str + Sync,
) -> Result<Part> {
    let mut table = TableWriter::begin(file, origins.select(PAIR_COLUMNS, 2))?;
    table.rows(pairs, |pair| pair_cells(*pair, origins, &id))?;
    table.out.close()
}

/// Returns the cells of [`PAIR_COLUMNS`].
pub(super) fn pair_cells<'a>(
    pair: Pair,
    origins: OriginColumns,
    id: impl Fn(u32) -> &'a str,
) -> [TableCell<'a>; 5] {
    let Pair { low, high, similarity } = pair;
    let texts = [id(low), id(high), origins.of(low), origins.of(high)];
    let [id_1, id_2, from_1, from_2] = texts.map(TableCell::Text);
    [TableCell::Similarity(similarity), id_1, id_2, from_1, from_2]
}

/// Appends a similarity in percent as a cosine, rounded to a millionth of a percent: four to eight decimals.
fn append_cosine(text: &mut Vec<u8>, similarity: f64) {
    const PARTS_PER_UNIT: u64 = 100_000_000;
    const MIN_DECIMALS: usize = 4;
    // Rounds to the nearest: `round` is a function call where the instruction set is not known to have it.
    let parts = (similarity * 1e6 + 0.5) as u64;
    append_number(text, parts / PARTS_PER_UNIT);
    text.push(b'.');
    let (decimals, count) = decimals(parts % PARTS_PER_UNIT, MIN_DECIMALS);
    text.extend_from_slice(&decimals[..count]);
}

fn append_cell(text: &mut Vec<u8>, cell: &TableCell) {
    match cell {
        TableCell::Text(value) => text.extend_from_slice(value.as_bytes()),
        TableCell::Number(number) => append_number(text, *number),
        TableCell::Similarity(similarity) => append_cosine(text, *similarity),
    }
}

fn append_tsv(text: &mut Vec<u8>, cells: &[TableCell]) {
    for (column, cell) in cells.iter().enumerate() {
        if column > 0 {
            text.push(b'\t');
        }
        match cell {
            TableCell::Text(value) => text.extend_from_slice(escape(value).as_bytes()),
            number => append_cell(text, number),
        }
    }
    text.push(b'\n');
}

fn append_csv(text: &mut Vec<u8>, cells: &[TableCell]) {
    let mut writer = csv::WriterBuilder::new().buffer_capacity(CSV_BUFFER).from_writer(text);
    let mut value = Vec::new();
    for cell in cells {
        value.clear();
        append_cell(&mut value, cell);
        writer.write_field(&value).expect(INFALLIBLE);
    }
    writer.write_record(None::<&[u8]>).expect(INFALLIBLE);
    writer.flush().expect(INFALLIBLE);
}

/// Appends a JSON object. Numbers keep the decimals of the other forms.
pub(super) fn append_object(text: &mut Vec<u8>, columns: &[&str], cells: &[TableCell]) {
    let mut separator = b'{';
    for (column, cell) in columns.iter().zip(cells) {
        text.extend_from_slice(&[separator, b'"']);
        text.extend_from_slice(column.as_bytes());
        text.extend_from_slice(b"\":");
        match cell {
            TableCell::Text(value) => {
                serde_json::to_writer(&mut *text, value).expect(INFALLIBLE);
            }
            number => append_cell(text, number),
        }
        separator = b',';
    }
    text.extend_from_slice(b"}\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_longer_than_the_csv_buffer_are_complete() {
        let long = "x,".repeat(5000);
        let mut text = Vec::new();
        append_csv(&mut text, &[TableCell::Text(&long), TableCell::Number(7)]);
        assert_eq!(String::from_utf8(text).unwrap(), format!("\"{long}\",7\n"));
    }

    proptest! {
        #[test]
        fn cosines_are_exact_to_a_millionth_of_a_per_cent(parts in 0u64..=100_000_000) {
            let mut text = Vec::new();
            append_cosine(&mut text, parts as f64 / 1e6);
            let text = String::from_utf8(text).unwrap();
            let decimals = text.split_once('.').unwrap().1;
            prop_assert!((4..=8).contains(&decimals.len()) && (decimals.len() == 4 || !decimals.ends_with('0')));
            prop_assert_eq!((text.parse::<f64>().unwrap() * 1e8).round() as u64, parts);
        }
    }
}
