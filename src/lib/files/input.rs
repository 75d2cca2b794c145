//! Input files and standard input (`-`), decompressed, and lines that know their place for error messages.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::error::{Error, Result, excerpt, fallibly};
use crate::files::decompress::{Compression, decompressed};
use crate::files::limits::{self, InputFault, LineLimit, MAX_LINE_BYTES, MAX_LIST_BYTES};
use crate::files::streams::StandardStream;
use crate::files::{is_stream, name};

/// Bytes per read: 256 kB make system calls cheap.
const BUFFER: usize = 1 << 18;
/// Bytes of a line that an error message may show; lines can be longer than a copy of them should be.
const SHOWN_BYTES: usize = 1 << 12;

/// A source of bytes.
pub type Reader = Box<dyn Read + Send>;

/// Opens a file, or standard input for `-`.
pub(crate) fn open_raw(path: &Path) -> Result<Reader> {
    if is_stream(path) {
        StandardStream::Input.check()?;
        return Ok(Box::new(io::stdin()));
    }
    Ok(Box::new(File::open(path).map_err(|e| Error::io("open", path, e))?))
}

/// Opens a file of the pipeline, or standard input for `-`, and decompresses it if needed.
pub fn open(path: &Path) -> Result<Reader> {
    let opened = decompressed(open_raw(path)?, BUFFER, None);
    opened.map_err(|e| Error::io("read", path, e))
}

/// Decompresses an open file if needed.
pub(super) fn decompressed_file(file: File) -> io::Result<Reader> {
    decompressed(Box::new(file), BUFFER, None)
}

/// Expected at the end of every line.
pub(super) const NEWLINE: &str = "a newline at the end of the line";
/// The finding in a file that ends inside a line.
pub(super) const TRUNCATED: &str = "the end of the file (truncated?)";

/// Returns whether a path is a regular, uncompressed file, which can be read at any position.
pub(super) fn is_plain(path: &Path) -> Result<bool> {
    // Checked before it is opened: a pipe can be opened only once.
    if is_stream(path) || !std::fs::metadata(path).is_ok_and(|about| about.is_file()) {
        return Ok(false);
    }
    let detected = Compression::detect_in(&mut open_raw(path)?);
    Ok(detected.map_err(|e| Error::io("read", path, e))?.0 == Compression::Plain)
}

/// Reads a whole file, decompressed.
///
/// # Errors
/// A line longer than [`MAX_LINE_BYTES`], or a file larger than [`MAX_LIST_BYTES`].
pub fn read_all(path: &Path) -> Result<Vec<u8>> {
    let mut content = Vec::new();
    let read = limits::read_to_end(LineLimit::new(open(path)?), MAX_LIST_BYTES, &mut content);
    read.map_err(|error| read_error(path, error))?;
    Ok(content)
}

/// Returns the error of a file that cannot be read to its end, with the line of a fault.
pub(crate) fn read_error(path: &Path, error: io::Error) -> Error {
    match InputFault::of(&error) {
        Some(InputFault { expected, found, line: Some(line) }) => {
            Error::parse(path, *line, expected, found)
        }
        Some(fault) => Error::in_file(path, fault),
        None => Error::io("read", path, error),
    }
}

/// The lines of a file of the pipeline, each with its place.
pub struct Lines {
    reader: BufReader<Reader>,
    path: PathBuf,
    number: u64,
    buffer: Vec<u8>,
}

impl Lines {
    /// Opens the file.
    pub fn open(path: &Path) -> Result<Self> {
        Ok(Self::over(open(path)?, path))
    }

    /// Reads the lines of `reader`, whose content is that of the file at `path`.
    pub(super) fn over(reader: Reader, path: &Path) -> Self {
        let reader = BufReader::with_capacity(BUFFER, reader);
        Lines { reader, path: path.to_path_buf(), number: 0, buffer: Vec::new() }
    }

    /// Returns the next line without its newline, or `None` at the end. A last line without a newline is an error: the file was
    /// truncated, and the rest of the line may still look valid.
    pub fn next_line(&mut self) -> Result<Option<Line<'_>>> {
        self.buffer.clear();
        self.number += 1;
        let unreadable = |error| line_error(&self.path, self.number, &error);
        if read_line(&mut self.reader, &mut self.buffer).map_err(unreadable)? == 0 {
            return Ok(None);
        }
        whole_line(&mut self.buffer, &self.path, self.number).map(Some)
    }

    /// Returns the next line. Fails at the end of the file.
    pub fn need_line(&mut self, expected: &str) -> Result<Line<'_>> {
        let (path, number) = (self.path.clone(), self.number + 1);
        let ended = || Error::parse(&path, number, expected, "the end of the file");
        self.next_line()?.ok_or_else(ended)
    }
}

