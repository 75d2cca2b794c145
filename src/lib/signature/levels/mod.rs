//! Signatures from random vectors of small whole numbers: no table, no multiplication.
//!
//! A component is −3, −1, 1 or 3 with probabilities 1/16, 7/16, 7/16, 1/16: 2u − 3 with a number u of two bits. Kurtosis 2.75 is so near the normal
//! distribution's 3 that sums over eight and more terms of similar weight cannot be told from normal ones; where a few terms
//! decide, they can ([`MIN_EFFECTIVE_TERMS`]). Rows are made of the generator's bits whenever they are needed, except those of the first terms of the
//! vocabulary, which almost every document has. Weights are whole numbers up to 63, and all sums are kept as bits: register `k` holds the
//! `k`-th binary digit of as many sums as it has bits.
//!
//! Four random blocks a, b, c, d of 128 bits are the generator's numbers (term, 4·g + 0 … 3) for bits 128·g … of a row, each as two words, the
//! first bit the highest of the first. The higher digit of u is a, the lower one a xor (b or c or d).

mod blocks;
mod generator;
mod sum;
#[cfg(test)]
mod tests;

use rayon::prelude::*;

use self::blocks::{BLOCKS, Blocks, Portable};
use self::generator::Keys;
use self::sum::{Row, TermLists, WEIGHT_DIGITS};
use super::{BITS_PER_WORD, QuantizedVectors, SignatureSet};
use crate::bits::cpu::Cpu;
use crate::bits::vector::{MOST_WORDS, Vector};

/// What the largest weight of a document becomes. Finer steps change nothing that could be measured.
pub const STEPS: i16 = (1 << WEIGHT_DIGITS) - 1;
/// QuantizedVectors with fewer effective terms ([`effective_terms`](super::effective_terms)) have signatures that are less accurate than theory
/// says of normal random vectors.
pub const MIN_EFFECTIVE_TERMS: f64 = 8.0;
/// Bytes of rows that are kept; they should stay in a core's own cache.
const KEPT_BYTES: usize = 1 << 18;

/// Which instructions make and add rows. The bits are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Engine {
    Portable,
    #[cfg(target_arch = "x86_64")]
    AesNi,
    #[cfg(target_arch = "x86_64")]
    Vaes,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Engine {
    /// All that this machine can run with these instructions, the fastest last.
    fn available(cpu: Cpu) -> Vec<Engine> {
        let mut engines = vec![Engine::Portable];
        #[cfg(target_arch = "x86_64")]
        {
            let has_vaes = is_x86_feature_detected!("vaes");
            let rest = [
                (Engine::AesNi, cpu >= Cpu::Avx2 && is_x86_feature_detected!("aes")),
                (Engine::Vaes, cpu >= Cpu::Avx2 && has_vaes),
                (Engine::Avx512, cpu >= Cpu::Avx512 && has_vaes),
            ];
            engines
                .extend(rest.iter().filter(|(_, is_there)| *is_there).map(|(engine, _)| *engine));
        }
        let _ = cpu;
        engines
    }

    fn fastest(cpu: Cpu) -> Engine {
        *Engine::available(cpu).last().expect("one is there always")
    }
}

/// The random vectors of one seed.
pub struct Levels {
    keys: Keys,
    bits: usize,
    engine: Engine,
    /// The rows of the first terms, register by register: for each term the lower digits, then the higher.
    kept: Vec<u64>,
    kept_terms: usize,
    /// For each term the number of its row; empty if that is the term itself.
    row_numbers: Vec<u32>,
}

impl Levels {
    /// The vectors for `bits` bits over a vocabulary of `terms` terms.
    pub fn new(seed: u64, bits: usize, terms: usize, cpu: Cpu) -> Self {
        Self::with_engine(seed, bits, terms, Vec::new(), Engine::fastest(cpu))
    }

    /// The vectors over a vocabulary whose terms have these numbers: term `t` has the components that term `row_numbers[t]` has in those
    /// of [`Levels::new`]. Where a term's number comes of its text ([`stable_hash`](crate::random::stable_hash)), signatures of the same text are the
    /// same in every collection.
    pub fn with_row_numbers(seed: u64, bits: usize, row_numbers: Vec<u32>, cpu: Cpu) -> Self {
        Self::with_engine(seed, bits, row_numbers.len(), row_numbers, Engine::fastest(cpu))
    }

