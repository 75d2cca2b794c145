//! Input files and standard input (`-`): decompression by content (gzip, Zstandard) and lines that know their place for error messages.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use flate2::bufread::MultiGzDecoder;
use memmap2::Mmap;

use crate::error::{Error, Result, excerpt};
use crate::files::map::map_file;
use crate::files::streams::StandardStream;
use crate::files::{is_stream, name};

/// The first bytes of a gzip file: the magic number and the one compression method in use.
const GZIP_MAGIC: [u8; 3] = [0x1f, 0x8b, 8];
/// The first bytes of a Zstandard frame.
const ZSTANDARD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The last three of the first four bytes of a skippable Zstandard frame; some compressors begin with one.
const SKIPPABLE_FRAME: [u8; 3] = [0x2a, 0x4d, 0x18];
/// The length of the longest magic number.
const MAGIC_LENGTH: u64 = ZSTANDARD_MAGIC.len() as u64;
/// Bytes per read: 256 kB make system calls cheap.
const BUFFER: usize = 1 << 18;

/// A source of bytes.
pub type Reader = Box<dyn Read + Send>;

/// The compression of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// None.
    Plain,
    /// gzip.
    Gzip,
    /// Zstandard.
    Zstandard,
}

impl Compression {
    /// Detects the compression of a file from its first bytes.
    pub fn detect(start: &[u8]) -> Self {
        let is_skippable = start.first().is_some_and(|byte| byte >> 4 == 5)
            && start[1..].starts_with(&SKIPPABLE_FRAME);
        if start.starts_with(&GZIP_MAGIC) {
            Compression::Gzip
        } else if start.starts_with(&ZSTANDARD_MAGIC) || is_skippable {
            Compression::Zstandard
        } else {
            Compression::Plain
        }
    }
}

/// Opens a file, or standard input for `-`.
pub(crate) fn open_raw(path: &Path) -> Result<Reader> {
    if is_stream(path) {
        StandardStream::Input.check()?;
        return Ok(Box::new(io::stdin()));
    }
    Ok(Box::new(File::open(path).map_err(|e| Error::io("open", path, e))?))
}

/// Opens a file, or standard input for `-`, and decompresses it if needed.
pub fn open(path: &Path) -> Result<Reader> {
    decompressed(open_raw(path)?).map_err(|e| Error::io("read", path, e))
}

/// Decompresses `raw` if needed.
pub fn decompressed(raw: Reader) -> io::Result<Reader> {
    decompressed_by(raw, BUFFER)
}

/// Like [`decompressed`], but reads at most `buffer` bytes of `raw` ahead.
pub(crate) fn decompressed_by(mut raw: Reader, buffer: usize) -> io::Result<Reader> {
    let mut start = Vec::with_capacity(MAGIC_LENGTH as usize);
    raw.by_ref().take(MAGIC_LENGTH).read_to_end(&mut start)?;
    let compression = Compression::detect(&start);
    let whole = Cursor::new(start).chain(raw);
    Ok(match compression {
        Compression::Plain => Box::new(whole),
        Compression::Gzip => Box::new(MultiGzDecoder::new(BufReader::with_capacity(buffer, whole))),
        Compression::Zstandard => {
            Box::new(zstd::Decoder::with_buffer(BufReader::with_capacity(buffer, whole))?)
        }
    })
}

/// Expected at the end of every line.
pub(super) const NEWLINE: &str = "a newline at the end of the line";
/// The finding in a file that ends inside a line.
pub(super) const TRUNCATED: &str = "the end of the file (truncated?)";

/// Returns the finding in a file whose rest cannot be decompressed.
pub(crate) fn damaged(error: impl std::fmt::Display) -> String {
    format!("{error} (damaged or truncated file?)")
}

/// Maps a regular, uncompressed file into memory. Returns `None` for everything else.
pub fn map_plain(path: &Path) -> Result<Option<Mmap>> {
    if is_stream(path) {
        return Ok(None);
    }
    let open = |e| Error::io("open", path, e);
    // Checked before it is opened: a pipe can be opened only once.
    if !std::fs::metadata(path).map_err(open)?.is_file() {
        return Ok(None);
    }
    let file = File::open(path).map_err(open)?;
    let read = |e| Error::io("read", path, e);
    let map = map_file(&file).map_err(read)?;
    Ok((Compression::detect(&map) == Compression::Plain).then_some(map))
}

/// Reads a whole file, decompressed.
pub fn read_all(path: &Path) -> Result<Vec<u8>> {
    let mut content = Vec::new();
    open(path)?.read_to_end(&mut content).map_err(|e| Error::io("read", path, e))?;
    Ok(content)
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
        match self.reader.read_until(b'\n', &mut self.buffer) {
            Ok(0) => return Ok(None),
            Ok(_) => {}
            Err(e) => {
                return Err(Error::parse(&self.path, self.number, "readable data", damaged(e)));
            }
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
        let found = || excerpt(&String::from_utf8_lossy(bytes));
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

    fn read_back(stored: &[u8]) -> io::Result<Vec<u8>> {
        let mut content = Vec::new();
        decompressed(Box::new(Cursor::new(stored.to_vec())))?.read_to_end(&mut content)?;
        Ok(content)
    }

    #[test]
    fn concatenated_frames_are_one_file() {
        let frame = |text: &[u8]| zstd::encode_all(text, 3).unwrap();
        let skippable = [&[0x53, 0x2a, 0x4d, 0x18, 2, 0, 0, 0][..], b"xy"].concat();
        let all = [skippable, frame(b"one "), frame(b"two")].concat();
        assert_eq!(read_back(&all).unwrap(), b"one two");
        assert!(read_back(&all[..all.len() - 1]).is_err());
        for plain in [&b""[..], b"(", &[0x28, 0xb5, 0x2f], b"S*M"] {
            assert_eq!(read_back(plain).unwrap(), plain);
        }
    }
}
