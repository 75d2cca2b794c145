//! Lines of a source in blocks that fit into memory. Sources are read, not mapped: mapped pages count as resident memory until the end, and
//! faulting them in costs more than copying into a buffer that is reused.

use std::io::ErrorKind;
use std::path::Path;

use super::skip::SkippedInput;
use crate::files::input::{self, Reader};

/// A chunk has about this many bytes, so that it makes a batch.
pub(super) const CHUNK_BYTES: usize = 1 << 16;
/// A block has about this many bytes.
pub(super) const BLOCK_BYTES: usize = 512 << 10;
/// Initial capacity of a block; most files are small.
const FIRST_CAPACITY: usize = 64 << 10;

/// Some chunks in a reusable buffer.
#[derive(Default)]
pub(super) struct LineBlock {
    buffer: Buffer,
    keeps_blank: bool,
    cuts: Vec<Cut>,
}

/// A buffer that keeps its initialized memory.
#[derive(Default)]
struct Buffer {
    filled: usize,
    memory: Vec<u8>,
}

impl Buffer {
    fn bytes(&self) -> &[u8] {
        &self.memory[..self.filled]
    }

    fn set(&mut self, bytes: &[u8]) {
        self.memory.resize(self.memory.len().max(bytes.len()), 0);
        self.memory[..bytes.len()].copy_from_slice(bytes);
        self.filled = bytes.len();
    }

    /// Reads until `wanted` bytes are there and returns whether the source ended before. Keeps what was read before an error.
    fn read_from(&mut self, reader: &mut Reader, wanted: usize) -> std::io::Result<bool> {
        while self.filled < wanted {
            if self.filled == self.memory.len() {
                self.memory.resize((2 * self.filled).clamp(FIRST_CAPACITY.min(wanted), wanted), 0);
            }
            let end = wanted.min(self.memory.len());
            match reader.read(&mut self.memory[self.filled..end]) {
                Ok(0) => return Ok(true),
                Ok(count) => self.filled += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => (),
                Err(error) => return Err(error),
            }
        }
        Ok(false)
    }
}

impl LineBlock {
    /// Returns whether there is no chunk: the end of the source.
    pub fn is_empty(&self) -> bool {
        self.cuts.is_empty()
    }

    /// Returns the chunks in order.
    pub fn chunks(&self) -> impl Iterator<Item = LineChunk<'_>> {
        self.cuts.iter().map(|cut| LineChunk {
            bytes: &self.buffer.bytes()[cut.start..cut.start + cut.bytes],
            first_line: cut.first_line,
            documents: cut.documents,
            keeps_blank: self.keeps_blank,
        })
    }
}

/// Some whole lines.
pub(super) struct LineChunk<'a> {
    /// The lines with their newlines.
    pub bytes: &'a [u8],
    pub first_line: u64,
    /// Number of lines that are documents.
    pub documents: usize,
    /// Whether blank lines are documents.
    pub keeps_blank: bool,
}

impl<'a> LineChunk<'a> {
    /// Returns the documents' lines without newlines, each with its number, counted from 1.
    pub fn lines(&self) -> impl Iterator<Item = (u64, &'a [u8])> + use<'a> {
        let (mut rest, keeps_blank) = (self.bytes, self.keeps_blank);
        let next = move || {
            let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let line = (!rest.is_empty()).then(|| &rest[..end])?;
            rest = rest.get(end + 1..).unwrap_or_default();
            Some(line)
        };
        let lines = (self.first_line..).zip(std::iter::from_fn(next));
        lines.filter(move |(_, line)| is_document(line, keeps_blank))
    }
}

fn is_document(line: &[u8], keeps_blank: bool) -> bool {
    keeps_blank || !line.trim_ascii().is_empty()
}

/// Reads the lines of a source.
pub(super) struct LineReader<'a> {
    path: &'a Path,
    reader: Reader,
    keeps_blank: bool,
    /// The number of the next line.
    line: u64,
    /// Bytes read after the last chunk.
    rest: Vec<u8>,
    is_at_end: bool,
    /// The damage that ended the source early.
    pub damage: Option<SkippedInput>,
}

/// Position and size of a chunk.
#[derive(Debug, Clone, Copy)]
struct Cut {
    start: usize,
    bytes: usize,
    first_line: u64,
    lines: u64,
    documents: usize,
}

impl<'a> LineReader<'a> {
    /// Reads from the beginning of an open source; `path` is for messages.
    pub fn new(path: &'a Path, reader: Reader, keeps_blank: bool) -> Self {
        let (rest, damage) = (Vec::new(), None);
        LineReader { path, reader, keeps_blank, line: 1, rest, is_at_end: false, damage }
    }

