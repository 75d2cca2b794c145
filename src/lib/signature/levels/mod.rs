//! Signatures from hyperplanes with small integer components: no table, no multiplication.
//!
//! A component is −3, −1, 1 or 3 with probabilities 1/16, 7/16, 7/16, 1/16: 2u − 3 for a two-bit number u. Its kurtosis of 2.75 is so close to
//! the 3 of the normal distribution that sums over eight or more terms of similar weight are indistinguishable from normal ones; where a few
//! terms dominate, they are not ([`MIN_EFFECTIVE_TERMS`]). Rows are generated on demand, except those of the first terms of the vocabulary,
//! which occur in almost every document. Weights are integers up to 63, and sums are bit-sliced
//! (`bits::weighted_sum`).
//!
//! Four random blocks a, b, c, d of 128 bits are the generator's numbers (term, 4·g + 0 … 3) for bits 128·g … of a row, each as two words, the
//! first bit the highest of the first. The higher digit of u is a, the lower one a xor (b or c or d).

#[cfg(test)]
mod tests;

use rayon::prelude::*;

use super::{BITS_PER_WORD, QuantizedVectors, SignatureSet};
use crate::bits::ars::RoundKeys;
use crate::bits::cpu::Cpu;
use crate::bits::random_blocks::{AesEngine, AesKernel, BLOCKS, RandomBlocks, SoftwareAes};
use crate::bits::vector::{BitVector, MAX_WORDS};
use crate::bits::weighted_sum::{DigitRow, WEIGHT_DIGITS, WeightLists, zero_sums};

/// Quantized value of the largest weight of a vector. Finer steps made no measurable difference.
pub const STEPS: i16 = (1 << WEIGHT_DIGITS) - 1;
/// Minimum number of [effective terms](super::effective_terms); below it, signatures are less accurate than those of normal components.
pub const MIN_EFFECTIVE_TERMS: f64 = 8.0;
/// Bytes of cached rows, which should stay in L2.
const CACHE_BYTES: usize = 1 << 18;

/// The hyperplanes of one seed.
pub struct Levels {
    keys: RoundKeys,
    bits: usize,
    engine: AesEngine,
    /// The rows of the first terms, register by register: for each term the lower digits, then the higher.
    cached_rows: Vec<u64>,
    cached_terms: usize,
}

impl Levels {
    /// Returns the hyperplanes for `bits` bits over a vocabulary of `terms` terms.
    pub fn new(seed: u64, bits: usize, terms: usize, cpu: Cpu) -> Self {
        Self::with_engine(seed, bits, terms, AesEngine::fastest(cpu))
    }

    fn with_engine(seed: u64, bits: usize, terms: usize, engine: AesEngine) -> Self {
        let words = SignatureSet::words_for(bits).next_multiple_of(MAX_WORDS);
        let row_bytes = 2 * words * size_of::<u64>();
        let cached_terms = terms.min(CACHE_BYTES / row_bytes);
        let mut rows = vec![0; 2 * words * cached_terms];
        let keys = RoundKeys::new(seed);
        let levels = Levels { keys, bits, engine, cached_rows: Vec::new(), cached_terms: 0 };
        engine.run(CacheRows { levels: &levels, rows: &mut rows, terms: cached_terms });
        Levels { cached_rows: rows, cached_terms, ..levels }
    }

    /// Returns the number of hyperplanes.
    pub fn bits(&self) -> usize {
        self.bits
    }

    /// Signs vectors that are quantized to [`STEPS`] and whose terms ascend: bit `j` is 1 if the exact dot product with hyperplane `j` is at
    /// least 0. `signatures` holds the words of all signatures of each part.
    pub fn sign(&self, parts: &[QuantizedVectors], signatures: &mut [&mut [u64]]) {
        let work = parts.par_iter().zip(signatures);
        work.for_each(|(part, signatures)| {
            self.engine.run(Sign { levels: self, part, signatures });
        });
    }

    /// Returns component `term` of every hyperplane.
    pub fn row(&self, term: u32) -> Vec<i8> {
        let digits: Vec<[u64; 2]> = (0..SignatureSet::words_for(self.bits))
            .map(|word| {
                let counters = SoftwareAes::counters(&self.keys, word / SoftwareAes::WORDS);
                generate::<SoftwareAes>(&self.keys, &counters, term).map(|digits| {
                    let mut words = [0; MAX_WORDS];
                    digits.write_words(&mut words);
                    words[word % SoftwareAes::WORDS]
                })
            })
            .collect();
        let component = |bit: usize| {
            let digit = |at: usize| {
                digits[bit / BITS_PER_WORD][at] >> (BITS_PER_WORD - 1 - bit % BITS_PER_WORD) & 1
            };
            2 * (digit(0) + 2 * digit(1)) as i8 - 3
        };
        (0..self.bits).map(component).collect()
    }

