//! A collection in one file, one document a line, in pieces that fit into memory: a plain file is mapped, everything else is read as it comes.

use std::borrow::Cow;
use std::io::Read;
use std::path::{Path, PathBuf};

use memmap2::Mmap;

use super::input;
use crate::error::{Error, Result};

/// About so many bytes go in one chunk: enough that work on it is long against the overhead, little enough that a wave of them fits into memory.
const CHUNK: usize = 4 << 20;
/// About so many bytes are handed out at once.
const WAVE: usize = 64 << 20;
/// A file begins with it where an editor put it; it belongs to no line.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// An open file.
pub struct OneFile {
    path: PathBuf,
    bytes: Bytes,
}

enum Bytes {
    Mapped(Mmap),
    Stream(Box<dyn Read + Send>),
}

/// How the file's lines are documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Whether lines of nothing but white space are no documents.
    pub skips_blank: bool,
    /// No chunk goes over a multiple of so many documents; at least 1.
    pub per_file: usize,
    /// Only the first so many documents.
    pub limit: usize,
}

/// Some whole lines.
pub struct Chunk<'a> {
    bytes: Cow<'a, [u8]>,
    first_line: u64,
    /// The number of its first document, counted from 0.
    pub first: usize,
    /// How many documents it has.
    pub documents: usize,
    skips_blank: bool,
}

impl Chunk<'_> {
    /// The documents' lines without their newlines, each with its number, counted from 1.
    pub fn lines(&self) -> impl Iterator<Item = (u64, &[u8])> {
        let mut rest = &*self.bytes;
        let next = move || {
            let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let line = (!rest.is_empty()).then(|| &rest[..end])?;
            rest = rest.get(end + 1..).unwrap_or_default();
            Some(line)
        };
        let lines = (self.first_line..).zip(std::iter::from_fn(next));
        lines.filter(|(_, line)| is_document(line, self.skips_blank))
    }
}

fn is_document(line: &[u8], skips_blank: bool) -> bool {
    !skips_blank || !line.trim_ascii().is_empty()
}

impl OneFile {
    /// Opens the file, or standard input for `-`.
    pub fn open(path: &Path) -> Result<Self> {
        let bytes = match input::map_plain(path)? {
            Some(map) => Bytes::Mapped(map),
            None => Bytes::Stream(input::open(path)?),
        };
        Ok(OneFile { path: path.to_path_buf(), bytes })
    }

    /// The file from its beginning; to be asked for once.
    pub fn chunks(&mut self, layout: Layout) -> Chunks<'_> {
        let rest = match &mut self.bytes {
            Bytes::Mapped(map) => Rest::Mapped(map.strip_prefix(BYTE_ORDER_MARK).unwrap_or(map)),
            Bytes::Stream(reader) => {
                Rest::Stream(Stream { reader, pending: Vec::new(), at: 0, is_at_end: false })
            }
        };
        Chunks { path: &self.path, rest, layout, line: 1, document: 0 }
    }
}

/// The chunks of a file, in order.
pub struct Chunks<'a> {
    path: &'a Path,
    rest: Rest<'a>,
    layout: Layout,
    /// The number of the next line.
    line: u64,
    /// The number of the next document.
    document: usize,
}

enum Rest<'a> {
    Mapped(&'a [u8]),
    Stream(Stream<'a>),
}

/// What comes as it comes.
struct Stream<'a> {
    reader: &'a mut Box<dyn Read + Send>,
    /// What has been read; handed out up to `at`.
    pending: Vec<u8>,
    at: usize,
    is_at_end: bool,
}

/// A cut: so many bytes, lines and documents.
#[derive(Debug, Clone, Copy, Default)]
struct Cut {
    bytes: usize,
    lines: u64,
    documents: usize,
}

impl<'a> Chunks<'a> {
    /// The next chunks, about 64 MB together; none at the end.
    pub fn next_wave(&mut self) -> Result<Vec<Chunk<'a>>> {
        let (mut wave, mut size) = (Vec::new(), 0);
        while size < WAVE
            && let Some(chunk) = self.next_chunk()?
        {
            size += chunk.bytes.len();
            wave.push(chunk);
        }
        Ok(wave)
    }

    fn next_chunk(&mut self) -> Result<Option<Chunk<'a>>> {
        let per_file = self.layout.per_file;
        let left_in_file = per_file - self.document % per_file;
        let most = left_in_file.min(self.layout.limit - self.document);
        if most == 0 {
            return Ok(None);
        }
        let skips_blank = self.layout.skips_blank;
        let (bytes, cut) = match &mut self.rest {
            Rest::Mapped(rest) => {
                let cut = cut(rest, most, skips_blank, true);
                let (bytes, after) = rest.split_at(cut.bytes);
                *rest = after;
                (Cow::Borrowed(bytes), cut)
            }
            Rest::Stream(stream) => {
                let error = |error| damaged(self.path, self.line, &error);
                let cut = stream.cut(most, skips_blank).map_err(error)?;
                (Cow::Owned(stream.take(cut.bytes)), cut)
            }
        };
        let (first_line, first) = (self.line, self.document);
        self.line += cut.lines;
        self.document += cut.documents;
        let chunk = Chunk { bytes, first_line, first, documents: cut.documents, skips_blank };
        Ok((cut.documents > 0).then_some(chunk))
    }
}

