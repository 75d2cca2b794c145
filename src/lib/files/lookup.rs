//! A result whose lines are found by document.
//!
//! One pass over the file notes where the line of every document begins; after that lines are read as they are asked for, one at a time. In memory are
//! the documents' names, once, with sixteen bytes each and eight a line, whatever the number of their matches. Results of one collection have
//! their lines in nearly the same order, so that asking for the lines of one in the order of another reads nearly straight on.
//!
//! What cannot be read twice or at any place (a compressed file, a pipe) is copied, decompressed, to a temporary file first, which goes when it is no longer needed.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use super::input::{self, Lines, whole_line};
use super::is_stream;
use super::output::{Output, Part, with_suffix};
use super::result::{Row, parse, parse_head};
use crate::error::{Error, Result};

/// Bytes that are read at once: some lines, so that the next one is often there already, but not much more than is used where it is not.
const BUFFER: usize = 1 << 16;

/// Opens a result. `beside` is a file to be written, beside which a temporary file may stand.
pub fn open(path: &Path, beside: &Path) -> Result<(Heads, Text)> {
    let is_plain = input::map_plain(path)?.is_some();
    let copy = (!is_plain).then(|| Output::create(&temporary(beside))).transpose()?;
    let (heads, starts, copy) = index(path, copy)?;
    let readable = copy.as_ref().and_then(Part::path).unwrap_or(path);
    let file = File::open(readable).map_err(|e| Error::io("open", readable, e))?;
    let reader = BufReader::with_capacity(BUFFER, file);
    let path = path.to_path_buf();
    Ok((heads, Text { path, reader, at: 0, starts, buffer: Vec::new(), _copy: copy }))
}

/// Where the copy stands. Beside standard output or a device there is no place: then where the system keeps such files.
fn temporary(beside: &Path) -> PathBuf {
    let is_special = fs::metadata(beside).is_ok_and(|about| !about.is_file());
    if is_stream(beside) || is_special {
        return std::env::temp_dir().join(format!("nearsig-{}-lines", std::process::id()));
    }
    with_suffix(beside, "-lines")
}

/// Reads the file once: whose lines it has, where they begin, and the copy, if one is wanted.
fn index(path: &Path, mut copy: Option<Output>) -> Result<(Heads, Vec<u64>, Option<Part>)> {
    let (mut heads, mut starts, mut at) = (Heads::default(), Vec::new(), 0);
    let mut lines = Lines::open(path)?;
    while let Some(line) = lines.next_line()? {
        for document in &parse_head(&line)?.0 {
            if !heads.put(document, starts.len()) {
                return Err(twice(path, line.number, document));
            }
        }
        if let Some(copy) = &mut copy {
            copy.write(line.text.as_bytes())?;
            copy.write(b"\n")?;
        }
        starts.push(at);
        at += line.text.len() as u64 + 1;
    }
    Ok((heads, starts, copy.map(Output::close).transpose()?))
}

/// A document that has more than one line.
pub fn twice(path: &Path, line: u64, document: &str) -> Error {
    Error::Message(format!("{}:{line}: '{document}' has a line already", path.display()))
}

/// The documents of a result, and of those asked for, by name.
#[derive(Default)]
pub struct Heads(FxHashMap<Box<str>, Head>);

#[derive(Clone, Copy)]
struct Head {
    /// The number of its line, counted from 0, or [`NO_LINE`].
    line: usize,
    was_asked: bool,
}

/// Instead of a line: the document has none.
const NO_LINE: usize = usize::MAX;

impl Heads {
    /// Takes a document's line; whether it had none yet.
    fn put(&mut self, document: &str, line: usize) -> bool {
        self.0.insert(document.into(), Head { line, was_asked: false }).is_none()
    }

    /// The line of a document that was not asked for before: `Some(None)` if it has none, `None` if it was asked for already.
    pub fn ask(&mut self, document: &str) -> Option<Option<usize>> {
        let Some(head) = self.0.get_mut(document) else {
            self.0.insert(document.into(), Head { line: NO_LINE, was_asked: true });
            return Some(None);
        };
        let was_asked = std::mem::replace(&mut head.was_asked, true);
        (!was_asked).then_some((head.line != NO_LINE).then_some(head.line))
    }

    /// Whether the document was asked for.
    pub fn was_asked(&self, document: &str) -> bool {
        self.0.get(document).is_some_and(|head| head.was_asked)
    }

    /// The lines that have a document that was not asked for, in the file's order.
    pub fn lines_left(&self) -> Vec<usize> {
        let left = self.0.values().filter(|head| !head.was_asked);
        let mut lines: Vec<usize> = left.map(|head| head.line).collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    }
}

/// The lines of a result, to be read in any order.
pub struct Text {
    path: PathBuf,
    reader: BufReader<File>,
    /// Where the reader is.
    at: u64,
    /// Where the lines begin.
    starts: Vec<u64>,
    buffer: Vec<u8>,
    _copy: Option<Part>,
}

impl Text {
    /// The line with this number, counted from 0.
    pub fn row(&mut self, line: usize) -> Result<Row<'_>> {
        let start = self.starts[line];
        let read = |e| Error::io("read", &self.path, e);
        self.reader.seek_relative(start.wrapping_sub(self.at) as i64).map_err(read)?;
        self.buffer.clear();
        self.reader.read_until(b'\n', &mut self.buffer).map_err(read)?;
        self.at = start + self.buffer.len() as u64;
        parse(&whole_line(&mut self.buffer, &self.path, line as u64 + 1)?)
    }

    /// An error if the line is not, as it was before, about this document.
    pub fn check(row: &Row<'_>, path: &Path, document: &str) -> Result<()> {
        if row.head.0.iter().any(|name| name == document) {
            return Ok(());
        }
        Err(Error::Message(format!("{}: changed while it was read", path.display())))
    }
}
