//! Reading: plain, gzip or Zstandard by the first bytes, from a file or from standard input (`-`), line by line with the place
//! at hand for error messages.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use flate2::bufread::MultiGzDecoder;
use memmap2::Mmap;

use crate::error::{Error, Result, excerpt};
use crate::files::{is_stream, name};

/// The first bytes of a gzip file: the magic number and the only compression method there is.
const GZIP_START: [u8; 3] = [0x1f, 0x8b, 8];
/// The first bytes of a frame of Zstandard.
const ZSTANDARD_START: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The last three of the first four bytes of a frame that decoders skip; some compressors begin with one.
const SKIPPED_FRAME: [u8; 3] = [0x2a, 0x4d, 0x18];
/// The longest of the beginnings that are looked for.
const LONGEST_START: u64 = ZSTANDARD_START.len() as u64;
/// Large reads keep the number of system calls down.
const BUFFER: usize = 1 << 18;

/// Something to read from.
pub type Reader = Box<dyn Read + Send>;

/// How a file is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compressed {
    /// Not at all.
    No,
    /// With gzip.
    Gzip,
    /// With Zstandard.
    Zstandard,
}

impl Compressed {
    /// How a file that begins with these bytes is compressed.
    pub fn of(start: &[u8]) -> Self {
        let is_skipped_frame = start.first().is_some_and(|byte| byte >> 4 == 5)
            && start[1..].starts_with(&SKIPPED_FRAME);
        if start.starts_with(&GZIP_START) {
            Compressed::Gzip
        } else if start.starts_with(&ZSTANDARD_START) || is_skipped_frame {
            Compressed::Zstandard
        } else {
            Compressed::No
        }
    }
}

/// Opens a file, or standard input for `-`, and decompresses it if it is compressed.
pub fn open(path: &Path) -> Result<Reader> {
    let raw: Reader = if is_stream(path) {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(path).map_err(|e| Error::io("open", path, e))?)
    };
    decompressed(raw).map_err(|e| Error::io("read", path, e))
}

/// Reads on from where `raw` is, decompressing what is compressed.
pub fn decompressed(raw: Reader) -> io::Result<Reader> {
    decompressed_by(raw, BUFFER)
}

/// The same, taking at most `buffer` bytes more from what is compressed than what is needed.
pub(crate) fn decompressed_by(mut raw: Reader, buffer: usize) -> io::Result<Reader> {
    let mut start = Vec::with_capacity(LONGEST_START as usize);
    raw.by_ref().take(LONGEST_START).read_to_end(&mut start)?;
    let compressed = Compressed::of(&start);
    let whole = Cursor::new(start).chain(raw);
    Ok(match compressed {
        Compressed::No => Box::new(whole),
        Compressed::Gzip => Box::new(MultiGzDecoder::new(BufReader::with_capacity(buffer, whole))),
        Compressed::Zstandard => {
            Box::new(zstd::Decoder::with_buffer(BufReader::with_capacity(buffer, whole))?)
        }
    })
}

/// What is said of a file that ends in the middle of a line.
pub(super) const TRUNCATED: &str = "the end of the file (truncated?)";

/// What is said of a file that cannot be decompressed further.
pub(crate) fn damaged(error: impl std::fmt::Display) -> String {
    format!("{error} (damaged or truncated file?)")
}

/// A regular file that is not compressed, mapped into memory; `None` for everything else.
pub(super) fn map_plain(path: &Path) -> Result<Option<Mmap>> {
    if is_stream(path) {
        return Ok(None);
    }
    let open = |e| Error::io("open", path, e);
    // Looked at before it is opened: a pipe can be opened once only.
    if !std::fs::metadata(path).map_err(open)?.is_file() {
        return Ok(None);
    }
    let file = File::open(path).map_err(open)?;
    let read = |e| Error::io("read", path, e);
    // SAFETY: a data file of the chain gets its name when it is complete and is replaced, not changed, by later runs.
    let map = unsafe { Mmap::map(&file) }.map_err(read)?;
    Ok((Compressed::of(&map) == Compressed::No).then_some(map))
}

/// The whole content of a file, decompressed.
pub fn read_all(path: &Path) -> Result<Vec<u8>> {
    let mut content = Vec::new();
    open(path)?.read_to_end(&mut content).map_err(|e| Error::io("read", path, e))?;
    Ok(content)
}

