//! Scan: every pair of signatures within a distance, by comparing the prefixes of hundreds at once ([`shuffled`], [`sliced`]) and then the
//! remaining pairs in full.
//!
//! Unrelated signatures differ in about half of their bits, so a prefix of a little more than twice the maximum distance rules out almost every
//! pair. Its length is chosen on a sample of pairs; it affects time only.

use rayon::prelude::*;

use super::SignaturePair;
use super::pairs::sorted;
use crate::bits::cpu::{Cpu, InstructionSet};
use crate::bits::vector::{BitVector, Kernel};
use crate::bits::{distance, distance_within, shuffled, sliced};
use crate::session::Session;
use crate::signature::{BITS_PER_WORD, SignatureSet};

/// Columns per task: a multiple of every tile.
const COLUMNS_PER_TASK: usize = 1024;
/// Rows, an even number, whose remaining pairs are verified together, outside the loop over prefixes, which needs all registers.
const ROWS_PER_BLOCK: usize = 1024;
/// Sampled pairs for choosing the prefix: enough to detect one in a thousand.
const SAMPLED_PAIRS: usize = 1 << 14;
/// Cycles per pair and unit of a sliced prefix: measured with AVX2, 2.8 cycles per pair at ten units.
pub(super) const UNIT_CYCLES: f64 = 0.28;
/// Cycles per pair and group of a shuffled prefix: measured with AVX2, 1.9 cycles per pair at 25 groups. With these the choice between scan and
/// join is right for 100,000 signatures of 1024 bits at 90 % (scan 2.3 s, join 3.1 s on one thread) and at 92 % (1.7 s, 0.8 s).
const GROUP_CYCLES: f64 = 0.076;
/// Cycles for verifying a pair that the prefix did not rule out.
pub(super) const VERIFY_CYCLES: f64 = 60.0;
/// Cycles per word of a pair compared without tiles.
pub(super) const WORD_CYCLES: f64 = 1.0;

/// The part of signatures that is compared for every pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Prefix {
    /// All bits.
    Whole,
    /// Number of units of [`sliced`].
    Sliced(usize),
    /// Number of groups of [`shuffled`].
    Shuffled(usize),
}

/// Prefix of a scan, with its cost estimate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScanPlan {
    prefix: Prefix,
    /// Cycles per pair.
    pub cycles: f64,
}

impl ScanPlan {
    /// Returns the cheapest prefix for a distance and an instruction set, judged by a sample of pairs.
    pub fn new(set: &SignatureSet, max: u32, cpu: Cpu) -> Self {
        let words = SignatureSet::words_for(set.bits());
        let whole = ScanPlan { prefix: Prefix::Whole, cycles: WORD_CYCLES * words as f64 };
        if set.len() < 2 {
            return whole;
        }
        // Shuffling is slower than ternary logic, and slow without an instruction for it.
        let shuffled = if cpu.set() == InstructionSet::Avx2 && max <= shuffled::MAX_DISTANCE {
            let longest = set.bits() / shuffled::GROUP_BITS;
            costs(set, max, longest, GROUP_CYCLES, shuffled::counted)
        } else {
            Vec::new()
        };
        let longest = (set.bits() / sliced::UNIT_BITS).min(sliced::MAX_UNITS);
        let sliced = costs(set, max, longest, UNIT_CYCLES, |left, right, units| {
            prefix_distance(left, right, units * sliced::UNIT_BITS)
        });
        let plan = |prefix: fn(usize) -> Prefix| {
            move |(number, cycles): (usize, f64)| ScanPlan { prefix: prefix(number + 1), cycles }
        };
        let shuffled = shuffled.into_iter().enumerate().map(plan(Prefix::Shuffled));
        let sliced = sliced.into_iter().enumerate().map(plan(Prefix::Sliced));
        let best = shuffled.chain(sliced).chain([whole]);
        best.min_by(|one, other| one.cycles.total_cmp(&other.cycles)).unwrap_or(whole)
    }
}

/// Returns the cycles per pair for prefixes of 1, 2, … parts; `counted` is the distance that a prefix of two signatures shows.
fn costs(
    set: &SignatureSet,
    max: u32,
    longest: usize,
    part: f64,
    counted: impl Fn(&[u64], &[u64], usize) -> u32,
) -> Vec<f64> {
    let cost = |(number, remaining): (usize, usize)| {
        let share = remaining as f64 / SAMPLED_PAIRS as f64;
        (number + 1) as f64 * part + share * VERIFY_CYCLES
    };
    remaining_pairs(set, max, longest, counted).into_iter().enumerate().map(cost).collect()
}

