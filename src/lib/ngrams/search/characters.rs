//! Places in characters.

use std::ops::Range;

/// Bytes between two counts of characters.
const STEP: usize = 1024;

/// Numbers of characters before bytes of a text.
pub(super) struct CharacterCounts<'t> {
    text: &'t [u8],
    /// Characters that begin before each step; none if all are ASCII.
    counts: Vec<usize>,
}

impl<'t> CharacterCounts<'t> {
    pub fn new(text: &'t str) -> Self {
        let bytes = text.as_bytes();
        let mut counts = Vec::new();
        if !text.is_ascii() {
            let mut total = 0;
            for step in bytes.chunks(STEP) {
                counts.push(total);
                total += characters(step);
            }
            counts.push(total);
        }
        CharacterCounts { text: bytes, counts }
    }

    /// Returns the number of characters before a byte.
    pub fn before(&self, byte: usize) -> usize {
        match self.counts.get(byte / STEP) {
            None if self.counts.is_empty() => byte,
            None => self.counts.last().copied().unwrap_or(0),
            Some(count) => count + characters(&self.text[byte / STEP * STEP..byte]),
        }
    }

    /// Returns the first character and the number of characters of some bytes.
    pub fn range(&self, bytes: Range<usize>) -> (usize, usize) {
        let start = self.before(bytes.start);
        (start, self.before(bytes.end) - start)
    }
}

/// Returns the number of characters that begin in some bytes.
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn characters_are_counted(text in "[a-cé中😀]{0,40}", times in 1usize..200) {
            let text = text.repeat(times);
            let counts = CharacterCounts::new(&text);
            for (number, (at, _)) in text.char_indices().enumerate() {
                prop_assert_eq!(counts.before(at), number);
            }
            prop_assert_eq!(counts.range(0..text.len()), (0, text.chars().count()));
        }
    }
}
