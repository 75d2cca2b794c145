//! Lines of a source in blocks that fit into memory. Sources are read, not mapped: mapped pages count as resident memory until the end, and
//! faulting them in costs more than copying into a buffer that is reused.

use std::io::ErrorKind;
use std::path::Path;

use super::inputs::{InputArgs, MAX_SKIPPED_RECORDS};
use super::skip::SkippedInput;
use crate::error::fallibly;
use crate::files::input::Reader;
use crate::files::limits::unreadable;

/// A chunk has about this many bytes, so that it makes a batch.
pub(super) const CHUNK_BYTES: usize = 1 << 16;
/// A block has about this many bytes.
pub(super) const BLOCK_BYTES: usize = 512 << 10;
/// Initial capacity of a block; most files are small.
const FIRST_CAPACITY: usize = 64 << 10;
/// A larger block is not kept for reuse: long lines are rare.
const MAX_REUSED_BYTES: usize = 4 * BLOCK_BYTES;

/// Some chunks in a reusable buffer.
#[derive(Default)]
pub(super) struct LineBlock {
    buffer: Buffer,
    /// Bytes of the source before the buffer.
    position: u64,
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

    /// Drops the first bytes.
    fn drop_first(&mut self, count: usize) {
        self.memory.copy_within(count..self.filled, 0);
        self.filled -= count;
    }

