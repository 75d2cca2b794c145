//! The one reader of pairs: recognises form and compression, and lists pairs one by one or by document.

use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use super::by_document::PairsByDocument;
use super::columns::{Columns, TableRow, for_each_row, parse_error};
use super::form::{PairForm, TableForm};
use super::id::{IdNames, id_of_name};
use super::lookup::{LineIndex, RowLookup};
use super::results::{self, ResultRow};
use crate::error::{Error, Result, excerpt};
use crate::files::input::{self, Lines, Reader, damaged};

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// A file with its first line read.
pub(super) struct FileStart {
    /// The first line without its line end.
    pub line: String,
    /// The whole content, without the byte order mark.
    pub reader: Reader,
    /// Length of the byte order mark.
    pub mark: u64,
    /// Whether the first line ends in CRLF.
    pub has_crlf: bool,
}

impl FileStart {
    /// Opens a file, or standard input for `-`, decompressing it if needed.
    pub fn open(path: &Path) -> Result<Self> {
        let mut reader = BufReader::new(input::open(path)?);
        let mut first = Vec::new();
        let outcome = reader.read_until(b'\n', &mut first);
        outcome.map_err(|error| parse_error(path, 1, "readable data", damaged(error)))?;
        let has_mark = first.starts_with(BYTE_ORDER_MARK);
        let mark = if has_mark { BYTE_ORDER_MARK.len() } else { 0 };
        first.drain(..mark);
        let line = String::from_utf8_lossy(&first).trim_end_matches(['\r', '\n']).to_string();
        let has_crlf = first.ends_with(b"\r\n");
        let reader = Box::new(Cursor::new(first).chain(reader));
        Ok(FileStart { line, reader, mark: mark as u64, has_crlf })
    }
}

/// Columns of a table of pairs.
const PAIR_COLUMNS: Columns =
    Columns { required: &["similarity", "document_1", "document_2"], optional: None };

/// Pair of documents as a file lists it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ListedPair<'a> {
    /// The line number, from 1.
    pub line: u64,
    /// The ids of the two documents.
    pub ids: [&'a str; 2],
    /// Their similarity in percent.
    pub similarity: f64,
}

/// Open file of pairs, whose form is known.
pub struct PairFile {
    path: PathBuf,
    form: PairForm,
    start: FileStart,
}

impl PairFile {
    /// Opens a file, or standard input for `-`. Form and compression are recognised by content.
    pub fn open(path: &Path) -> Result<Self> {
        let start = FileStart::open(path)?;
        let form = PairForm::of_content(path, &start.line);
        Ok(PairFile { path: path.to_path_buf(), form, start })
    }

    /// Returns whether the file is a table, which covers a whole collection.
    pub fn is_table(&self) -> bool {
        self.form != PairForm::ResultLines
    }

    /// Calls `visit` with every pair, in the order of the file. Result lines may list a pair under both documents; their groups are
    /// expanded, and names are decoded to ids, with `names` from numbers.
    pub fn for_each_pair(
        self,
        names: Option<&IdNames>,
        mut visit: impl FnMut(&ListedPair) -> Result<()>,
    ) -> Result<()> {
        let PairFile { path, form, start } = self;
        match form {
            PairForm::Table(form) => for_each_of_table(&path, form, start, &mut visit),
            PairForm::ResultLines => {
                let mut lines = Lines::over(start.reader, &path);
                while let Some(line) = lines.next_line()? {
                    for_each_of_row(&results::parse(&line, names)?, &mut visit)?;
                }
                Ok(())
            }
        }
    }

    /// Lists the pairs by document: the lines of a result, or the pairs of a table under both documents, in the order in which the
    /// table names them first. Temporary data of a table is written next to `beside`.
    pub fn rows<'n>(self, names: Option<&'n IdNames>, beside: &Path) -> Result<ResultRows<'n>> {
        let PairFile { path, form, start } = self;
        Ok(match form {
            PairForm::Table(form) => {
                ResultRows::Sorted(PairsByDocument::read(&path, form, start, beside)?)
            }
            PairForm::ResultLines => ResultRows::Lines(Lines::over(start.reader, &path), names),
        })
    }

    /// Lists the pairs by document, in any order. A file that is not a plain result is first copied next to `beside`.
    pub fn lookup<'n>(
        self,
        names: Option<&'n IdNames>,
        beside: &Path,
    ) -> Result<(LineIndex, RowLookup<'n>)> {
        let (path, mark) = (self.path.clone(), self.start.mark);
        let is_copied = self.is_table() || input::map_plain(&path)?.is_none();
        match self.form {
            PairForm::Table(_) => RowLookup::of_rows(&path, self.rows(None, beside)?, beside),
            PairForm::ResultLines => {
                let lines = Lines::over(self.start.reader, &path);
                RowLookup::of_lines(&path, lines, mark, names, is_copied.then_some(beside))
            }
        }
    }
}

/// Pairs listed by document.
pub enum ResultRows<'n> {
    /// Result lines, with the names of a numbered collection.
    Lines(Lines, Option<&'n IdNames>),
    /// Pairs of a table, sorted by document.
    Sorted(PairsByDocument),
}

impl ResultRows<'_> {
    /// Returns the next document with its matches, or `None` at the end.
    pub fn next_row(&mut self) -> Result<Option<ResultRow<'_>>> {
        match self {
            ResultRows::Lines(lines, names) => {
                lines.next_line()?.map(|line| results::parse(&line, *names)).transpose()
            }
            ResultRows::Sorted(pairs) => pairs.next_row(),
        }
    }
}

/// Calls `visit` with every pair of a table.
pub(super) fn for_each_of_table(
    path: &Path,
    form: TableForm,
    start: FileStart,
    visit: &mut dyn FnMut(&ListedPair) -> Result<()>,
) -> Result<()> {
    for_each_row(path, form, start, PAIR_COLUMNS, &mut |row: &TableRow| {
        let similarity = row.percent(0)?;
        let ids = [&*row.values[1], &*row.values[2]];
        if ids[0] == ids[1] {
            return Err(row.expected("two documents", ids[0]));
        }
        visit(&ListedPair { line: row.line, ids, similarity })
    })
}

/// Calls `visit` with every pair of a result line: those of its group, then those with every document of every match.
fn for_each_of_row(
    row: &ResultRow,
    visit: &mut dyn FnMut(&ListedPair) -> Result<()>,
) -> Result<()> {
    let heads: Vec<_> = row.head.0.iter().map(|name| id_of_name(name)).collect();
    let mut visit =
        |ids: [&str; 2], similarity| visit(&ListedPair { line: row.number, ids, similarity });
    for (position, head) in heads.iter().enumerate() {
        heads[position + 1..].iter().try_for_each(|other| visit([head, other], 100.0))?;
    }
    for (group, similarity) in &row.matches {
        for other in &group.0 {
            let other = id_of_name(other);
            heads.iter().try_for_each(|head| visit([head, &other], *similarity))?;
        }
    }
    Ok(())
}

/// Returns the error of a document that has more than one line.
pub(crate) fn repeated(path: &Path, line: u64, document: &str) -> Error {
    parse_error(path, line, "one line per document", format!("{} again", excerpt(document)))
}