fn damaged(path: &Path, line: u64, error: &std::io::Error) -> Error {
    Error::Parse {
        path: path.to_path_buf(),
        line,
        expected: "readable data".into(),
        found: input::damaged(error),
    }
}

/// Cuts whole lines off the beginning: until there are `most` documents, or a chunk is full and has one. A last line without a newline counts
/// only if `is_all`.
fn cut(bytes: &[u8], most: usize, skips_blank: bool, is_all: bool) -> Cut {
    let mut cut = Cut::default();
    while cut.documents < most && (cut.bytes < CHUNK || cut.documents == 0) {
        let rest = &bytes[cut.bytes..];
        let length = match memchr::memchr(b'\n', rest) {
            Some(end) => end + 1,
            None if is_all && !rest.is_empty() => rest.len(),
            None => break,
        };
        cut.documents += usize::from(is_document(&rest[..length], skips_blank));
        cut.bytes += length;
        cut.lines += 1;
    }
    cut
}

impl Stream<'_> {
    /// Cuts as [`cut`] does, when enough has been read.
    fn cut(&mut self, most: usize, skips_blank: bool) -> std::io::Result<Cut> {
        let mut wanted = CHUNK;
        loop {
            self.read_until(wanted)?;
            let cut = cut(&self.pending[self.at..], most, skips_blank, self.is_at_end);
            let is_done = cut.documents == most || (cut.bytes >= CHUNK && cut.documents > 0);
            if is_done || self.is_at_end {
                return Ok(cut);
            }
            // A long line, or many blank ones. Doubling keeps the looking again linear.
            wanted = 2 * (self.pending.len() - self.at).max(CHUNK);
        }
    }

    /// Reads until so many bytes wait, or the end.
    fn read_until(&mut self, wanted: usize) -> std::io::Result<()> {
        let waiting = self.pending.len() - self.at;
        if self.is_at_end || waiting >= wanted {
            return Ok(());
        }
        let is_first = self.pending.is_empty();
        self.pending.drain(..self.at);
        self.at = 0;
        // More than wanted, so that small chunks do not move what waits each time.
        let most = (4 * wanted - waiting) as u64;
        let count = self.reader.by_ref().take(most).read_to_end(&mut self.pending)?;
        self.is_at_end = (count as u64) < most;
        if is_first && self.pending.starts_with(BYTE_ORDER_MARK) {
            self.at = BYTE_ORDER_MARK.len();
        }
        Ok(())
    }

    fn take(&mut self, bytes: usize) -> Vec<u8> {
        let taken = self.pending[self.at..self.at + bytes].to_vec();
        self.at += bytes;
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// All documents: their lines' numbers and texts; and the cuts between chunks.
    fn read(path: &Path, layout: Layout) -> (Vec<(u64, Vec<u8>)>, Vec<usize>) {
        let mut file = OneFile::open(path).unwrap();
        let mut chunks = file.chunks(layout);
        let (mut all, mut cuts) = (Vec::new(), Vec::new());
        loop {
            let wave = chunks.next_wave().unwrap();
            if wave.is_empty() {
                return (all, cuts);
            }
            for chunk in wave {
                assert_eq!(chunk.first, all.len());
                all.extend(chunk.lines().map(|(number, line)| (number, line.to_vec())));
                assert_eq!(chunk.first + chunk.documents, all.len());
                cuts.push(all.len());
            }
        }
    }

    fn gzip(content: &[u8]) -> Vec<u8> {
        use std::io::Write;
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }

    fn check(content: &[u8], layout: Layout) {
        let file = tempfile::NamedTempFile::new().unwrap();
        let text = content.strip_prefix(BYTE_ORDER_MARK).unwrap_or(content);
        let mut lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
        if lines.last().is_some_and(|last| last.is_empty()) {
            lines.pop();
        }
        let expected: Vec<(u64, Vec<u8>)> = (1..)
            .zip(lines.iter().map(|line| line.to_vec()))
            .filter(|(_, line)| is_document(line, layout.skips_blank))
            .take(layout.limit)
            .collect();
        for stored in [content.to_vec(), gzip(content)] {
            std::fs::write(file.path(), stored).unwrap();
            let (all, cuts) = read(file.path(), layout);
            assert!(all == expected);
            let whole_files = (1..).map(|n| n * layout.per_file).take_while(|n| *n < all.len());
            assert!(whole_files.into_iter().all(|end| cuts.contains(&end)), "{cuts:?}");
        }
    }

    #[test]
    fn lines_longer_than_a_chunk_and_blank_ones_are_read() {
        let long =
            [vec![b'x'; CHUNK * 5], b"\ny\n".to_vec(), vec![b'\n'; CHUNK * 2], b"z".to_vec()];
        for skips_blank in [true, false] {
            check(&long.concat(), Layout { skips_blank, per_file: 1 << 24, limit: usize::MAX });
        }
        let many = b"ab cd\n".repeat(CHUNK);
        check(&many, Layout { skips_blank: true, per_file: 1 << 21, limit: 3_000_000 });
    }

    proptest! {
        #[test]
        fn documents_are_the_lines(
            text in "\u{feff}?([ab]{0,3}[ \r]?\n){0,20}[ab]{0,2}",
            skips_blank: bool, per_file in 1usize..5, limit in 1usize..30,
        ) {
            check(text.as_bytes(), Layout { skips_blank, per_file, limit });
        }
    }
}