    fn with_engine(
        seed: u64,
        bits: usize,
        terms: usize,
        row_numbers: Vec<u32>,
        engine: Engine,
    ) -> Self {
        let words = SignatureSet::words_for(bits).next_multiple_of(MOST_WORDS);
        let row_bytes = 2 * words * size_of::<u64>();
        let kept_terms = terms.min(KEPT_BYTES / row_bytes);
        let kept = vec![0; 2 * words * kept_terms];
        let keys = Keys::new(seed);
        let mut levels = Levels { keys, bits, engine, kept, kept_terms: 0, row_numbers };
        let mut rows = std::mem::take(&mut levels.kept);
        levels.run(Keep { rows: &mut rows, terms: kept_terms });
        Levels { kept: rows, kept_terms, ..levels }
    }

    /// Makes the signatures of documents whose weights have [`STEPS`] steps and whose terms ascend: bit `j` is 1 where the exact sum of weight times component of random
    /// vector `j` is at least 0. `signatures` has, for each of `parts`, the words of all its documents' signatures.
    pub fn sign(&self, parts: &[QuantizedVectors], signatures: &mut [&mut [u64]]) {
        let work = parts.par_iter().zip(signatures);
        work.for_each(|(part, signatures)| self.run(Sign { part, signatures }));
    }

    /// The documents' signatures, one after the other into `signatures`, in the thread that asks.
    pub(super) fn sign_part(&self, part: &QuantizedVectors, signatures: &mut [u64]) {
        self.run(Sign { part, signatures });
    }

    /// The number of a term's row.
    #[inline(always)]
    fn row_number(&self, term: u32) -> u32 {
        if self.row_numbers.is_empty() { term } else { self.row_numbers[term as usize] }
    }

    /// The numbers of terms' rows; `numbers` has room for them if they are others than the terms.
    #[inline(always)]
    fn numbers_of<'a>(&self, terms: &'a [u32], numbers: &'a mut Vec<u32>) -> &'a [u32] {
        if self.row_numbers.is_empty() {
            return terms;
        }
        numbers.clear();
        numbers.extend(terms.iter().map(|term| self.row_numbers[*term as usize]));
        numbers
    }

