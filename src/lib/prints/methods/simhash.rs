//! `simhash`: 64 bits, each the sign of a sum over the document's shingles (Charikar 2002, Manku et al. 2007).

use super::MethodEntry;
use super::shingles::Shingling;
use crate::prints::counting::Scratch;
use crate::prints::{Agreement, PrintMethod};
use crate::text::TextWords;

pub(super) const SIMHASH: MethodEntry = MethodEntry {
    name: "simhash",
    about: "64 bits, each the sign of a sum over all words; at most 3 may differ",
    flags: &["shingle_size", "unit", "overlap", "distance"],
    min_word_len: 1,
    create: |options| {
        let (shingling, distance) = (Shingling::new(options, 1), options.distance.unwrap_or(3));
        Ok(Box::new(SignBits { shingling, distance }))
    },
};

struct SignBits {
    shingling: Shingling,
    distance: u32,
}

impl PrintMethod for SignBits {
    /// A shingle counts as often as it occurs. A sum of 0 gives a 1.
    fn append(&self, words: TextWords<'_>, scratch: &mut Scratch, print: &mut Vec<u64>) {
        // Digit d of the number of ones of each bit is that bit of the d-th word.
        let (mut digits, mut count) = ([0u64; 64], 0);
        self.shingling.for_each(words, &mut scratch.characters, |hash| {
            let mut carry = hash;
            for digit in &mut digits {
                if carry == 0 {
                    break;
                }
                (*digit, carry) = (*digit ^ carry, *digit & carry);
            }
            count += 1;
        });
        let length = u64::BITS - u64::leading_zeros(count);
        let ones = |bit: u32| {
            let digits = digits[..length as usize].iter().zip(0..);
            digits.map(|(digit, at)| (digit >> bit & 1) << at).sum::<u64>()
        };
        let is_one = |bit: u32| u64::from(2 * ones(bit) >= count);
        print.push((0..u64::BITS).map(|bit| is_one(bit) << bit).sum());
    }

    fn agreement(&self) -> Agreement {
        Agreement::Distance { max: self.distance }
    }
}
