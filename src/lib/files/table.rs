//! Found pairs, clusters and removed documents as tables: tab-separated, comma-separated or JSON lines, as the file's name ends (before `.gz`, if it ends so).
//! Documents stand by their names, similarities as cosines from 0 to 1.
//!
//! ```text
//! pairs.tsv      similarity document_1 document_2
//! clusters.tsv   cluster size smallest mean cohesion document    one line a member, clusters numbered from 1
//! removed.tsv    removed kept
//! ```
//!
//! Where documents are compared with old ones, whose names may be the same, `from_1` and `from_2` (`from`; `kept_from`) say of each whether it is `old` or `new`.
//!
//! The first line names the columns. `.csv` has the same columns; `.jsonl` the same as keys, but one line a cluster, with its `documents` as a list. In `.tsv` a
//! name's tabs, newlines, carriage returns and backslashes are written `\t`, `\n`, `\r` and `\\`; all else stays as it is.
//! `cohesion` is `all` if smallest and mean tell of all pairs of members, `found_pairs` if only of those that were found.

use std::borrow::Cow;
use std::path::Path;

use crate::clusters::{Basis, Clusters, Cohesion, Removal};
use crate::error::{Error, Result};
use crate::files::decimal::append_number;
use crate::files::output::{Output, Part};
use crate::search::Pair;

const INFALLIBLE: &str = "writing to memory does not fail";

/// Room for a row of CSV; longer ones are written in pieces.
const ROW: usize = 512;

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableFormat {
    /// Columns separated by tabs, `.tsv`.
    Tsv,
    /// Columns separated by commas, `.csv`.
    Csv,
    /// One JSON object a line, `.jsonl`.
    Jsonl,
}

impl TableFormat {
    /// The format that a file's name asks for. A name without an ending, standard output among them, is tab-separated.
    pub fn of(path: &Path) -> Result<Self> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        match name.rsplit_once('.').map(|(_, ending)| ending) {
            Some("tsv") | None => Ok(TableFormat::Tsv),
            Some("csv") => Ok(TableFormat::Csv),
            Some("jsonl") => Ok(TableFormat::Jsonl),
            Some(_) => Err(Error::Usage(format!(
                "{}: the name must end in .tsv, .csv or .jsonl, or these and .gz",
                path.display()
            ))),
        }
    }
}

/// What stands in one column of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell<'a> {
    /// A name.
    Text(&'a str),
    /// A count.
    Number(u64),
    /// A similarity in per cent, written as a cosine.
    Similarity(f64),
}

/// A table being written, row by row.
pub struct Table {
    out: Output,
    format: TableFormat,
    columns: &'static [&'static str],
    row: Vec<u8>,
}

impl Table {
    /// Begins a table in the format of its name, with the names of its columns where the format has such a line.
    pub fn create(path: &Path, columns: &'static [&'static str]) -> Result<Self> {
        let format = TableFormat::of(path)?;
        let mut table = Table { out: Output::create(path)?, format, columns, row: Vec::new() };
        if format != TableFormat::Jsonl {
            let names: Vec<Cell> = columns.iter().map(|column| Cell::Text(column)).collect();
            table.row(&names)?;
        }
        Ok(table)
    }

    /// Writes a row: one cell for each column.
    pub fn row(&mut self, cells: &[Cell]) -> Result<()> {
        debug_assert_eq!(cells.len(), self.columns.len());
        self.row.clear();
        match self.format {
            TableFormat::Tsv => append_tsv(&mut self.row, cells),
            TableFormat::Csv => append_csv(&mut self.row, cells),
            TableFormat::Jsonl => append_object(&mut self.row, self.columns, cells),
        }
        self.out.write(&self.row)
    }

    /// Completes the content, but leaves it under its temporary name.
    pub fn close(self) -> Result<Part> {
        self.out.close()
    }
}

/// Whether a table's documents are old or new: told only where there are old ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sides {
    first_new: u32,
}

impl Sides {
    /// Documents before this one are old.
    pub fn new(first_new: u32) -> Self {
        Sides { first_new }
    }

