//! Result lines found by document.
//!
//! One pass over the file records where the line of every document begins, and its hash; then lines are read one at a time, on demand, and
//! refused if they have changed. Memory: the documents' names with sixteen bytes each and sixteen bytes per line, however many matches they
//! have. Results of one collection list documents in nearly the same order, so reading one in the order of another is nearly sequential.
//!
//! A file that cannot be read at any position (compressed, a pipe, a table) is first copied to a temporary file without a name.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;
use twox_hash::XxHash3_64;

use super::read::{FileStart, ResultRows, repeated};
use super::results::{ResultRow, parse, parse_head};
use crate::error::{Error, Result};
use crate::files::ids::IdNames;
use crate::files::input::{read_line, whole_line};
use crate::files::temporary::{temporary_error, temporary_file};

/// Bytes read at once: several lines, so that the next one is often in memory, but little waste where it is not.
const BUFFER: usize = 1 << 16;

/// What has happened to a file whose lines are not where they were.
const CHANGED: &str = "changed while it was read";

/// Lines of the documents of a result, and the documents queried so far.
#[derive(Default)]
pub struct LineIndex(FxHashMap<Box<str>, IndexEntry>);

#[derive(Clone, Copy)]
struct IndexEntry {
    /// The position of the line, from 0, or [`NO_LINE`].
    line: usize,
    is_queried: bool,
}

/// Line of a document that was queried but has none.
const NO_LINE: usize = usize::MAX;

impl LineIndex {
    /// Adds the line of a document. Returns whether it is the first.
    fn insert(&mut self, document: &str, line: usize) -> bool {
        self.0.insert(document.into(), IndexEntry { line, is_queried: false }).is_none()
    }

    /// Returns the line of a document: `Some(None)` if it has none, `None` if the document was queried before.
    pub fn query(&mut self, document: &str) -> Option<Option<usize>> {
        let Some(entry) = self.0.get_mut(document) else {
            self.0.insert(document.into(), IndexEntry { line: NO_LINE, is_queried: true });
            return Some(None);
        };
        let was_queried = std::mem::replace(&mut entry.is_queried, true);
        (!was_queried).then_some((entry.line != NO_LINE).then_some(entry.line))
    }

    /// Returns whether the document was queried.
    pub fn is_queried(&self, document: &str) -> bool {
        self.0.get(document).is_some_and(|entry| entry.is_queried)
    }

    /// Returns the lines with a document that was not queried, in the order of the file.
    pub fn remaining_lines(&self) -> Vec<usize> {
        let remaining = self.0.values().filter(|entry| !entry.is_queried);
        let mut lines: Vec<usize> = remaining.map(|entry| entry.line).collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    }
}

/// Where a line begins, and the hash of its text.
struct LinePlace {
    start: u64,
    hash: u64,
}

impl LinePlace {
    fn new(start: u64, text: &str) -> Self {
        LinePlace { start, hash: XxHash3_64::oneshot(text.as_bytes()) }
    }
}

/// Lines of a result, read in any order.
pub struct RowLookup<'n> {
    path: PathBuf,
    names: Option<&'n IdNames>,
    reader: BufReader<File>,
    /// Offset of the reader.
    offset: u64,
    /// Offsets and hashes of the lines.
    lines: Vec<LinePlace>,
    buffer: Vec<u8>,
}

impl<'n> RowLookup<'n> {
    /// Indexes the lines of a result; copies them next to `copy_beside`, if given.
    pub(super) fn of_lines(
        start: FileStart,
        names: Option<&'n IdNames>,
        copy_beside: Option<&Path>,
    ) -> Result<(LineIndex, Self)> {
        let path = start.path.clone();
        let mut copy = copy_beside.map(LineCopy::create).transpose()?;
        let mut offset = if copy.is_some() { 0 } else { start.mark };
        let (mut index, mut places) = (LineIndex::default(), Vec::new());
        let mut lines = start.lines();
        while let Some(line) = lines.next_line()? {
            for document in &parse_head(&line, names)? {
                if !index.insert(document, places.len()) {
                    return Err(repeated(&path, line.number, document));
                }
            }
            copy.as_mut().map(|copy| copy.write(line.text)).transpose()?;
            places.push(LinePlace::new(offset, line.text));
            offset += line.text.len() as u64 + 1;
        }
        let file = match copy {
            Some(copy) => copy.finish()?,
            None => File::open(&path).map_err(|error| Error::io("open", &path, error))?,
        };
        Ok((index, Self::new(&path, file, places, names)))
    }

    /// Copies rows as result lines next to `beside`, and indexes them.
    pub(super) fn of_rows(
        path: &Path,
        mut rows: ResultRows,
        beside: &Path,
    ) -> Result<(LineIndex, Self)> {
        let mut copy = LineCopy::create(beside)?;
        let (mut index, mut places, mut offset) = (LineIndex::default(), Vec::new(), 0);
        let mut line = String::new();
        while let Some(row) = rows.next_row()? {
            index.insert(row.first(), places.len());
            line.clear();
            row.append_to(&mut line);
            copy.write(&line)?;
            places.push(LinePlace::new(offset, &line));
            offset += line.len() as u64 + 1;
        }
        Ok((index, Self::new(path, copy.finish()?, places, None)))
    }

    fn new(path: &Path, file: File, lines: Vec<LinePlace>, names: Option<&'n IdNames>) -> Self {
        let reader = BufReader::with_capacity(BUFFER, file);
        RowLookup { path: path.into(), names, reader, offset: 0, lines, buffer: Vec::new() }
    }

    /// Returns the row of a document at a line, counted from 0. Fails if the file has changed since it was indexed.
    pub fn row_of(&mut self, line: usize, document: &str) -> Result<ResultRow<'_>> {
        let path = self.path.clone();
        let row = self.row(line)?;
        if row.head.iter().any(|name| name == document) {
            return Ok(row);
        }
        Err(Error::in_file(&path, CHANGED))
    }

    /// Returns the row at a line, counted from 0. Fails if the line has changed since it was indexed.
    pub fn row(&mut self, line: usize) -> Result<ResultRow<'_>> {
        let LinePlace { start, hash } = self.lines[line];
        let failed = |error| Error::io("read", &self.path, error);
        self.reader.seek_relative(start.wrapping_sub(self.offset) as i64).map_err(failed)?;
        self.buffer.clear();
        read_line(&mut self.reader, &mut self.buffer).map_err(failed)?;
        self.offset = start + self.buffer.len() as u64;
        let text = self.buffer.strip_suffix(b"\n").unwrap_or(&self.buffer);
        if XxHash3_64::oneshot(text) != hash {
            return Err(Error::in_file(&self.path, CHANGED));
        }
        parse(&whole_line(&mut self.buffer, &self.path, line as u64 + 1)?, self.names)
    }
}

/// Lines of a file, copied to a temporary file without a name.
struct LineCopy<'a> {
    file: BufWriter<File>,
    beside: &'a Path,
}

impl<'a> LineCopy<'a> {
    fn create(beside: &'a Path) -> Result<Self> {
        Ok(LineCopy { file: BufWriter::new(temporary_file(beside)?), beside })
    }

    fn write(&mut self, line: &str) -> Result<()> {
        let written = self.file.write_all(line.as_bytes());
        let written = written.and_then(|()| self.file.write_all(b"\n"));
        written.map_err(|error| temporary_error(self.beside, error))
    }

    fn finish(self) -> Result<File> {
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error);
        let rewound = file.and_then(|mut file| file.rewind().map(|()| file));
        rewound.map_err(|error| temporary_error(self.beside, error))
    }
}
