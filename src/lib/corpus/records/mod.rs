//! Records of containers as JSON Lines, converted while they are read.
//!
//! CSV rows, elements of a JSON array, Wikipedia extracts and WARC records all become one JSON object per line, so that one parser
//! ([`super::record`]) finds their fields, one reader ([`super::lines`]) bounds their sizes, and one copy holds them. Converters keep a few
//! kilobytes, except for a WARC record, which is decoded as a whole.
//!
//! Line numbers are those of the container where it has lines (CSV, extracts): blank lines fill the gaps. Otherwise they number the records.

mod array;
mod csv;
mod extracts;
mod warc;

use std::io::{self, Read};

pub(super) use array::ArrayConverter;
pub(super) use csv::{CsvConverter, CsvDialect, csv_row};
pub(super) use extracts::{ExtractConverter, extract, is_extract};
pub(super) use warc::{WarcConverter, is_warc};

use crate::files::input::Reader;
use crate::files::limits::InputFault;

/// Bytes converted at once.
const BLOCK: usize = 64 << 10;
/// Separates the beginning of an unreadable record from the reason. JSON has this byte in no place.
const REASON_MARK: u8 = 0x1e;

/// Converts a container to JSON Lines, block by block.
pub(super) trait RecordConverter: Send {
    /// Converts the next bytes, all of them.
    ///
    /// # Errors
    /// The container is malformed from here on. The lines in `lines` count.
    fn convert(&mut self, bytes: &[u8], lines: &mut Vec<u8>) -> io::Result<()>;

    /// Converts what is left at the end of the container.
    ///
    /// # Errors
    /// The container is truncated.
    fn finish(&mut self, lines: &mut Vec<u8>) -> io::Result<()>;
}

/// Returns the error of a malformed container.
fn malformed(expected: impl Into<String>, found: impl Into<String>) -> io::Error {
    InputFault { expected: expected.into(), found: found.into(), line: None }.into()
}

/// Ends the line of an unreadable record with the reason.
fn reject(reason: &str, lines: &mut Vec<u8>) {
    lines.push(REASON_MARK);
    lines.extend_from_slice(reason.as_bytes());
    lines.push(b'\n');
}

/// Returns the reason why a converter rejected the record of a line, if it did.
pub(super) fn rejection(line: &[u8]) -> Option<String> {
    let mark = memchr::memrchr(REASON_MARK, line)?;
    Some(String::from_utf8_lossy(&line[mark + 1..]).into_owned())
}

/// Appends text to a JSON string.
fn push_escaped(text: &[u8], lines: &mut Vec<u8>) {
    let needs_escape = |byte: &u8| *byte < 0x20 || matches!(byte, b'"' | b'\\');
    let mut rest = text;
    while let Some(at) = rest.iter().position(needs_escape) {
        lines.extend_from_slice(&rest[..at]);
        match rest[at] {
            b'\n' => lines.extend_from_slice(b"\\n"),
            byte @ (b'"' | b'\\') => lines.extend_from_slice(&[b'\\', byte]),
            byte => lines.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
        }
        rest = &rest[at + 1..];
    }
    lines.extend_from_slice(rest);
}

/// Appends a JSON string.
fn push_string(text: &[u8], lines: &mut Vec<u8>) {
    lines.push(b'"');
    push_escaped(text, lines);
    lines.push(b'"');
}

/// Reads a container as JSON Lines.
pub(super) struct ConvertingReader<C> {
    reader: Reader,
    converter: C,
    block: Vec<u8>,
    /// Converted bytes, of which `taken` are read.
    lines: Vec<u8>,
    taken: usize,
    is_at_end: bool,
    failure: Option<io::Error>,
}

impl<C: RecordConverter> ConvertingReader<C> {
    /// Reads an open container from its beginning.
    pub fn new(reader: Reader, converter: C) -> Self {
        let (block, lines) = (vec![0; BLOCK], Vec::new());
        ConvertingReader {
            reader,
            converter,
            block,
            lines,
            taken: 0,
            is_at_end: false,
            failure: None,
        }
    }

    fn refill(&mut self) {
        self.lines.clear();
        self.taken = 0;
        let converted = self.reader.read(&mut self.block).and_then(|count| {
            self.is_at_end = count == 0;
            match self.is_at_end {
                true => self.converter.finish(&mut self.lines),
                false => self.converter.convert(&self.block[..count], &mut self.lines),
            }
        });
        match converted {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
            Err(error) => {
                self.failure = Some(error);
                self.is_at_end = true;
            }
            Ok(()) => (),
        }
    }
}

impl<C: RecordConverter> Read for ConvertingReader<C> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.lines.len() && !self.is_at_end {
            self.refill();
        }
        let left = &self.lines[self.taken..];
        if left.is_empty() {
            return self.failure.take().map_or(Ok(0), Err);
        }
        let count = left.len().min(buffer.len());
        buffer[..count].copy_from_slice(&left[..count]);
        self.taken += count;
        Ok(count)
    }
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;

    /// Converts a container in blocks of `size` bytes; returns the lines before any error, and the error.
    pub fn converted(
        mut converter: impl RecordConverter,
        content: &[u8],
        size: usize,
    ) -> (String, Option<String>) {
        let mut lines = Vec::new();
        let mut blocks = content.chunks(size);
        let outcome = blocks
            .try_for_each(|block| converter.convert(block, &mut lines))
            .and_then(|()| converter.finish(&mut lines));
        (String::from_utf8_lossy(&lines).into_owned(), outcome.err().map(|error| error.to_string()))
    }
}