    /// The columns of a table: the first ones, and those about sides if these are told.
    fn columns(self, all: &'static [&'static str], told: usize) -> &'static [&'static str] {
        if self.first_new == 0 { &all[..all.len() - told] } else { all }
    }

    fn of(self, document: u32) -> &'static str {
        if document < self.first_new { "old" } else { "new" }
    }
}

/// The columns of a table of pairs.
const PAIRS: &[&str] = &["similarity", "document_1", "document_2", "from_1", "from_2"];

/// Found pairs, written as they come.
pub struct PairTable {
    table: Table,
    sides: Sides,
}

impl PairTable {
    /// Begins the table.
    pub fn create(path: &Path, sides: Sides) -> Result<Self> {
        Ok(PairTable { table: Table::create(path, sides.columns(PAIRS, 2))?, sides })
    }

    /// Writes a pair; `name` tells the documents' names.
    pub fn pair<'a>(&mut self, pair: &Pair, name: impl Fn(u32) -> &'a str) -> Result<()> {
        let cells = [
            Cell::Similarity(pair.similarity),
            Cell::Text(name(pair.low)),
            Cell::Text(name(pair.high)),
            Cell::Text(self.sides.of(pair.low)),
            Cell::Text(self.sides.of(pair.high)),
        ];
        self.table.row(&cells[..self.table.columns.len()])
    }

    /// Completes the content, but leaves it under its temporary name.
    pub fn close(self) -> Result<Part> {
        self.table.close()
    }
}

/// The columns of a table of clusters.
const CLUSTERS: &[&str] = &["cluster", "size", "smallest", "mean", "cohesion", "document", "from"];

/// Writes clusters and the cohesion of each; `name` tells the documents' names. The content is left under its temporary name.
pub fn write_clusters<'a>(
    path: &Path,
    clusters: &Clusters,
    cohesion: &[Cohesion],
    sides: Sides,
    name: impl Fn(u32) -> &'a str,
) -> Result<Part> {
    assert_eq!(clusters.len(), cohesion.len(), "each cluster has its cohesion");
    let mut table = Table::create(path, sides.columns(CLUSTERS, 1))?;
    for (number, (members, cohesion)) in (1..).zip(clusters.iter().zip(cohesion)) {
        let head = head(number, members.len(), cohesion);
        if table.format == TableFormat::Jsonl {
            table.out.write(&cluster_object(&head, members, sides, &name))?;
            continue;
        }
        for member in members {
            let [number, size, smallest, mean, basis] = head;
            let document = [Cell::Text(name(*member)), Cell::Text(sides.of(*member))];
            let cells = [number, size, smallest, mean, basis, document[0], document[1]];
            table.row(&cells[..table.columns.len()])?;
        }
    }
    table.close()
}

/// All that is told of a cluster but its members.
fn head(number: u64, size: usize, cohesion: &Cohesion) -> [Cell<'static>; 5] {
    let basis = match cohesion.basis {
        Basis::All => "all",
        Basis::FoundPairsOnly => "found_pairs",
    };
    [
        Cell::Number(number),
        Cell::Number(size as u64),
        Cell::Similarity(cohesion.smallest),
        Cell::Similarity(cohesion.mean),
        Cell::Text(basis),
    ]
}

/// A cluster as a line of JSON.
fn cluster_object<'a>(
    head: &[Cell; 5],
    members: &[u32],
    sides: Sides,
    name: &impl Fn(u32) -> &'a str,
) -> Vec<u8> {
    let mut line = Vec::new();
    append_object(&mut line, &CLUSTERS[..head.len()], head);
    line.truncate(line.len() - "}\n".len());
    line.extend_from_slice(b",\"documents\":");
    append_list(&mut line, members, name);
    if sides.first_new > 0 {
        line.extend_from_slice(b",\"from\":");
        append_list(&mut line, members, |member| sides.of(member));
    }
    line.extend_from_slice(b"}\n");
    line
}

fn append_list<'a>(line: &mut Vec<u8>, members: &[u32], text: impl Fn(u32) -> &'a str) {
    let texts: Vec<&str> = members.iter().map(|member| text(*member)).collect();
    serde_json::to_writer(line, &texts).expect(INFALLIBLE);
}

