//! Scan: every pair of signatures within a distance, by comparing the prefixes of hundreds at once ([`sliced`]) and then the remaining pairs in
//! full.
//!
//! Unrelated signatures differ in about half of their bits, so a prefix of a little more than twice the maximum distance rules out almost every
//! pair. Its length is chosen on a sample of pairs; it affects time only.

use std::ops::Range;

use rayon::prelude::*;

use super::SignaturePair;
use super::pairs::sorted;
use crate::bits::vector::{BitVector, Kernel};
use crate::bits::{distance, distance_within, sliced};
use crate::session::Session;
use crate::signature::{BITS_PER_WORD, SignatureSet};

/// Columns per task: a multiple of every tile.
const COLUMNS_PER_TASK: usize = 1024;
/// Sampled pairs for choosing the prefix: enough to detect one in a thousand.
const SAMPLED_PAIRS: usize = 1 << 14;
/// Cycles per pair and unit of a sliced prefix: measured with AVX2, 2.8 cycles per pair at ten units.
pub(super) const UNIT_CYCLES: f64 = 0.28;
/// Cycles for verifying a pair that the prefix did not rule out.
pub(super) const VERIFY_CYCLES: f64 = 60.0;
/// Cycles per word of a pair compared without tiles.
pub(super) const WORD_CYCLES: f64 = 1.0;

/// Prefix of a scan, with its cost estimate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScanPlan {
    /// Units of [`sliced`] that are compared for every pair; `None` for all bits.
    prefix: Option<usize>,
    /// Cycles per pair.
    pub cycles: f64,
}

impl ScanPlan {
    /// Returns the cheapest prefix for a distance, judged by a sample of pairs.
    pub fn new(set: &SignatureSet, max: u32) -> Self {
        let words = SignatureSet::words_for(set.bits());
        let whole = ScanPlan { prefix: None, cycles: WORD_CYCLES * words as f64 };
        if set.len() < 2 {
            return whole;
        }
        let longest = (set.bits() / sliced::UNIT_BITS).min(sliced::MAX_UNITS);
        let sliced =
            remaining_pairs(set, max, longest).into_iter().zip(1..).map(|(count, units)| {
                let share = count as f64 / SAMPLED_PAIRS as f64;
                let cycles = units as f64 * UNIT_CYCLES + share * VERIFY_CYCLES;
                ScanPlan { prefix: Some(units), cycles }
            });
        let plans = sliced.chain([whole]);
        plans.min_by(|one, other| one.cycles.total_cmp(&other.cycles)).unwrap_or(whole)
    }
}

/// Returns the number of sampled pairs that prefixes of 1, 2, … units do not rule out.
fn remaining_pairs(set: &SignatureSet, max: u32, longest: usize) -> Vec<usize> {
    /// A prime stride visits all signatures before it repeats, in an order unrelated to theirs.
    const STRIDE: usize = 1_000_003;
    let mut counts = vec![0; longest];
    let all: Vec<usize> = (1..=longest).collect();
    for number in 0..SAMPLED_PAIRS {
        let one = number.wrapping_mul(STRIDE) % set.len();
        let other = (one + 1 + number.wrapping_mul(STRIDE / 7) % (set.len() - 1)) % set.len();
        let (left, right) = (set.get(one), set.get(other));
        // The counted distance grows with the prefix: bisect.
        let counted = |units: usize| prefix_distance(left, right, units * sliced::UNIT_BITS);
        let fits = all.partition_point(|units| counted(*units) <= max);
        counts[..fits].iter_mut().for_each(|count| *count += 1);
    }
    counts
}

/// Returns the Hamming distance of the first `bits` bits.
fn prefix_distance(left: &[u64], right: &[u64], bits: usize) -> u32 {
    let (whole, rest) = (bits / BITS_PER_WORD, bits % BITS_PER_WORD);
    let mut sum = distance(&left[..whole], &right[..whole]);
    if rest > 0 {
        sum += ((left[whole] ^ right[whole]) >> (BITS_PER_WORD - rest)).count_ones();
    }
    sum
}

/// Returns the pairs at most `max` apart whose lower signature is in `rows`, sorted. Time is quadratic in the number of signatures; memory: the
/// pairs, and one byte per three bits of the prefixes of the rows.
pub fn pairs(
    set: &SignatureSet,
    rows: Range<usize>,
    max: u32,
    plan: ScanPlan,
    session: &Session,
) -> Vec<SignaturePair> {
    let first = rows.start.min(set.len());
    session.phase("comparing signatures", Some((set.len() - first) as u64));
    let words = |row: usize| set.get(first + row);
    let patterns =
        plan.prefix.map(|units| (sliced::SlicedPatterns::new(units, rows.len(), words), units));
    let tasks = if rows.is_empty() { 0 } else { (set.len() - first).div_ceil(COLUMNS_PER_TASK) };
    // Later columns have more rows before them: the longest tasks go first to balance threads.
    let found = (0..tasks).into_par_iter().rev().map(|task| {
        let start = first + task * COLUMNS_PER_TASK;
        let columns = start..(start + COLUMNS_PER_TASK).min(set.len());
        session.advance(columns.len() as u64);
        let (patterns, rows) = (patterns.as_ref(), rows.clone());
        session.cpu().run(Columns { set, patterns, max, rows, columns })
    });
    sorted(found.collect())
}

