//! The weights of a document's words.

use crate::vector::{ENOUGH_LETTERS, STEPS, word_weight};

/// A word's occurrences in a document, and its letters that count, in one number to which 8 is added for each occurrence.
pub(super) type Occurrences = u64;

/// One occurrence.
pub(super) const ONE: Occurrences = ENOUGH_LETTERS as Occurrences;

/// The first occurrence of a word with so many letters that count, at least one.
#[inline(always)]
pub(super) fn first(letters: u8) -> Occurrences {
    ONE + Occurrences::from(letters.wrapping_sub(1) % ENOUGH_LETTERS)
}

/// Occurrences up to so many are looked up.
const SMALL: usize = 256;

/// Weights in steps ([`word_weight`]), of which those of small counts are kept.
pub(super) struct Weights([u16; SMALL * ENOUGH_LETTERS as usize]);

impl Weights {
    pub fn new() -> Self {
        // No word occurs 0 times.
        Weights(std::array::from_fn(|number| steps((number as Occurrences).max(ONE))))
    }

    #[inline(always)]
    pub fn of(&self, occurrences: Occurrences) -> u16 {
        match self.0.get(occurrences as usize) {
            Some(weight) => *weight,
            None => steps(occurrences),
        }
    }
}

/// No weight has more than 16 bits of steps.
fn steps(occurrences: Occurrences) -> u16 {
    let letters = (occurrences % ONE) as u8 + 1;
    (f64::from(word_weight(occurrences / ONE, letters)) * STEPS) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_those_of_words() {
        let weights = Weights::new();
        for letters in 1..=ENOUGH_LETTERS {
            for count in [1, 2, 3, 200, 255, 256, 257, 1000, 1 << 40] {
                let occurrences = first(letters) + (count - 1) * ONE;
                let steps = f64::from(word_weight(count, letters)) * STEPS;
                assert_eq!(f64::from(weights.of(occurrences)), steps, "{count} {letters}");
            }
        }
    }
}
