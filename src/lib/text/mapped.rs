//! Text derived from an original, with the byte range in the original of each of its parts.

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

/// A filtered text with the original range of every byte.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct MappedText {
    text: String,
    /// Start and end in the original. Copied bytes map to themselves, replacements to all that they replace.
    origins: Vec<(usize, usize)>,
}

impl MappedText {
    /// A text that is its own original.
    pub fn identity(text: &str) -> Self {
        let mut mapped = MappedText::default();
        mapped.push_copy(text, 0);
        mapped
    }

    /// Returns the range of the original that `range` of this text, which is not empty, comes from.
    pub fn original_range(&self, range: Range<usize>) -> Range<usize> {
        self.origins[range.start].0..self.origins[range.end - 1].1
    }

    /// Returns `next`, a text whose original is this text, with the ranges of this text's original.
    pub fn then(&self, mut next: MappedText) -> MappedText {
        for origin in &mut next.origins {
            *origin = (self.origins[origin.0].0, self.origins[origin.1 - 1].1);
        }
        next
    }
}

impl TextSink for MappedText {
    fn as_str(&self) -> &str {
        &self.text
    }

    fn push_copy(&mut self, text: &str, start: usize) {
        self.origins.extend((start..start + text.len()).map(|at| (at, at + 1)));
        self.text.push_str(text);
    }

    fn push_replacement(&mut self, text: &str, range: Range<usize>) {
        self.origins.extend(std::iter::repeat_n((range.start, range.end), text.len()));
        self.text.push_str(text);
    }
}