/// Reads a line with its newline, or up to the end of the file, and returns its length.
///
/// # Errors
/// A line longer than [`MAX_LINE_BYTES`], or too long for the memory there is.
pub(super) fn read_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<usize> {
    let before = line.len();
    loop {
        let bytes = match reader.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            bytes => bytes?,
        };
        let end = memchr::memchr(b'\n', bytes).map(|at| at + 1);
        let (is_last, count) = (end.is_some() || bytes.is_empty(), end.unwrap_or(bytes.len()));
        fallibly(|| line.try_reserve(count))?;
        line.extend_from_slice(&bytes[..count]);
        reader.consume(count);
        let length = line.len() - before;
        if (length - usize::from(end.is_some())) as u64 > MAX_LINE_BYTES {
            return Err(InputFault::line(None).into());
        }
        if is_last {
            return Ok(length);
        }
    }
}

/// Returns the error of a line that cannot be read.
pub(super) fn line_error(path: &Path, number: u64, error: &io::Error) -> Error {
    let (expected, found) = limits::unreadable(error);
    Error::parse(path, number, expected, found)
}

/// Turns bytes read up to a newline, or to the end of the file, into a line. Fails without the newline.
pub(super) fn whole_line<'a>(
    read: &'a mut Vec<u8>,
    path: &'a Path,
    number: u64,
) -> Result<Line<'a>> {
    if read.pop() != Some(b'\n') {
        return Err(Error::parse(path, number, NEWLINE, TRUNCATED));
    }
    Line::new(read, path, number)
}

/// One line and its place.
#[derive(Debug, Clone, Copy)]
pub struct Line<'a> {
    /// The line without its newline.
    pub text: &'a str,
    /// The file.
    pub path: &'a Path,
    /// The number of the line, from 1.
    pub number: u64,
}

impl<'a> Line<'a> {
    /// Returns the line of these bytes. Fails if they are not UTF-8.
    pub(super) fn new(bytes: &'a [u8], path: &'a Path, number: u64) -> Result<Self> {
        let found = || excerpt(&String::from_utf8_lossy(&bytes[..bytes.len().min(SHOWN_BYTES)]));
        let text =
            std::str::from_utf8(bytes).map_err(|_| Error::parse(path, number, "UTF-8", found()))?;
        Ok(Line { text, path, number })
    }

    /// Returns an error at this line.
    pub fn expected(&self, expected: impl Into<String>, found: &str) -> Error {
        Error::parse(self.path, self.number, expected, excerpt(found))
    }

    /// Parses a number in this line.
    pub fn number<T: FromStr>(&self, what: &str, text: &str) -> Result<T> {
        text.parse().map_err(|_| self.expected(what, text))
    }

    /// Parses a header line: the word, one space, a number.
    pub fn header<T: FromStr>(&self, word: &str) -> Result<T> {
        self.text
            .strip_prefix(word)
            .and_then(|rest| rest.strip_prefix(' '))
            .and_then(|number| number.parse().ok())
            .ok_or_else(|| self.expected(format!("'{word}' and a number"), self.text))
    }

    /// Splits a record into name, count and items: `name:count item …`.
    pub fn record(&self, what: &str) -> Result<(&'a str, usize, &'a str)> {
        let (head, items) = self.text.split_once(' ').unwrap_or((self.text, ""));
        let (name, count) = head.rsplit_once(':').ok_or_else(|| self.expected(what, head))?;
        Ok((name, self.number(what, count)?, items))
    }

    /// Returns a document name in this line, in its canonical spelling.
    pub fn name(&self, text: &'a str) -> Result<Cow<'a, str>> {
        name::canonical(text).ok_or_else(|| self.expected("a name with %XX escapes", text))
    }

    /// Checks the number of items in a record against its stated count.
    pub fn check_items(&self, what: &str, stated: usize, found: usize) -> Result<()> {
        if stated == found {
            return Ok(());
        }
        Err(self.expected(format!("{stated} {what}"), &found.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_with_their_newlines() {
        let mut reader = BufReader::with_capacity(3, &b"one line\n\nlast"[..]);
        let mut line = b"before ".to_vec();
        let lengths = [9, 1, 4, 0].map(|_| read_line(&mut reader, &mut line).unwrap());
        assert_eq!((lengths, &*line), ([9, 1, 4, 0], &b"before one line\n\nlast"[..]));
    }

    #[test]
    fn an_endless_line_is_an_error_at_its_place() {
        let text = io::Cursor::new(b"first\n").chain(io::repeat(0));
        let mut lines = Lines::over(Box::new(text), Path::new("f"));
        assert_eq!(lines.next_line().unwrap().unwrap().text, "first");
        let told = lines.next_line().unwrap_err().to_string();
        assert_eq!(told, "f:2: expected a line of at most 1073741824 bytes, found a longer one");
    }
}