/// Returns the number of sampled pairs that prefixes of 1, 2, … parts do not rule out.
fn remaining_pairs(
    set: &SignatureSet,
    max: u32,
    longest: usize,
    counted: impl Fn(&[u64], &[u64], usize) -> u32,
) -> Vec<usize> {
    /// A prime stride visits all signatures before it repeats, in an order unrelated to theirs.
    const STRIDE: usize = 1_000_003;
    let mut counts = vec![0; longest];
    let all: Vec<usize> = (1..=longest).collect();
    for number in 0..SAMPLED_PAIRS {
        let one = number.wrapping_mul(STRIDE) % set.len();
        let other = (one + 1 + number.wrapping_mul(STRIDE / 7) % (set.len() - 1)) % set.len();
        let (left, right) = (set.get(one), set.get(other));
        // The counted distance grows with the prefix: bisect.
        let fits = all.partition_point(|parts| counted(left, right, *parts) <= max);
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

/// Returns all pairs at most `max` apart, sorted. Time is quadratic in the number of signatures; memory: the pairs, and one byte per three bits
/// of a sliced or eight bits of a shuffled prefix.
pub fn pairs(
    set: &SignatureSet,
    max: u32,
    plan: ScanPlan,
    session: &Session,
) -> Vec<SignaturePair> {
    session.phase("comparing signatures", Some(set.len() as u64));
    let patterns = match plan.prefix {
        Prefix::Whole => PrefixPatterns::None,
        Prefix::Sliced(units) => PrefixPatterns::Sliced(
            sliced::SlicedPatterns::new(units, set.len(), |row| set.get(row)),
            units,
        ),
        Prefix::Shuffled(groups) => PrefixPatterns::Shuffled(
            shuffled::ShuffledPatterns::new(groups, set.len(), |row| set.get(row)),
            groups,
        ),
    };
    let tasks = set.len().div_ceil(COLUMNS_PER_TASK);
    // Later columns have more rows before them: the longest tasks go first to balance threads.
    let found = (0..tasks).into_par_iter().rev().map(|task| {
        let first = task * COLUMNS_PER_TASK;
        let columns = first..(first + COLUMNS_PER_TASK).min(set.len());
        session.advance(columns.len() as u64);
        session.cpu().run(Columns { set, patterns: &patterns, max, columns })
    });
    sorted(found.collect())
}

/// Prefixes of all rows, with their lengths in units or groups.
enum PrefixPatterns {
    None,
    Sliced(sliced::SlicedPatterns, usize),
    Shuffled(shuffled::ShuffledPatterns, usize),
}

/// Columns to compare with all rows before them.
struct Columns<'a> {
    set: &'a SignatureSet,
    patterns: &'a PrefixPatterns,
    max: u32,
    columns: std::ops::Range<usize>,
}

impl Kernel for Columns<'_> {
    type Output = Vec<SignaturePair>;

    #[inline(always)]
    fn run<V: BitVector>(self) -> Vec<SignaturePair> {
        match self.patterns {
            PrefixPatterns::None => self.whole(),
            PrefixPatterns::Shuffled(patterns, groups) => self.shuffled::<V>(patterns, *groups),
            // Bit planes for the largest sum; fewer are less work.
            PrefixPatterns::Sliced(patterns, units) => match (units * sliced::UNIT_BITS).ilog2() {
                ..8 => self.sliced::<V, 8>(patterns, *units),
                8 => self.sliced::<V, 9>(patterns, *units),
                9 => self.sliced::<V, 10>(patterns, *units),
                _ => self.sliced::<V, 16>(patterns, *units),
            },
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
            let mut check =
                |row: usize, lanes: &[u64]| self.check(row, first..end, lanes, &mut pairs);
            tile.near::<PLANES>(patterns, 0..end, self.max, &mut check);
        }
        pairs
    }

    #[inline(always)]
    fn shuffled<V: BitVector>(
        &self,
        patterns: &shuffled::ShuffledPatterns,
        groups: usize,
    ) -> Vec<SignaturePair> {
        let mut pairs = Vec::new();
        let mut tile = shuffled::ShuffledTile::<V::Bytes>::new(groups);
        let mut near = Vec::new();
        for first in self.columns.clone().step_by(shuffled::COLUMNS) {
            let end = (first + shuffled::COLUMNS).min(self.columns.end);
            tile.fill(|column| (first + column < end).then(|| self.set.get(first + column)));
            for start in (0..end).step_by(ROWS_PER_BLOCK) {
                let rows = start..(start + ROWS_PER_BLOCK).min(end);
                tile.near(patterns, rows, self.max, &mut near);
                for (row, columns) in near.drain(..) {
                    self.check(row, first..end, &columns, &mut pairs);
                }
            }
        }
        pairs
    }

    /// Verifies the lanes that a prefix did not rule out.
    #[inline(always)]
    fn check(
        &self,
        row: usize,
        columns: std::ops::Range<usize>,
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
            for row in 0..end {
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
    use crate::search::testing::{every_pair, signatures};
    use crate::session::Session;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn every_prefix_finds_all_pairs((set, max) in signatures()) {
            let expected = every_pair(&set, max);
            let some = |longest: usize| [1, 2, longest / 2, longest].into_iter().filter(move |l| (1..=longest).contains(l));
            let mut prefixes = vec![Prefix::Whole];
            prefixes.extend(some(set.bits() / sliced::UNIT_BITS).map(Prefix::Sliced));
            if max <= shuffled::MAX_DISTANCE {
                prefixes.extend(some(set.bits() / shuffled::GROUP_BITS).map(Prefix::Shuffled));
            }
            for cpu in Cpu::available() {
                let session = Session::silent().with_cpu(cpu);
                let plans = prefixes.iter().map(|prefix| ScanPlan { prefix: *prefix, cycles: 0.0 });
                for plan in plans.chain([ScanPlan::new(&set, max, cpu)]) {
                    let found = pairs(&set, max, plan, &session);
                    prop_assert_eq!(&found, &expected, "{:?}", plan);
                }
            }
        }
    }

    /// More rows than a block, more groups than a strip of tables.
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
            let prefixes = [10, 21].map(Prefix::Sliced).into_iter();
            for prefix in prefixes.chain([24, 25, 51].map(Prefix::Shuffled)) {
                for cpu in Cpu::available() {
                    let plan = ScanPlan { prefix, cycles: 0.0 };
                    assert!(
                        pairs(&set, max, plan, &Session::silent().with_cpu(cpu)) == expected,
                        "{max} {plan:?}"
                    );
                }
            }
        }
    }
}
