//! The one reader of pairs: recognises form and compression, and lists pairs one by one or by document.

use std::io::{BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use super::by_document::{ENTRIES_PER_RUN, PairsByDocument};
use super::columns::{Columns, for_each_row};
use super::form::TableForm;
use super::lookup::{LineIndex, RowLookup};
use super::results::{self, ResultRow};
use crate::error::{Error, Result, excerpt};
use crate::files::ids::IdNames;
use crate::files::input::{self, Lines, Reader};
use crate::files::name::id_of_name;

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// A file with its first line read.
pub(super) struct FileStart {
    pub path: PathBuf,
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
        let outcome = input::read_line(&mut reader, &mut first);
        outcome.map_err(|error| input::line_error(path, 1, &error))?;
        let has_mark = first.starts_with(BYTE_ORDER_MARK);
        let mark = if has_mark { BYTE_ORDER_MARK.len() } else { 0 };
        first.drain(..mark);
        let line = String::from_utf8_lossy(&first).trim_end_matches(['\r', '\n']).to_string();
        let has_crlf = first.ends_with(b"\r\n");
        let reader = Box::new(Cursor::new(first).chain(reader));
        Ok(FileStart { path: path.to_path_buf(), line, reader, mark: mark as u64, has_crlf })
    }

    /// Returns all lines.
    pub fn lines(self) -> Lines {
        Lines::over(self.reader, &self.path)
    }
}

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
    /// The form of a table; `None` for result lines.
    pub(super) form: Option<TableForm>,
    pub(super) start: FileStart,
}

impl PairFile {
    /// Opens a file, or standard input for `-`. Form and compression are recognised by content.
    pub fn open(path: &Path) -> Result<Self> {
        let start = FileStart::open(path)?;
        Ok(PairFile { form: TableForm::of_pairs(path, &start.line), start })
    }

    /// Returns whether the file is a table, which covers a whole collection.
    pub fn is_table(&self) -> bool {
        self.form.is_some()
    }

    /// Calls `visit` with every pair, in the order of the file. Result lines may list a pair under both documents; their groups are
    /// expanded, and names are decoded to ids, with `names` from numbers.
    pub fn for_each_pair(
        self,
        names: Option<&IdNames>,
        mut visit: impl FnMut(&ListedPair) -> Result<()>,
    ) -> Result<()> {
        if let Some(form) = self.form {
            return for_each_of_table(self.start, form, &mut visit);
        }
        let mut lines = self.start.lines();
        while let Some(line) = lines.next_line()? {
            for_each_of_row(&results::parse(&line, names)?, &mut visit)?;
        }
        Ok(())
    }

    /// Lists the pairs by document: the lines of a result, or the pairs of a table under both documents, in the order in which the
    /// table names them first. Temporary data of a table is written next to `beside`.
    pub fn rows<'n>(self, names: Option<&'n IdNames>, beside: &Path) -> Result<ResultRows<'n>> {
        let Some(form) = self.form else {
            return Ok(ResultRows::Lines(self.start.lines(), names));
        };
        PairsByDocument::read(self.start, form, beside, ENTRIES_PER_RUN).map(ResultRows::Sorted)
    }

    /// Lists the pairs by document, in any order. A file that is not a plain result is first copied next to `beside`.
    pub fn lookup<'n>(
        self,
        names: Option<&'n IdNames>,
        beside: &Path,
    ) -> Result<(LineIndex, RowLookup<'n>)> {
        if self.is_table() {
            let path = self.start.path.clone();
            return RowLookup::of_rows(&path, self.rows(None, beside)?, beside);
        }
        let is_plain = input::is_plain(&self.start.path)?;
        RowLookup::of_lines(self.start, names, (!is_plain).then_some(beside))
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
    start: FileStart,
    form: TableForm,
    visit: &mut dyn FnMut(&ListedPair) -> Result<()>,
) -> Result<()> {
    let columns = Columns { names: &["similarity", "document_1", "document_2"], required: 3 };
    for_each_row(start, form, &columns, &mut |row| {
        let similarity = row.percent(0)?;
        let ids = [&*row.values[1], &*row.values[2]];
        if ids.contains(&"") {
            return Err(row.expected("the id of a document", ""));
        }
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
    let heads: Vec<_> = row.head.iter().map(|name| id_of_name(name)).collect();
    let mut visit =
        |ids: [&str; 2], similarity| visit(&ListedPair { line: row.number, ids, similarity });
    for (position, head) in heads.iter().enumerate() {
        heads[position + 1..].iter().try_for_each(|other| visit([head, other], 100.0))?;
    }
    for (group, similarity) in &row.matches {
        for other in group {
            let other = id_of_name(other);
            heads.iter().try_for_each(|head| visit([head, &other], *similarity))?;
        }
    }
    Ok(())
}

/// Returns the error of a document that has more than one line.
pub(crate) fn repeated(path: &Path, line: u64, document: &str) -> Error {
    Error::parse(path, line, "one line per document", format!("{} again", excerpt(document)))
}
