//! Limits of input: no file, however large or hostile, makes a reader allocate without bound.

use std::fmt;
use std::io::{self, Read};

use crate::error::fallibly;

/// The longest line of a file of the pipeline, in bytes: a document with a hundred million terms.
pub const MAX_LINE_BYTES: u64 = 1 << 30;
/// The largest file that is read as a whole besides data files (lists, manifests, experiments), in bytes: a hundred million paths.
pub const MAX_LIST_BYTES: u64 = 4 << 30;
/// Bytes examined at once.
const PIECE_BYTES: usize = 1 << 20;

/// Input beyond a limit, or input that changes while it is read: the cause of an [`io::Error`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputFault {
    /// The limit, or another expectation.
    pub expected: String,
    /// The finding.
    pub found: String,
    /// The line, counted from 1, if it is known.
    pub line: Option<u64>,
}

impl InputFault {
    /// Returns the error of a line, counted from 1 where the number is known, that is longer than [`MAX_LINE_BYTES`].
    pub fn line(line: Option<u64>) -> Self {
        let expected = format!("a line of at most {MAX_LINE_BYTES} bytes");
        InputFault { expected, found: "a longer one".into(), line }
    }

    /// Returns the error of a file with more than `max` bytes.
    pub fn file(max: u64) -> Self {
        let expected = format!("a file of at most {max} bytes");
        InputFault { expected, found: "a longer one".into(), line: None }
    }

    /// Returns the error of a file whose size changed after it was opened.
    pub fn changed() -> Self {
        let (expected, found) = ("a file that does not change while it is read", "another size");
        InputFault { expected: expected.into(), found: found.into(), line: None }
    }

    /// Returns the fault that caused an error, if one did.
    pub fn of(error: &io::Error) -> Option<&InputFault> {
        error.get_ref()?.downcast_ref()
    }
}

impl fmt::Display for InputFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}, found {}", self.expected, self.found)
    }
}

impl std::error::Error for InputFault {}

impl From<InputFault> for io::Error {
    fn from(fault: InputFault) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, fault)
    }
}

/// Returns what a reader expected and what it found instead: a fault, or data that cannot be read or decompressed.
pub(crate) fn unreadable(error: &io::Error) -> (String, String) {
    match InputFault::of(error) {
        Some(fault) => (fault.expected.clone(), fault.found.clone()),
        None if error.kind() == io::ErrorKind::OutOfMemory => {
            ("data that fits into memory".into(), "more".into())
        }
        None => ("readable data".into(), format!("{error} (damaged or truncated file?)")),
    }
}

/// Reads to the end of a file with at most `max` bytes. Memory grows with the bytes that exist, not with those that a header states.
///
/// # Errors
/// More bytes ([`InputFault`]), or not enough memory; `content` holds the bytes before that.
pub(crate) fn read_to_end(reader: impl Read, max: u64, content: &mut Vec<u8>) -> io::Result<()> {
    let before = content.len() as u64;
    let mut reader = reader.take(max.saturating_add(1));
    fallibly(|| reader.read_to_end(content))?;
    if content.len() as u64 - before > max {
        content.truncate((before + max) as usize);
        return Err(InputFault::file(max).into());
    }
    Ok(())
}

/// Measures the lines of a text that comes piece by piece.
#[derive(Debug, Default)]
pub(crate) struct LineMeter {
    /// Complete lines so far.
    lines: u64,
    /// Bytes of the line that follows them.
    open: u64,
}

impl LineMeter {
    /// Takes the next bytes, much fewer than a line may have.
    ///
    /// # Errors
    /// A line longer than [`MAX_LINE_BYTES`].
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), InputFault> {
        let first = memchr::memchr(b'\n', bytes).unwrap_or(bytes.len());
        if self.open + first as u64 > MAX_LINE_BYTES {
            return Err(InputFault::line(Some(self.lines + 1)));
        }
        match memchr::memrchr(b'\n', bytes) {
            None => self.open += bytes.len() as u64,
            Some(last) => {
                self.lines += memchr::memchr_iter(b'\n', bytes).count() as u64;
                self.open = (bytes.len() - last - 1) as u64;
            }
        }
        Ok(())
    }
}

/// Reads a text. A line longer than [`MAX_LINE_BYTES`] is an error, before the memory for more of it is needed.
pub(crate) struct LineLimit<R> {
    reader: R,
    meter: LineMeter,
}

impl<R> LineLimit<R> {
    /// Reads from the beginning of a text.
    pub fn new(reader: R) -> Self {
        LineLimit { reader, meter: LineMeter::default() }
    }
}

impl<R: Read> Read for LineLimit<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let end = buffer.len().min(PIECE_BYTES);
        let count = self.reader.read(&mut buffer[..end])?;
        self.meter.add(&buffer[..count])?;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_up_to_the_limit_are_read_and_longer_ones_are_not() {
        for (max, is_read) in [(5, true), (6, true), (u64::MAX, true), (4, false), (0, false)] {
            let mut content = b"before".to_vec();
            let outcome = read_to_end(&b"bytes"[..], max, &mut content);
            assert_eq!(outcome.is_ok(), is_read, "{max}");
            let kept = if is_read { 5 } else { max as usize };
            assert_eq!(content, [&b"before"[..], &b"bytes"[..kept]].concat());
        }
        let endless = read_to_end(io::repeat(b'x'), 1000, &mut Vec::new()).unwrap_err();
        assert_eq!(
            endless.to_string(),
            "expected a file of at most 1000 bytes, found a longer one"
        );
    }

    #[test]
    fn the_line_that_is_too_long_is_named() {
        let mut meter = LineMeter::default();
        meter.add(b"a\nb\n\nc").unwrap();
        let piece = vec![b'x'; 1 << 20];
        let pieces = (MAX_LINE_BYTES >> 20) - 1;
        (0..pieces).for_each(|_| meter.add(&piece).unwrap());
        meter.add(&piece[1..]).unwrap();
        // The line has as many bytes as it may; its end is one of the next line.
        meter.add(b"\nd").unwrap();
        (0..pieces).for_each(|_| meter.add(&piece).unwrap());
        meter.add(&piece[1..]).unwrap();
        assert_eq!(meter.add(b"e\n").unwrap_err().line, Some(5));
    }
}
