//! Signatures from hyperplanes with normal components, kept in a table of 16-bit integers.
//!
//! Many vectors are signed [panel by panel](crate::bits::panel): the rows that many of them share, those of the first terms of the vocabulary,
//! stay in the cache. All sums are exact, so no order of the work changes a bit.

use std::ops::Range;

use rayon::prelude::*;

use super::{BITS_PER_WORD, Hyperplanes, QuantizedVectors, SignatureSet, normal};
use crate::bits::cpu::Cpu;
use crate::bits::panel::{self, PANEL, Panel, ROWS_PER_GROUP};

/// Quantized value of the largest weight of a vector: far finer than the error of thousands of bits, yet the sums of a hundred terms mostly
/// fit 32 bits.
pub const STEPS: i16 = 4095;

/// Neighboring hyperplanes, one row of components per term, [arranged](panel::arrange) in panels.
pub struct HyperplaneBlock<'a> {
    /// Bits of the signature that belong to these hyperplanes; the first is a multiple of 64 unless there are fewer than 64.
    pub bits: Range<usize>,
    /// Number of terms.
    pub terms: usize,
    /// The arranged rows.
    pub rows: &'a [i16],
}

/// Fills `rows` with the arranged rows of all hyperplanes, in parallel.
pub fn fill(planes: &Hyperplanes, rows: &mut [i16]) {
    let width = planes.bits();
    let draw = |(chunk, arranged): (usize, &mut [i16])| {
        let mut drawn = vec![0; arranged.len()];
        for (term, row) in drawn.chunks_exact_mut(width).enumerate() {
            planes.row(chunk * ROWS_PER_GROUP + term, row);
        }
        panel::arrange(&drawn, width, arranged);
    };
    rows.par_chunks_mut(width * ROWS_PER_GROUP).enumerate().for_each(draw);
}

impl HyperplaneBlock<'_> {
    /// Sets the bits of the block in signatures of `bits` bits, where they are 0: bit `j` is 1 if the exact dot product with hyperplane `j` is at
    /// least 0. `signatures` holds the words of all signatures of each part.
    pub fn sign(
        &self,
        parts: &[QuantizedVectors],
        bits: usize,
        signatures: &mut [&mut [u64]],
        cpu: Cpu,
    ) {
        let words = SignatureSet::words_for(bits);
        for first in (0..self.bits.len()).step_by(PANEL) {
            let panel = Panel::new(self.rows, self.terms, self.bits.len(), first);
            let first_bit = self.bits.start + first;
            let work = parts.par_iter().zip(&mut *signatures);
            work.for_each(|(part, signatures)| {
                for (document, signature) in signatures.chunks_exact_mut(words).enumerate() {
                    let (terms, weights) = part.get(document);
                    let signs = panel.signs(terms, weights, normal::LARGEST, cpu);
                    set(signature, signs, first_bit, panel.width());
                }
            });
        }
    }
}

/// Writes the bits of a panel to a signature; `signs` has the first in its highest bit.
fn set(signature: &mut [u64], signs: u64, first: usize, width: usize) {
    let (word, shift) = (first / BITS_PER_WORD, first % BITS_PER_WORD);
    signature[word] |= signs >> shift;
    if shift + width > BITS_PER_WORD {
        signature[word + 1] |= signs << (BITS_PER_WORD - shift);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Signs by the definition, one component at a time.
    fn plain(planes: &Hyperplanes, terms: &[u32], weights: &[i16]) -> Vec<bool> {
        let mut sums = vec![0i64; planes.bits()];
        let mut row = vec![0; planes.bits()];
        for (term, weight) in terms.iter().zip(weights) {
            planes.row(*term as usize, &mut row);
            sums.iter_mut().zip(&row).for_each(|(s, c)| *s += i64::from(*weight) * i64::from(*c));
        }
        sums.into_iter().map(|sum| sum >= 0).collect()
    }

    fn bits_of(words: &[u64], bits: usize) -> Vec<bool> {
        (0..bits).map(|bit| words[bit / 64] >> (63 - bit % 64) & 1 == 1).collect()
    }

    /// Signs block by block, with blocks of one width.
    fn signed(
        planes: &Hyperplanes,
        documents: &QuantizedVectors,
        width: usize,
        cpu: Cpu,
    ) -> Vec<u64> {
        let (bits, terms) = (planes.bits(), planes.terms());
        let mut words = vec![0; SignatureSet::words_for(bits) * documents.len()];
        for first in (0..bits).step_by(width) {
            let range = first..(first + width).min(bits);
            let mut rows = vec![0; terms * range.len()];
            let mut row = vec![0; bits];
            for (chunk, arranged) in rows.chunks_mut(ROWS_PER_GROUP * range.len()).enumerate() {
                let mut part = Vec::new();
                for term in 0..arranged.len() / range.len() {
                    planes.row(chunk * ROWS_PER_GROUP + term, &mut row);
                    part.extend_from_slice(&row[range.clone()]);
                }
                panel::arrange(&part, range.len(), arranged);
            }
            let block = HyperplaneBlock { bits: range, terms, rows: &rows };
            block.sign(std::slice::from_ref(documents), bits, &mut [&mut words], cpu);
        }
        words
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn all_instruction_sets_give_the_same_bits(
            bits in prop::sample::select(&[4usize, 60, 64, 68, 128, 200, 256][..]),
            width in prop::sample::select(&[3usize, 13, 64, 128, 256][..]),
            terms in prop::sample::select(&[1usize, 2, 511, 512, 513, 1300][..]),
            counts in prop::collection::vec(0..300usize, 1..4),
            seed: u64,
        ) {
            let planes = Hyperplanes::new(seed, bits, terms);
            let mut documents = QuantizedVectors::new(STEPS);
            for (number, count) in counts.iter().enumerate() {
                let mut indexes: Vec<u32> = (0..*count).map(|at| ((at * 7 + number) % terms) as u32).collect();
                indexes.sort_unstable();
                indexes.dedup();
                let values: Vec<f32> = indexes.iter().map(|at| (*at as f32 * 1.7).sin()).collect();
                documents.push(&indexes, &values);
            }
            let expected: Vec<Vec<bool>> = (0..documents.len()).map(|number| {
                let (terms, weights) = documents.get(number);
                plain(&planes, terms, weights)
            }).collect();
            for cpu in Cpu::available() {
                let words = signed(&planes, &documents, width, cpu);
                for (signature, expected) in words.chunks(SignatureSet::words_for(bits)).zip(&expected) {
                    prop_assert_eq!(&bits_of(signature, bits), expected);
                }
            }
        }
    }

    #[test]
    fn sums_beyond_32_bits_are_exact() {
        // The largest weights on all terms: 3000 · 4095 · 0.8 · 4096 does not fit if all have one sign.
        let planes = Hyperplanes::new(3, 64, 3000);
        let mut row = vec![0; 64];
        let leaning: Vec<f32> = (0..3000)
            .map(|term| {
                planes.row(term, &mut row);
                f32::from(row[5].signum())
            })
            .collect();
        let mut documents = QuantizedVectors::new(STEPS);
        documents.push(&(0..3000).collect::<Vec<u32>>(), &leaning);
        let expected = plain(&planes, documents.get(0).0, documents.get(0).1);
        assert!(expected[5]);
        for cpu in Cpu::available() {
            assert_eq!(bits_of(&signed(&planes, &documents, 64, cpu), 64), expected);
        }
    }
}