    /// Reads until `wanted` bytes are there and returns whether the source ended before. Keeps what was read before an error.
    fn read_from(&mut self, reader: &mut Reader, wanted: usize) -> std::io::Result<bool> {
        while self.filled < wanted {
            if self.filled == self.memory.len() {
                let size = (2 * self.filled).clamp(FIRST_CAPACITY.min(wanted), wanted);
                fallibly(|| self.memory.try_reserve_exact(size - self.filled))?;
                self.memory.resize(size, 0);
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

    /// Returns a block for reuse, without the memory of a long line.
    pub fn emptied(mut self) -> Self {
        self.cuts.clear();
        if self.buffer.memory.len() > MAX_REUSED_BYTES {
            self.buffer = Buffer::default();
        }
        self
    }

    /// Returns the chunks in order.
    pub fn chunks(&self) -> impl Iterator<Item = LineChunk<'_>> {
        self.cuts.iter().map(|cut| LineChunk {
            bytes: &self.buffer.bytes()[cut.start..cut.start + cut.bytes],
            position: self.position + cut.start as u64,
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
    /// Bytes of the source before them.
    pub position: u64,
    pub first_line: u64,
    /// Number of lines that are documents.
    pub documents: usize,
    /// Whether blank lines are documents.
    pub keeps_blank: bool,
}

impl<'a> LineChunk<'a> {
    /// Returns the beginning of a source as a chunk.
    pub fn of_start(bytes: &'a [u8]) -> Self {
        LineChunk { bytes, position: 0, first_line: 1, documents: 0, keeps_blank: false }
    }

    /// Returns the documents' lines without newlines, each with its number, counted from 1, and the bytes of the source before it.
    pub fn lines(&self) -> impl Iterator<Item = (u64, u64, &'a [u8])> + use<'a> {
        let (mut rest, mut position) = (self.bytes, self.position);
        let (mut number, keeps_blank) = (self.first_line, self.keeps_blank);
        let next = move || {
            let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let line = (!rest.is_empty()).then(|| (number, position, &rest[..end]))?;
            rest = rest.get(end + 1..).unwrap_or_default();
            (number, position) = (number + 1, position + end as u64 + 1);
            Some(line)
        };
        let lines = std::iter::from_fn(next);
        lines.filter(move |(_, _, line)| is_document(line, keeps_blank))
    }
}

fn is_document(line: &[u8], keeps_blank: bool) -> bool {
    keeps_blank || !is_blank(line)
}

/// Returns whether a line has only white space.
pub(super) fn is_blank(line: &[u8]) -> bool {
    line.trim_ascii().is_empty()
}

/// Reads the lines of a source. Memory: about the longest line, and never more than about the limit of [`InputArgs::max_record`].
pub(super) struct LineReader<'a> {
    path: &'a Path,
    args: &'a InputArgs,
    /// Bytes of the longest line that is read.
    max_line: usize,
    reader: Reader,
    keeps_blank: bool,
    /// The number of the next line.
    line: u64,
    /// Bytes of the source before the buffer or the rest.
    position: u64,
    /// Bytes read after the last chunk.
    rest: Vec<u8>,
    is_at_end: bool,
    /// The line before the next one, if it was too long.
    long_line: Option<SkippedInput>,
    /// The damage that ended the source early.
    damage: Option<SkippedInput>,
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

/// The first line of some bytes.
enum FirstLine {
    /// Its length, with the newline if it has one.
    Whole(usize),
    /// It may go on, or there is none.
    Open,
    TooLong,
}

impl<'a> LineReader<'a> {
    /// Reads from the beginning of an open source; `path` is for messages.
    pub fn new(path: &'a Path, reader: Reader, keeps_blank: bool, args: &'a InputArgs) -> Self {
        LineReader {
            path,
            args,
            max_line: usize::try_from(args.max_record.0).unwrap_or(usize::MAX),
            reader,
            keeps_blank,
            line: 1,
            position: 0,
            rest: Vec::new(),
            is_at_end: false,
            long_line: None,
            damage: None,
        }
    }

    /// Begins at a later line: its number, and the bytes of the source before it.
    pub fn starting_at(self, line: u64, position: u64) -> Self {
        LineReader { line, position, ..self }
    }

    /// Reads the next chunks, up to the last whole readable line, or to a line that is too long. Chunk boundaries depend on the source alone.
    /// If there is none, [`LineReader::skip`] says why.
    pub fn read(&mut self, block: &mut LineBlock) {
        let LineBlock { buffer, position, keeps_blank, cuts } = block;
        *keeps_blank = self.keeps_blank;
        cuts.clear();
        buffer.set(&self.rest);
        let at = loop {
            let (at, is_too_long) = self.cut_all(buffer.bytes(), cuts);
            if !cuts.is_empty() {
                break at;
            }
            if is_too_long {
                break self.skip_line(buffer, at);
            }
            if self.is_at_end {
                break at;
            }
            buffer.drop_first(at);
            self.position += at as u64;
            // A long line. Doubling keeps repeated scans linear.
            let max = self.max_line.saturating_add(CHUNK_BYTES + 1).max(BLOCK_BYTES);
            self.fill(buffer, (2 * buffer.filled).clamp(BLOCK_BYTES, max));
        };
        *position = self.position;
        self.position += at as u64;
        self.rest.clear();
        self.rest.extend_from_slice(&buffer.bytes()[at..]);
    }

    /// Returns the unreadable input after the last chunk, if there is any. A long line is followed by others, other input is the last.
    pub fn skip(&mut self) -> Option<SkippedInput> {
        self.long_line.take().or_else(|| self.damage.take())
    }

    /// Reads until the buffer holds `wanted` bytes, or all whole lines up to the end of the source or to damage.
    fn fill(&mut self, buffer: &mut Buffer, wanted: usize) {
        match buffer.read_from(&mut self.reader, wanted) {
            Ok(is_at_end) => self.is_at_end = is_at_end,
            Err(error) => {
                self.damage = Some(self.damaged(buffer.bytes(), &error));
                buffer.filled = memchr::memrchr(b'\n', buffer.bytes()).map_or(0, |end| end + 1);
                self.is_at_end = true;
            }
        }
    }

    /// Returns the damage behind the last whole line of `bytes`, or in the first.
    fn damaged(&self, bytes: &[u8], error: &std::io::Error) -> SkippedInput {
        let lines = memchr::memchr_iter(b'\n', bytes).count() as u64;
        let (expected, found) = unreadable(error);
        let why = format!("expected {expected}, found {found}");
        SkippedInput::from_line(self.path, self.line + lines.saturating_sub(1), why)
    }

    /// Cuts off all chunks. Returns where they end, and whether the line there is too long.
    fn cut_all(&mut self, bytes: &[u8], cuts: &mut Vec<Cut>) -> (usize, bool) {
        let mut at = 0;
        loop {
            at += self.skip_blank(&bytes[at..]);
            let Some(cut) = self.cut(&bytes[at..], at) else { break };
            at += cut.bytes;
            self.line += cut.lines;
            cuts.push(cut);
        }
        (at, matches!(self.first_line(&bytes[at..]), FirstLine::TooLong))
    }

    /// Counts the blank lines before the first document, and returns their length. Chunks begin with documents, so that any number of blank
    /// lines needs no memory.
    fn skip_blank(&mut self, bytes: &[u8]) -> usize {
        let mut at = 0;
        while let FirstLine::Whole(length) = self.first_line(&bytes[at..]) {
            if is_document(&bytes[at..at + length], self.keeps_blank) {
                break;
            }
            at += length;
            self.line += 1;
        }
        at
    }

    fn first_line(&self, bytes: &[u8]) -> FirstLine {
        let seen = bytes.len().min(self.max_line.saturating_add(1));
        match memchr::memchr(b'\n', &bytes[..seen]) {
            Some(end) => FirstLine::Whole(end + 1),
            None if bytes.len() > self.max_line => FirstLine::TooLong,
            None if self.is_at_end && !bytes.is_empty() => FirstLine::Whole(bytes.len()),
            None => FirstLine::Open,
        }
    }

    /// Cuts a chunk of whole lines off the bytes at `start`, which begin with a document. A smaller chunk counts only before a line that is
    /// too long and, like a last line without a newline, at the end of the source.
    fn cut(&self, bytes: &[u8], start: usize) -> Option<Cut> {
        let mut cut = Cut { start, bytes: 0, first_line: self.line, lines: 0, documents: 0 };
        while cut.bytes < CHUNK_BYTES {
            let rest = &bytes[cut.bytes..];
            let length = match self.first_line(rest) {
                FirstLine::Whole(length) => length,
                FirstLine::Open if !self.is_at_end => return None,
                FirstLine::Open | FirstLine::TooLong => break,
            };
            cut.documents += usize::from(is_document(&rest[..length], self.keeps_blank));
            cut.bytes += length;
            cut.lines += 1;
        }
        (cut.bytes > 0).then_some(cut)
    }

    /// Skips the line at `at`, which is too long, and returns where the next one begins. Reads to its end without storing it, or gives the
    /// source up.
    fn skip_line(&mut self, buffer: &mut Buffer, mut at: usize) -> usize {
        let max = self.args.max_record.0.saturating_mul(MAX_SKIPPED_RECORDS);
        let mut length = 0;
        let (next, has_end) = loop {
            let bytes = &buffer.bytes()[at..];
            let end = memchr::memchr(b'\n', bytes);
            length += end.unwrap_or(bytes.len()) as u64;
            if length > max {
                return self.give_up(buffer, max);
            }
            if end.is_some() || self.is_at_end {
                break (at + end.map_or(bytes.len(), |end| end + 1), end.is_some());
            }
            self.position += buffer.filled as u64;
            (buffer.filled, at) = (0, 0);
            self.fill(buffer, BLOCK_BYTES);
        };
        // Damage inside the line says more.
        if has_end || self.damage.is_none() {
            let why = self.args.too_long();
            self.long_line = Some(SkippedInput::record(self.path, self.line, why));
        }
        self.line += 1;
        next
    }

    fn give_up(&mut self, buffer: &mut Buffer, max: u64) -> usize {
        let limit = self.args.max_record.0;
        let expected = format!("expected a record of at most {limit} bytes (--max_record)");
        let why = format!("{expected}, found more than {max}");
        self.damage = Some(SkippedInput::from_line(self.path, self.line, why));
        self.is_at_end = true;
        buffer.filled = 0;
        0
    }
}

#[cfg(test)]
mod tests;
