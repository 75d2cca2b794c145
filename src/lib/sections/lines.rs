//! Line numbers of bytes.

use std::ops::Range;

use memchr::memchr_iter;

/// Starts of the lines of a text.
pub(super) struct LineStarts {
    starts: Vec<usize>,
    length: usize,
}

impl LineStarts {
    /// Finds all lines of a text. Text after the last newline is a line, even if it is empty.
    pub fn new(text: &str) -> Self {
        let ends = memchr_iter(b'\n', text.as_bytes());
        let starts = std::iter::once(0).chain(ends.map(|end| end + 1)).collect();
        LineStarts { starts, length: text.len() }
    }

    /// Returns the number of lines.
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// Returns the bytes of a line, counted from 1.
    pub fn bytes(&self, line: usize) -> Range<usize> {
        self.starts[line - 1]..self.starts.get(line).copied().unwrap_or(self.length)
    }

    /// Returns the first and the last line of a range, counted from 1.
    pub fn of(&self, bytes: &Range<usize>) -> (usize, usize) {
        let line = |byte: usize| self.starts.partition_point(|start| *start <= byte);
        (line(bytes.start), line(bytes.end.max(bytes.start + 1) - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_count_from_one() {
        let lines = LineStarts::new("ab\n\ncd\n");
        assert_eq!(lines.count(), 4);
        assert_eq!([1, 2, 3, 4].map(|line| lines.bytes(line)), [0..3, 3..4, 4..7, 7..7]);
        assert_eq!(lines.of(&(0..3)), (1, 1));
        assert_eq!(lines.of(&(1..5)), (1, 3));
        assert_eq!(lines.of(&(3..3)), (2, 2));
        assert_eq!(LineStarts::new("").of(&(0..0)), (1, 1));
    }
}
