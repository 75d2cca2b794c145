//! Offsets of bytes as offsets of characters.

/// Bytes between two known offsets.
const STEP: usize = 256;

/// Numbers of characters before positions of a text.
#[derive(Debug, Clone)]
pub(super) struct CharOffsets {
    /// Characters that begin before each multiple of [`STEP`]; empty for ASCII, where they are bytes.
    known: Vec<usize>,
}

impl CharOffsets {
    /// Counts the characters of a text.
    pub fn new(text: &str) -> Self {
        if text.is_ascii() {
            return CharOffsets { known: Vec::new() };
        }
        let counts = text.as_bytes().chunks(STEP).scan(0, |total, chunk| {
            let before = *total;
            *total += starts(chunk);
            Some(before)
        });
        CharOffsets { known: counts.collect() }
    }

    /// Returns the number of characters before a byte, which begins a character or ends the text.
    pub fn characters(&self, text: &str, byte: usize) -> usize {
        // The end of a text may be behind the last chunk.
        let Some(last) = self.known.len().checked_sub(1) else { return byte };
        let chunk = (byte / STEP).min(last);
        self.known[chunk] + starts(&text.as_bytes()[chunk * STEP..byte])
    }
}

/// Returns the number of characters that begin in these bytes.
fn starts(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte as i8 >= -0x40).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn offsets_count_characters(text in "[a-zéж中😀 ]{0,900}") {
            let offsets = CharOffsets::new(&text);
            for (number, (byte, _)) in text.char_indices().enumerate() {
                prop_assert_eq!(offsets.characters(&text, byte), number);
            }
            prop_assert_eq!(offsets.characters(&text, text.len()), text.chars().count());
        }
    }
}
