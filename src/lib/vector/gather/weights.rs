//! Weights of a document's words.

use crate::vector::{MAX_LETTERS, STEPS, word_weight};

/// A word's occurrences in a document times 8, plus its letters minus 1 (at most 8 letters count): one addition per occurrence.
pub(super) type Occurrences = u64;

/// One occurrence.
pub(super) const ONE: Occurrences = MAX_LETTERS as Occurrences;

/// The first occurrence of a word of 1 to 8 letters.
#[inline(always)]
pub(super) fn first(letters: u8) -> Occurrences {
    ONE + Occurrences::from(letters.wrapping_sub(1) % MAX_LETTERS)
}

/// Weights of fewer occurrences are tabulated.
const SMALL: usize = 256;

/// Table of weights in steps ([`word_weight`]).
pub(super) struct Weights([u16; SMALL * MAX_LETTERS as usize]);

impl Weights {
    pub fn new() -> Self {
        // The first entries, for no occurrence, are never read.
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

/// The weight in steps, which has at most 16 bits.
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
        for letters in 1..=MAX_LETTERS {
            for count in [1, 2, 3, 200, 255, 256, 257, 1000, 1 << 40] {
                let occurrences = first(letters) + (count - 1) * ONE;
                let steps = f64::from(word_weight(count, letters)) * STEPS;
                assert_eq!(f64::from(weights.of(occurrences)), steps, "{count} {letters}");
            }
        }
    }
}