/// The columns of a table of removed documents.
const REMOVED: &[&str] = &["removed", "kept", "kept_from"];

/// Writes the documents that were removed, each with the one that was kept; `name` tells their names. The content is left under its temporary name.
pub fn write_removals<'a>(
    path: &Path,
    removals: &[Removal],
    sides: Sides,
    name: impl Fn(u32) -> &'a str,
) -> Result<Part> {
    let mut table = Table::create(path, sides.columns(REMOVED, 1))?;
    for Removal { document, kept_instead } in removals {
        let side = sides.of(*kept_instead);
        let cells = [name(*document), name(*kept_instead), side].map(Cell::Text);
        table.row(&cells[..table.columns.len()])?;
    }
    table.close()
}

/// Appends a similarity in per cent as a cosine: eight decimals at most, which tell a millionth of a per cent, and four at least.
pub fn append_cosine(text: &mut Vec<u8>, similarity: f64) {
    const WHOLE: u64 = 100_000_000;
    const PLACES: usize = 8;
    const SHOWN: usize = 4;
    let parts = (similarity * 1e6).round() as u64;
    append_number(text, parts / WHOLE);
    text.push(b'.');
    let decimals = format!("{:0PLACES$}", parts % WHOLE);
    let shown = decimals.trim_end_matches('0').len().max(SHOWN);
    text.extend_from_slice(&decimals.as_bytes()[..shown]);
}

fn append_cell(text: &mut Vec<u8>, cell: &Cell) {
    match cell {
        Cell::Text(name) => text.extend_from_slice(name.as_bytes()),
        Cell::Number(number) => append_number(text, *number),
        Cell::Similarity(similarity) => append_cosine(text, *similarity),
    }
}

fn append_tsv(text: &mut Vec<u8>, cells: &[Cell]) {
    for (place, cell) in cells.iter().enumerate() {
        if place > 0 {
            text.push(b'\t');
        }
        match cell {
            Cell::Text(name) => text.extend_from_slice(escape(name).as_bytes()),
            number => append_cell(text, number),
        }
    }
    text.push(b'\n');
}

fn append_csv(text: &mut Vec<u8>, cells: &[Cell]) {
    let mut writer = csv::WriterBuilder::new().buffer_capacity(ROW).from_writer(text);
    let mut number = Vec::new();
    for cell in cells {
        number.clear();
        append_cell(&mut number, cell);
        writer.write_field(&number).expect(INFALLIBLE);
    }
    writer.write_record(None::<&[u8]>).expect(INFALLIBLE);
    writer.flush().expect(INFALLIBLE);
}

fn append_object(text: &mut Vec<u8>, columns: &[&str], cells: &[Cell]) {
    let mut before = b'{';
    for (column, cell) in columns.iter().zip(cells) {
        text.extend_from_slice(&[before, b'"']);
        text.extend_from_slice(column.as_bytes());
        text.extend_from_slice(b"\":");
        match cell {
            Cell::Text(name) => serde_json::to_writer(&mut *text, name).expect(INFALLIBLE),
            number => append_cell(text, number),
        }
        before = b',';
    }
    text.extend_from_slice(b"}\n");
}

/// A name as it stands in tab-separated files.
pub fn escape(name: &str) -> Cow<'_, str> {
    if !name.contains(['\t', '\n', '\r', '\\']) {
        return Cow::Borrowed(name);
    }
    let mut escaped = String::with_capacity(name.len() + 8);
    for character in name.chars() {
        match character {
            '\t' => escaped.push_str("\\t"),
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\\' => escaped.push_str("\\\\"),
            other => escaped.push(other),
        }
    }
    Cow::Owned(escaped)
}

/// The name that stands so in a tab-separated file, or `None` where a backslash is not followed by one of `t`, `n`, `r` and itself.
pub fn unescape(escaped: &str) -> Option<Cow<'_, str>> {
    if !escaped.contains('\\') {
        return Some(Cow::Borrowed(escaped));
    }
    let mut name = String::with_capacity(escaped.len());
    let mut characters = escaped.chars();
    while let Some(character) = characters.next() {
        name.push(match character {
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
    Some(Cow::Owned(name))
}

#[cfg(test)]
mod tests;
