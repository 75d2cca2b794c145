//! Positions in texts as scripts count them.

use std::ops::Range;

/// Positions in a text as scripts of pages count them: in UTF-16 code units.
pub(crate) struct Utf16Positions {
    /// Positions in bytes, ascending, with those in code units.
    positions: Vec<(usize, usize)>,
}

impl Utf16Positions {
    /// Converts positions in bytes; those beyond the text are left out.
    pub fn new(text: &str, mut bytes: Vec<usize>) -> Self {
        bytes.retain(|byte| *byte <= text.len());
        bytes.sort_unstable();
        bytes.dedup();
        let (mut start, mut units) = (0, 0);
        let convert = |byte: usize| {
            units += text[start..byte].encode_utf16().count();
            start = byte;
            (byte, units)
        };
        Utf16Positions { positions: bytes.into_iter().map(convert).collect() }
    }

    /// Returns the position of a byte, if it was converted.
    pub fn get(&self, byte: usize) -> Option<usize> {
        let at = self.positions.binary_search_by_key(&byte, |(known, _)| *known).ok()?;
        Some(self.positions[at].1)
    }

    /// Returns the start and end of some bytes, if both were converted.
    pub fn range(&self, bytes: &Range<usize>) -> Option<(usize, usize)> {
        Some((self.get(bytes.start)?, self.get(bytes.end)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_utf16_code_units() {
        let positions = Utf16Positions::new("aé𝄞中b", vec![10, 0, 3, 7, 3, 11, 99]);
        let expected = [0, 2, 4, 5, 6].map(Some);
        assert_eq!([0, 3, 7, 10, 11].map(|byte| positions.get(byte)), expected);
        assert_eq!((positions.get(99), positions.get(1)), (None, None));
    }
}