    /// Reads the next chunks, up to the last whole readable line. Chunk boundaries depend on the source alone.
    pub fn read(&mut self, block: &mut LineBlock) {
        let LineBlock { buffer, keeps_blank, cuts } = block;
        *keeps_blank = self.keeps_blank;
        cuts.clear();
        buffer.set(&self.rest);
        let (mut at, mut wanted) = (0, BLOCK_BYTES);
        while cuts.is_empty() && !self.is_at_end {
            self.is_at_end = match buffer.read_from(&mut self.reader, wanted) {
                Ok(is_at_end) => is_at_end,
                Err(error) => {
                    let whole = memchr::memrchr(b'\n', buffer.bytes()).map_or(0, |end| end + 1);
                    self.damage = Some(self.damaged(&buffer.bytes()[at..], &error));
                    buffer.filled = whole.max(at);
                    true
                }
            };
            while let Some(cut) = self.cut(&buffer.bytes()[at..], at) {
                at += cut.bytes;
                self.line += cut.lines;
                if cut.documents > 0 {
                    cuts.push(cut);
                }
            }
            // A long line, or many blank ones. Doubling keeps repeated scans linear.
            wanted = 2 * buffer.filled;
        }
        self.rest.clear();
        self.rest.extend_from_slice(&buffer.bytes()[at..]);
    }

    /// Returns the damage behind the last whole line of `bytes`, or in the first.
    fn damaged(&self, bytes: &[u8], error: &std::io::Error) -> SkippedInput {
        let lines = memchr::memchr_iter(b'\n', bytes).count() as u64;
        let why = format!("expected readable data, found {}", input::damaged(error));
        SkippedInput::from_line(self.path, self.line + lines.saturating_sub(1), why)
    }

    /// Cuts a chunk of whole lines off the bytes at `start`. A smaller chunk, and a last line without a newline, count only at the end of
    /// the source.
    fn cut(&self, bytes: &[u8], start: usize) -> Option<Cut> {
        let mut cut = Cut { start, bytes: 0, first_line: self.line, lines: 0, documents: 0 };
        while cut.bytes < CHUNK_BYTES || cut.documents == 0 {
            let rest = &bytes[cut.bytes..];
            let length = match memchr::memchr(b'\n', rest) {
                Some(end) => end + 1,
                None if !self.is_at_end => return None,
                None if rest.is_empty() => break,
                None => rest.len(),
            };
            cut.documents += usize::from(is_document(&rest[..length], self.keeps_blank));
            cut.bytes += length;
            cut.lines += 1;
        }
        (cut.bytes > 0).then_some(cut)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read};

    use super::*;
    use proptest::prelude::*;

    /// Documents with their line numbers, the sizes of the chunks, and the damage.
    type ReadLines = (Vec<(u64, Vec<u8>)>, Vec<usize>, Option<SkippedInput>);

    fn read(reader: Reader, keeps_blank: bool) -> ReadLines {
        let mut lines = LineReader::new(Path::new("f"), reader, keeps_blank);
        let (mut block, mut all, mut sizes) = (LineBlock::default(), Vec::new(), Vec::new());
        loop {
            lines.read(&mut block);
            if block.is_empty() {
                return (all, sizes, lines.damage);
            }
            for chunk in block.chunks() {
                let before = all.len();
                all.extend(chunk.lines().map(|(number, line)| (number, line.to_vec())));
                assert_eq!(before + chunk.documents, all.len());
                sizes.push(chunk.bytes.len());
            }
        }
    }

    fn check(content: &[u8], keeps_blank: bool) {
        let mut lines: Vec<&[u8]> = content.split(|byte| *byte == b'\n').collect();
        if lines.last().is_some_and(|last| last.is_empty()) {
            lines.pop();
        }
        let expected: Vec<(u64, Vec<u8>)> = (1..)
            .zip(lines.iter().map(|line| line.to_vec()))
            .filter(|(_, line)| is_document(line, keeps_blank))
            .collect();
        let (all, sizes, damage) = read(Box::new(Cursor::new(content.to_vec())), keeps_blank);
        assert!(all == expected && damage.is_none());
        assert!(sizes.iter().rev().skip(1).all(|size| *size >= CHUNK_BYTES), "{sizes:?}");
        let trickle = Trickle(Cursor::new(content.to_vec()));
        let (again, same_sizes, _) = read(Box::new(trickle), keeps_blank);
        assert!(again == expected && same_sizes == sizes);
    }

    /// Gives few bytes at a time.
    struct Trickle(Cursor<Vec<u8>>);

    impl Read for Trickle {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let count = buffer.len().min(1 + buffer.len() / 3);
            self.0.read(&mut buffer[..count])
        }
    }

    #[test]
    fn lines_longer_than_a_block_and_blank_ones_are_read() {
        let (word, blank) = (vec![b'x'; BLOCK_BYTES * 3], vec![b'\n'; BLOCK_BYTES * 2]);
        let long = [word, b"\ny\n".to_vec(), blank, b"z".to_vec()];
        for keeps_blank in [true, false] {
            check(&long.concat(), keeps_blank);
        }
        check(&b"ab cd\n".repeat(1 << 20), false);
    }

    proptest! {
        #[test]
        fn lines_are_those_of_the_source(
            content in "([a-c \r\t]{0,5}\n){0,40}[a-c ]{0,3}", times in 1usize..2000, keeps_blank: bool,
        ) {
            check(content.repeat(times).as_bytes(), keeps_blank);
        }
    }
}