/// Columns to compare with those of the rows that are before them.
struct Columns<'a> {
    set: &'a SignatureSet,
    /// Prefixes of the rows, with their length in units; `None` to compare all bits.
    patterns: Option<&'a (sliced::SlicedPatterns, usize)>,
    max: u32,
    rows: Range<usize>,
    columns: Range<usize>,
}

impl Kernel for Columns<'_> {
    type Output = Vec<SignaturePair>;

    #[inline(always)]
    fn run<V: BitVector>(self) -> Vec<SignaturePair> {
        let Some((patterns, units)) = self.patterns else { return self.whole() };
        // Bit planes for the largest sum; fewer are less work.
        match (units * sliced::UNIT_BITS).ilog2() {
            ..8 => self.sliced::<V, 8>(patterns, *units),
            8 => self.sliced::<V, 9>(patterns, *units),
            9 => self.sliced::<V, 10>(patterns, *units),
            _ => self.sliced::<V, 16>(patterns, *units),
        }
    }
}

impl Columns<'_> {
    #[inline(always)]
    fn sliced<V: BitVector, const PLANES: usize>(
        &self,
        patterns: &sliced::SlicedPatterns,
        units: usize,
    ) -> Vec<SignaturePair> {
        let mut pairs = Vec::new();
        let mut tile = sliced::SlicedTile::<V>::new(units);
        for first in self.columns.clone().step_by(V::LANES) {
            let end = (first + V::LANES).min(self.columns.end);
            tile.fill(|lane| (first + lane < end).then(|| self.set.get(first + lane)));
            let mut check = |row: usize, lanes: &[u64]| {
                self.check(self.rows.start + row, first..end, lanes, &mut pairs);
            };
            let before = 0..self.rows.end.min(end) - self.rows.start;
            tile.near::<PLANES>(patterns, before, self.max, &mut check);
        }
        pairs
    }

    /// Verifies the lanes that a prefix did not rule out.
    #[inline(always)]
    fn check(
        &self,
        row: usize,
        columns: Range<usize>,
        lanes: &[u64],
        pairs: &mut Vec<SignaturePair>,
    ) {
        for (number, word) in lanes.iter().enumerate() {
            let mut left = *word;
            while left != 0 {
                let column =
                    columns.start + BITS_PER_WORD * number + left.trailing_zeros() as usize;
                left &= left - 1;
                if row < column && column < columns.end {
                    self.compare(row, column, pairs);
                }
            }
        }
    }

    #[inline(always)]
    fn compare(&self, row: usize, column: usize, pairs: &mut Vec<SignaturePair>) {
        if let Some(distance) = distance_within(self.set.get(row), self.set.get(column), self.max) {
            pairs.push(SignaturePair { low: row as u32, high: column as u32, distance });
        }
    }

    /// Compares all pairs in full, a few columns at a time, which stay in L1.
    #[inline(always)]
    fn whole(self) -> Vec<SignaturePair> {
        const COLUMNS_PER_TILE: usize = 64;
        let mut pairs = Vec::new();
        let mut first = self.columns.start;
        while first < self.columns.end {
            let end = (first + COLUMNS_PER_TILE).min(self.columns.end);
            for row in self.rows.start..self.rows.end.min(end) {
                for column in first.max(row + 1)..end {
                    self.compare(row, column, &mut pairs);
                }
            }
            first = end;
        }
        pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::cpu::Cpu;
    use crate::search::testing::{every_pair, signatures};
    use crate::session::Session;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn every_prefix_finds_all_pairs((set, max) in signatures()) {
            let expected = every_pair(&set, max);
            let some = |longest: usize| [1, 2, longest / 2, longest].into_iter().filter(move |l| (1..=longest).contains(l));
            let mut prefixes = vec![None];
            prefixes.extend(some(set.bits() / sliced::UNIT_BITS).map(Some));
            for cpu in Cpu::available() {
                let session = Session::silent().with_cpu(cpu);
                let plans = prefixes.iter().map(|prefix| ScanPlan { prefix: *prefix, cycles: 0.0 });
                for plan in plans.chain([ScanPlan::new(&set, max)]) {
                    let found = pairs(&set, 0..set.len(), max, plan, &session);
                    prop_assert_eq!(&found, &expected, "{:?}", plan);
                }
            }
        }
    }

    /// More rows than a task.
    #[test]
    fn long_prefixes_of_many_rows_find_all_pairs() {
        let mut set = SignatureSet::new(1024);
        let mut state = 1u64;
        for number in 0..2600usize {
            let mut words = [0u64; 16];
            for word in &mut words {
                // The upper halves of two numbers of Knuth's generator.
                let mut next = || {
                    state =
                        state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    state >> 32
                };
                *word = next() << 32 | next();
            }
            if number % 3 == 2 {
                words.copy_from_slice(set.get(number / 2));
                (0..number % 200).for_each(|bit| words[bit % 16] ^= 1 << (bit * 7 % 64));
            }
            set.push(&words);
        }
        for max in [51, 204] {
            let expected = every_pair(&set, max);
            assert!(expected.len() > 100);
            for prefix in [10, 21].map(Some) {
                for cpu in Cpu::available() {
                    let plan = ScanPlan { prefix, cycles: 0.0 };
                    assert!(
                        pairs(&set, 0..set.len(), max, plan, &Session::silent().with_cpu(cpu))
                            == expected,
                        "{max} {plan:?}"
                    );
                }
            }
        }
    }
}