    /// Returns the start of a term's cached row, in the part of one register.
    #[inline(always)]
    fn cached_at<B: RandomBlocks>(terms: usize, term: usize, part: usize) -> usize {
        2 * B::WORDS * (part * terms + term)
    }
}

/// Generates the part of a row that one register holds.
#[inline(always)]
fn generate<B: RandomBlocks>(
    keys: &RoundKeys,
    counters: &[B::Vector; BLOCKS],
    term: u32,
) -> DigitRow<B::Vector> {
    let [a, b, c, d] = B::random(keys, counters, term);
    [a.xor(b.or(c).or(d)), a]
}

/// Generates the rows of the first terms.
struct CacheRows<'a> {
    levels: &'a Levels,
    rows: &'a mut [u64],
    terms: usize,
}

impl AesKernel for CacheRows<'_> {
    #[inline(always)]
    fn run<B: RandomBlocks>(self) {
        let levels = self.levels;
        for part in 0..SignatureSet::words_for(levels.bits).div_ceil(B::WORDS) {
            let counters = B::counters(&levels.keys, part);
            for term in 0..self.terms {
                let row = &mut self.rows[Levels::cached_at::<B>(self.terms, term, part)..];
                let digits = generate::<B>(&levels.keys, &counters, term as u32);
                for (digits, words) in digits.into_iter().zip(row.chunks_mut(B::WORDS)) {
                    store(digits, words);
                }
            }
        }
    }
}

/// Signs the vectors of one part.
struct Sign<'a> {
    levels: &'a Levels,
    part: &'a QuantizedVectors,
    signatures: &'a mut [u64],
}

impl AesKernel for Sign<'_> {
    #[inline(always)]
    fn run<B: RandomBlocks>(self) {
        let levels = self.levels;
        let words = SignatureSet::words_for(levels.bits);
        let unused_bits = words * BITS_PER_WORD - levels.bits;
        let mut lists = WeightLists::default();
        let mut rows: Vec<DigitRow<B::Vector>> = Vec::new();
        let mut sums = zero_sums();
        for (vector, signature) in self.signatures.chunks_exact_mut(words).enumerate() {
            let (terms, weights) = self.part.get(vector);
            lists.set(weights);
            let has_negative = weights.iter().any(|weight| *weight < 0);
            rows.resize(terms.len() + 1, [B::Vector::splat(false); 2]);
            rows[terms.len()] = [B::Vector::splat(false); 2];
            for (part, words) in signature.chunks_mut(B::WORDS).enumerate() {
                gather::<B>(levels, terms, part, &mut rows);
                if has_negative {
                    negate(weights, &mut rows);
                }
                store(lists.at_least_zero(&rows, &mut sums), words);
            }
            signature[words - 1] &= u64::MAX << unused_bits;
        }
    }
}

/// Writes the first words of a vector.
#[inline(always)]
fn store<V: BitVector>(vector: V, words: &mut [u64]) {
    let mut whole = [0; MAX_WORDS];
    vector.write_words(&mut whole);
    words.copy_from_slice(&whole[..words.len()]);
}

/// Writes the part of the terms' rows that one register holds to `rows`. The rows of the first terms are cached, the others are generated.
#[inline(always)]
fn gather<B: RandomBlocks>(
    levels: &Levels,
    terms: &[u32],
    part: usize,
    rows: &mut [DigitRow<B::Vector>],
) {
    let cached = terms.partition_point(|term| (*term as usize) < levels.cached_terms);
    for (term, row) in terms[..cached].iter().zip(&mut *rows) {
        let start = Levels::cached_at::<B>(levels.cached_terms, *term as usize, part);
        let words = &levels.cached_rows[start..];
        *row = [B::Vector::from_words(words), B::Vector::from_words(&words[B::WORDS..])];
    }
    let counters = B::counters(&levels.keys, part);
    for (term, row) in terms[cached..].iter().zip(&mut rows[cached..]) {
        *row = generate::<B>(&levels.keys, &counters, *term);
    }
}

/// Negates the rows of negative weights: 3 − u instead of u.
#[inline(always)]
fn negate<V: BitVector>(weights: &[i16], rows: &mut [DigitRow<V>]) {
    for (_, row) in weights.iter().zip(rows).filter(|(weight, _)| **weight < 0) {
        *row = row.map(|digits| digits.xor(V::splat(true)));
    }
}