    /// The components of one term in every vector.
    pub fn row(&self, term: u32) -> Vec<i8> {
        let number = self.row_number(term);
        let digits: Vec<[u64; 2]> = (0..SignatureSet::words_for(self.bits))
            .map(|word| {
                let starts = Portable::starts(&self.keys, word / Portable::WORDS);
                made::<Portable>(&self.keys, &starts, number).map(|digits| {
                    let mut words = [0; MOST_WORDS];
                    digits.write_words(&mut words);
                    words[word % Portable::WORDS]
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

    /// Runs a task with the engine's registers.
    fn run(&self, task: impl Task) {
        match self.engine {
            Engine::Portable => task.run::<Portable>(self),
            // SAFETY: the engine was chosen because this processor has its instructions.
            #[cfg(target_arch = "x86_64")]
            Engine::AesNi => unsafe { engines::aes_ni(self, task) },
            #[cfg(target_arch = "x86_64")]
            Engine::Vaes => unsafe { engines::vaes(self, task) },
            #[cfg(target_arch = "x86_64")]
            Engine::Avx512 => unsafe { engines::avx512(self, task) },
        }
    }

    /// Where the kept row of a term begins, in one register's part.
    #[inline(always)]
    fn kept_at<B: Blocks>(terms: usize, term: usize, part: usize) -> usize {
        2 * B::WORDS * (part * terms + term)
    }
}

/// One register's part of the row with this number, out of random bits.
#[inline(always)]
fn made<B: Blocks>(keys: &Keys, starts: &[B::Vector; BLOCKS], number: u32) -> Row<B::Vector> {
    let [a, b, c, d] = B::random(keys, starts, number);
    [a.xor(b.or(c).or(d)), a]
}

/// Work that is the same in all registers. Its `run` must be inlined, so that it is compiled for the registers' instructions.
trait Task {
    fn run<B: Blocks>(self, levels: &Levels);
}

#[cfg(target_arch = "x86_64")]
mod engines {
    use super::blocks::{AesNi, Vaes, Vaes512};
    use super::{Levels, Task};

    #[target_feature(enable = "avx2,aes")]
    pub fn aes_ni(levels: &Levels, task: impl Task) {
        task.run::<AesNi>(levels);
    }

    #[target_feature(enable = "avx2,aes,vaes")]
    pub fn vaes(levels: &Levels, task: impl Task) {
        task.run::<Vaes>(levels);
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,aes,vaes")]
    pub fn avx512(levels: &Levels, task: impl Task) {
        task.run::<Vaes512>(levels);
    }
}

/// Makes the rows of the first terms.
struct Keep<'a> {
    rows: &'a mut [u64],
    terms: usize,
}

impl Task for Keep<'_> {
    #[inline(always)]
    fn run<B: Blocks>(self, levels: &Levels) {
        for part in 0..SignatureSet::words_for(levels.bits).div_ceil(B::WORDS) {
            let starts = B::starts(&levels.keys, part);
            for term in 0..self.terms {
                let row = &mut self.rows[Levels::kept_at::<B>(self.terms, term, part)..];
                let number = levels.row_number(term as u32);
                let digits = made::<B>(&levels.keys, &starts, number);
                for (digits, words) in digits.into_iter().zip(row.chunks_mut(B::WORDS)) {
                    store(digits, words);
                }
            }
        }
    }
}

/// Signs some documents.
struct Sign<'a> {
    part: &'a QuantizedVectors,
    signatures: &'a mut [u64],
}

impl Task for Sign<'_> {
    #[inline(always)]
    fn run<B: Blocks>(self, levels: &Levels) {
        let words = SignatureSet::words_for(levels.bits);
        let past_the_end = words * BITS_PER_WORD - levels.bits;
        let mut lists = TermLists::default();
        let mut rows: Vec<Row<B::Vector>> = Vec::new();
        let (mut sums, mut numbers) = (sum::none(), Vec::new());
        for (document, signature) in self.signatures.chunks_exact_mut(words).enumerate() {
            let (terms, weights) = self.part.get(document);
            let numbers = levels.numbers_of(terms, &mut numbers);
            lists.set(weights);
            let has_negative = weights.iter().any(|weight| *weight < 0);
            rows.resize(terms.len() + 1, [B::Vector::splat(false); 2]);
            rows[terms.len()] = [B::Vector::splat(false); 2];
            for (number, words) in signature.chunks_mut(B::WORDS).enumerate() {
                gather::<B>(levels, terms, numbers, number, &mut rows);
                if has_negative {
                    turn_negative(weights, &mut rows);
                }
                store(lists.at_least_zero(&rows, &mut sums), words);
            }
            signature[words - 1] &= u64::MAX << past_the_end;
        }
    }
}

/// The first words of a vector, as many as there is room for.
#[inline(always)]
fn store<V: Vector>(vector: V, words: &mut [u64]) {
    let mut whole = [0; MOST_WORDS];
    vector.write_words(&mut whole);
    words.copy_from_slice(&whole[..words.len()]);
}

/// Puts one vector's part of the terms' rows, which have these numbers, into `rows`: those of the first terms are kept, the others are made.
#[inline(always)]
fn gather<B: Blocks>(
    levels: &Levels,
    terms: &[u32],
    numbers: &[u32],
    part: usize,
    rows: &mut [Row<B::Vector>],
) {
    let kept = terms.partition_point(|term| (*term as usize) < levels.kept_terms);
    for (term, row) in terms[..kept].iter().zip(&mut *rows) {
        let words = &levels.kept[Levels::kept_at::<B>(levels.kept_terms, *term as usize, part)..];
        *row = [B::Vector::from_words(words), B::Vector::from_words(&words[B::WORDS..])];
    }
    let starts = B::starts(&levels.keys, part);
    for (number, row) in numbers[kept..].iter().zip(&mut rows[kept..]) {
        *row = made::<B>(&levels.keys, &starts, *number);
    }
}

/// A negative weight turns a row round: 3 − u instead of u.
#[inline(always)]
fn turn_negative<V: Vector>(weights: &[i16], rows: &mut [Row<V>]) {
    for (_, row) in weights.iter().zip(rows).filter(|(weight, _)| **weight < 0) {
        *row = row.map(|digits| digits.xor(V::splat(true)));
    }
}