/// The lines of a file of the chain, each with its place.
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

    /// The next line without its newline, or `None` at the end. A last line that does not end in a newline was
    /// cut off: an error, because what is left of it may still look right.
    pub fn next_line(&mut self) -> Result<Option<Line<'_>>> {
        self.buffer.clear();
        self.number += 1;
        match self.reader.read_until(b'\n', &mut self.buffer) {
            Ok(0) => return Ok(None),
            Ok(_) => {}
            Err(e) => return Err(wrong(&self.path, self.number, "readable data", damaged(e))),
        }
        whole_line(&mut self.buffer, &self.path, self.number).map(Some)
    }

    /// The next line, which must be there.
    pub fn need_line(&mut self, expected: &str) -> Result<Line<'_>> {
        let (path, number) = (self.path.clone(), self.number + 1);
        self.next_line()?.ok_or_else(|| Error::Parse {
            path,
            line: number,
            expected: expected.into(),
            found: "the end of the file".into(),
        })
    }
}

/// What was read up to a newline, or to the end of the file, as a line. Without its newline it was cut off.
pub(super) fn whole_line<'a>(
    read: &'a mut Vec<u8>,
    path: &'a Path,
    number: u64,
) -> Result<Line<'a>> {
    if read.pop() != Some(b'\n') {
        return Err(wrong(path, number, "a newline at the end of the line", TRUNCATED.into()));
    }
    let not_text = || wrong(path, number, "UTF-8", excerpt(&String::from_utf8_lossy(read)));
    let text = std::str::from_utf8(read).map_err(|_| not_text())?;
    Ok(Line { text, path, number })
}

fn wrong(path: &Path, line: u64, expected: &str, found: String) -> Error {
    Error::Parse { path: path.to_path_buf(), line, expected: expected.into(), found }
}

/// One line and where it stands.
#[derive(Debug, Clone, Copy)]
pub struct Line<'a> {
    /// The line without its newline.
    pub text: &'a str,
    /// The file it stands in.
    pub path: &'a Path,
    /// Its number, counted from 1.
    pub number: u64,
}

impl<'a> Line<'a> {
    /// An error at this line.
    pub fn expected(&self, expected: impl Into<String>, found: &str) -> Error {
        Error::Parse {
            path: self.path.to_path_buf(),
            line: self.number,
            expected: expected.into(),
            found: excerpt(found),
        }
    }

    /// A number that stands in this line.
    pub fn number<T: FromStr>(&self, what: &str, text: &str) -> Result<T> {
        text.parse().map_err(|_| self.expected(what, text))
    }

    /// A header line: the word, one space, a number.
    pub fn header<T: FromStr>(&self, word: &str) -> Result<T> {
        self.text
            .strip_prefix(word)
            .and_then(|rest| rest.strip_prefix(' '))
            .and_then(|number| number.parse().ok())
            .ok_or_else(|| self.expected(format!("'{word}' and a number"), self.text))
    }

    /// The head of a record: a name, a colon, a count, then (after one space) the record's items.
    pub fn record(&self, what: &str) -> Result<(&'a str, usize, &'a str)> {
        let (head, items) = self.text.split_once(' ').unwrap_or((self.text, ""));
        let (name, count) = head.rsplit_once(':').ok_or_else(|| self.expected(what, head))?;
        Ok((name, self.number(what, count)?, items))
    }

    /// A document's name that stands in this line, in its one spelling.
    pub fn name(&self, text: &'a str) -> Result<Cow<'a, str>> {
        name::canonical(text).ok_or_else(|| self.expected("a name with %XX escapes", text))
    }

    /// Checks the number of items in a record against the one its head states.
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
    use crate::files::output::Output;

    fn read_back(stored: &[u8]) -> io::Result<Vec<u8>> {
        let mut content = Vec::new();
        decompressed(Box::new(Cursor::new(stored.to_vec())))?.read_to_end(&mut content)?;
        Ok(content)
    }

    #[test]
    fn frames_one_after_the_other_are_one_file() {
        let frame = |text: &[u8]| zstd::encode_all(text, 3).unwrap();
        let skipped = [&[0x53, 0x2a, 0x4d, 0x18, 2, 0, 0, 0][..], b"xy"].concat();
        let all = [skipped, frame(b"one "), frame(b"two")].concat();
        assert_eq!(read_back(&all).unwrap(), b"one two");
        assert!(read_back(&all[..all.len() - 1]).is_err());
        for plain in [&b""[..], b"(", &[0x28, 0xb5, 0x2f], b"S*M"] {
            assert_eq!(read_back(plain).unwrap(), plain);
        }
    }

    #[test]
    fn what_is_written_compressed_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let text = b"some text\n".repeat(1000);
        for name in ["a", "a.gz", "a.zst"] {
            let path = folder.path().join(name);
            let mut out = Output::create(&path).unwrap();
            out.write(&text).unwrap();
            out.finish().unwrap();
            assert_eq!(read_all(&path).unwrap(), text);
            assert_eq!(std::fs::metadata(&path).unwrap().len() < 1000, name != "a");
            assert_eq!(map_plain(&path).unwrap().is_some(), name == "a");
            let mut lines = Lines::open(&path).unwrap();
            assert_eq!(lines.need_line("text").unwrap().text, "some text");
        }
    }
}
