//! Text derived from an original, with the byte range in the original of each of its parts.

use std::borrow::Cow;
use std::ops::Range;

/// Receives the output of a character filter, part by part. Positions are bytes of the filter's input.
pub(crate) trait TextSink {
    /// The output so far.
    fn as_str(&self) -> &str;
    /// Appends input that starts at `start` and stays as it is.
    fn push_copy(&mut self, text: &str, start: usize);
    /// Appends `text` in place of the input in `range`, which is not empty.
    fn push_replacement(&mut self, text: &str, range: Range<usize>);
}

/// Keeps the text alone.
impl TextSink for String {
    #[inline]
    fn as_str(&self) -> &str {
        self
    }

    #[inline]
    fn push_copy(&mut self, text: &str, _start: usize) {
        self.push_str(text);
    }

    #[inline]
    fn push_replacement(&mut self, text: &str, _range: Range<usize>) {
        self.push_str(text);
    }
}

/// A filtered text with the original range of every part. Lookups take time logarithmic in the number of parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct MappedText<'a> {
    text: Cow<'a, str>,
    pieces: Vec<Piece>,
}

/// A part of the text; it ends where the next one starts.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Piece {
    /// Position in the filtered text.
    start: usize,
    original: Range<usize>,
    /// Whether this is the original's text byte by byte. Other pieces map as a whole.
    is_copy: bool,
}

impl<'a> MappedText<'a> {
    /// A text that is its own original.
    pub fn identity(text: &'a str) -> Self {
        let piece = Piece { start: 0, original: 0..text.len(), is_copy: true };
        MappedText { text: Cow::Borrowed(text), pieces: vec![piece] }
    }

    /// Returns the range of the original that `range` of this text, which is not empty, comes from.
    pub fn original_range(&self, range: Range<usize>) -> Range<usize> {
        let (first, last) = (self.piece_at(range.start), self.piece_at(range.end - 1));
        let skipped = if first.is_copy { range.start - first.start } else { 0 };
        let end = match last.is_copy {
            true => last.original.start + (range.end - last.start),
            false => last.original.end,
        };
        first.original.start + skipped..end
    }

    /// Returns `next`, a text whose original is this text, with the ranges of this text's original.
    pub fn then(&self, next: MappedText<'_>) -> MappedText<'static> {
        let mut all = MappedText::default();
        let ends = next.pieces.iter().skip(1).map(|piece| piece.start).chain([next.text.len()]);
        for (Piece { start, original, is_copy }, end) in next.pieces.iter().zip(ends) {
            match is_copy {
                true => all.push_part(self, original.clone()),
                false => {
                    let original = self.original_range(original.clone());
                    all.push(&next.text[*start..end], original, false);
                }
            }
        }
        all
    }

    /// Appends a range of another text of the same original.
    fn push_part(&mut self, other: &MappedText<'_>, range: Range<usize>) {
        let mut start = range.start;
        while start < range.end {
            let next = other.pieces.partition_point(|piece| piece.start <= start);
            let end = other.pieces.get(next).map_or(range.end, |piece| piece.start.min(range.end));
            let original = other.original_range(start..end);
            self.push(&other.text[start..end], original, other.pieces[next - 1].is_copy);
            start = end;
        }
    }

    fn push(&mut self, text: &str, original: Range<usize>, is_copy: bool) {
        if text.is_empty() {
            return;
        }
        match self.pieces.last_mut() {
            Some(last) if is_copy && last.is_copy && last.original.end == original.start => {
                last.original.end = original.end;
            }
            _ => self.pieces.push(Piece { start: self.text.len(), original, is_copy }),
        }
        self.text.to_mut().push_str(text);
    }

    fn piece_at(&self, at: usize) -> &Piece {
        &self.pieces[self.pieces.partition_point(|piece| piece.start <= at) - 1]
    }
}

impl TextSink for MappedText<'_> {
    fn as_str(&self) -> &str {
        &self.text
    }

    fn push_copy(&mut self, text: &str, start: usize) {
        self.push(text, start..start + text.len(), true);
    }

    fn push_replacement(&mut self, text: &str, range: Range<usize>) {
        self.push(text, range, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_map_by_byte_and_replacements_as_a_whole() {
        let mut text = MappedText::default();
        text.push_copy("a", 3);
        text.push_copy("", 4);
        text.push_copy("b", 4);
        text.push_replacement("XYZ", 5..6);
        text.push_copy("cd", 9);
        assert_eq!((text.as_str(), text.pieces.len()), ("abXYZcd", 3));
        for (range, original) in
            [(0..1, 3..4), (1..3, 4..6), (3..4, 5..6), (4..6, 5..10), (6..7, 10..11)]
        {
            assert_eq!(text.original_range(range), original);
        }
    }

    #[test]
    fn mappings_compose() {
        let mut first = MappedText::default();
        first.push_copy("ab", 10);
        first.push_replacement("&", 20..25);
        first.push_copy("cd", 30);
        let mut second = MappedText::default();
        second.push_copy("b&c", 1);
        second.push_replacement("!", 2..5);
        let both = first.then(second);
        assert_eq!(both.as_str(), "b&c!");
        for (range, original) in [(0..1, 11..12), (1..2, 20..25), (2..3, 30..31), (3..4, 20..32)] {
            assert_eq!(both.original_range(range), original);
        }
    }
}
