//! Every pair of signatures within a distance, by looking at all of them: prefixes of hundreds at once ([`shuffled`], [`sliced`]), the few
//! pairs that are left bit by bit.
//!
//! Unrelated signatures differ in about half of their bits, so a prefix of a little more than twice the greatest distance settles almost
//! every pair. How long it must be is found out on pairs of the collection itself; its length decides time, never results.

use rayon::prelude::*;

use super::SignaturePair;
use super::pairs::sorted;
use crate::bits::cpu::{Cpu, InstructionSet};
use crate::bits::vector::{BitVector, Kernel};
use crate::bits::{distance, distance_within, shuffled, sliced};
use crate::session::Session;
use crate::signature::{BITS_PER_WORD, SignatureSet};

/// Columns that one task takes: a multiple of every tile.
const COLUMNS_A_TASK: usize = 1024;
/// Rows, an even number, whose unsettled pairs are counted together: apart from the loop over prefixes, which needs all registers.
const ROWS_A_BLOCK: usize = 1024;
/// Pairs that are looked at to choose the prefix: enough to see one in a thousand.
const SAMPLED_PAIRS: usize = 1 << 14;
/// Cycles that one more unit of a sliced prefix costs a pair: what a scan with AVX2 took (2.8 cycles a pair at ten units), divided.
pub(super) const UNIT_CYCLES: f64 = 0.28;
/// Cycles that one more group of a shuffled prefix costs a pair, in the same manner (1.9 cycles a pair at 25 groups). With these the choice
/// between scan and join is right for 100,000 signatures of 1024 bits at 90 % (scan 2.3 s, join 3.1 s of one thread) and at 92 % (1.7 s, 0.8 s).
const GROUP_CYCLES: f64 = 0.076;
/// Cycles that counting the bits of a pair that the prefix did not settle costs.
pub(super) const VERIFY_CYCLES: f64 = 60.0;
/// Cycles a word where all pairs are counted without tiles.
pub(super) const WORD_CYCLES: f64 = 1.0;

/// What is looked at of every pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Prefix {
    /// All bits.
    Whole,
    /// So many units of [`sliced`].
    Sliced(usize),
    /// So many groups of [`shuffled`].
    Shuffled(usize),
}

/// How all pairs are to be looked at, and what that costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScanPlan {
    prefix: Prefix,
    /// Cycles a pair.
    pub cycles: f64,
}

impl ScanPlan {
    /// The cheapest prefix for this distance and processor, judged by some pairs of the collection.
    pub fn new(set: &SignatureSet, most: u32, cpu: Cpu) -> Self {
        let words = SignatureSet::words_for(set.bits());
        let whole = ScanPlan { prefix: Prefix::Whole, cycles: WORD_CYCLES * words as f64 };
        if set.len() < 2 {
            return whole;
        }
        // Shuffling is slower where there is ternary logic, or no instruction for it.
        let shuffled = if cpu.set() == InstructionSet::Avx2 && most <= shuffled::MOST_DISTANCE {
            let longest = set.bits() / shuffled::GROUP_BITS;
            costs(set, most, longest, GROUP_CYCLES, shuffled::counted)
        } else {
            Vec::new()
        };
        let longest = (set.bits() / sliced::UNIT_BITS).min(sliced::MOST_UNITS);
        let sliced = costs(set, most, longest, UNIT_CYCLES, |left, right, units| {
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

/// Cycles a pair for prefixes of 1, 2, … parts, `counted` being what so many parts of two signatures count.
fn costs(
    set: &SignatureSet,
    most: u32,
    longest: usize,
    part: f64,
    counted: impl Fn(&[u64], &[u64], usize) -> u32,
) -> Vec<f64> {
    let cost = |(number, unsettled): (usize, usize)| {
        let share = unsettled as f64 / SAMPLED_PAIRS as f64;
        (number + 1) as f64 * part + share * VERIFY_CYCLES
    };
    unsettled(set, most, longest, counted).into_iter().enumerate().map(cost).collect()
}

/// For prefixes of 1, 2, … parts the number of sampled pairs that they do not settle.
fn unsettled(
    set: &SignatureSet,
    most: u32,
    longest: usize,
    counted: impl Fn(&[u64], &[u64], usize) -> u32,
) -> Vec<usize> {
    /// A prime stride visits all signatures before it comes back, in an order that has nothing to do with theirs.
    const STRIDE: usize = 1_000_003;
    let mut counts = vec![0; longest];
    let all: Vec<usize> = (1..=longest).collect();
    for number in 0..SAMPLED_PAIRS {
        let one = number.wrapping_mul(STRIDE) % set.len();
        let other = (one + 1 + number.wrapping_mul(STRIDE / 7) % (set.len() - 1)) % set.len();
        let (left, right) = (set.get(one), set.get(other));
        // What is counted grows: the longest that fits can be found by halving.
        let fits = all.partition_point(|parts| counted(left, right, *parts) <= most);
        counts[..fits].iter_mut().for_each(|count| *count += 1);
    }
    counts
}

/// The distance of the first `bits` bits.
fn prefix_distance(left: &[u64], right: &[u64], bits: usize) -> u32 {
    let (whole, rest) = (bits / BITS_PER_WORD, bits % BITS_PER_WORD);
    let mut sum = distance(&left[..whole], &right[..whole]);
    if rest > 0 {
        sum += ((left[whole] ^ right[whole]) >> (BITS_PER_WORD - rest)).count_ones();
    }
    sum
}

/// All pairs at most `most` apart, sorted. Time is quadratic in the signatures; memory is what is found, and for prefixes a byte for three bits
/// or, shuffled, for eight.
pub fn pairs(
    set: &SignatureSet,
    most: u32,
    plan: ScanPlan,
    session: &Session,
) -> Vec<SignaturePair> {
    pairs_from(set, most, plan, 0, session)
}

/// Of [`pairs`] those whose higher signature is `first_new` or beyond; the others are not looked at.
pub fn pairs_from(
    set: &SignatureSet,
    most: u32,
    plan: ScanPlan,
    first_new: usize,
    session: &Session,
) -> Vec<SignaturePair> {
    let new = set.len().saturating_sub(first_new);
    session.phase("comparing signatures", Some(new as u64));
    let patterns = match plan.prefix {
        Prefix::Whole => Patterns::None,
        Prefix::Sliced(units) => Patterns::Sliced(
            sliced::SlicedPatterns::new(units, set.len(), |row| set.get(row)),
            units,
        ),
        Prefix::Shuffled(groups) => Patterns::Shuffled(
            shuffled::ShuffledPatterns::new(groups, set.len(), |row| set.get(row)),
            groups,
        ),
    };
    let tasks = new.div_ceil(COLUMNS_A_TASK);
    // Later columns have more rows before them: the longest tasks go first, so that no thread is left with one at the end.
    let found = (0..tasks).into_par_iter().rev().map(|task| {
        let first = first_new + task * COLUMNS_A_TASK;
        let columns = first..(first + COLUMNS_A_TASK).min(set.len());
        session.advance(columns.len() as u64);
        session.cpu().run(Columns { set, patterns: &patterns, most, columns })
    });
    sorted(found.collect())
}

/// The prefixes of all rows, with their lengths in units or groups.
enum Patterns {
    None,
    Sliced(sliced::SlicedPatterns, usize),
    Shuffled(shuffled::ShuffledPatterns, usize),
}

/// Some columns, compared with all rows before them.
struct Columns<'a> {
    set: &'a SignatureSet,
    patterns: &'a Patterns,
    most: u32,
    columns: std::ops::Range<usize>,
}

impl Kernel for Columns<'_> {
    type Output = Vec<SignaturePair>;

    #[inline(always)]
    fn run<V: BitVector>(self) -> Vec<SignaturePair> {
        match self.patterns {
            Patterns::None => self.one_by_one(),
            Patterns::Shuffled(patterns, groups) => self.shuffled::<V>(patterns, *groups),
            // Planes for the longest sum; fewer are less work.
            Patterns::Sliced(patterns, units) => match (units * sliced::UNIT_BITS).ilog2() {
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
            tile.near::<PLANES>(patterns, 0..end, self.most, &mut check);
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
            for start in (0..end).step_by(ROWS_A_BLOCK) {
                let rows = start..(start + ROWS_A_BLOCK).min(end);
                tile.near(patterns, rows, self.most, &mut near);
                for (row, columns) in near.drain(..) {
                    self.check(row, first..end, &columns, &mut pairs);
                }
            }
        }
        pairs
    }

    /// Counts the bits of what a prefix did not settle.
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
        if let Some(distance) = distance_within(self.set.get(row), self.set.get(column), self.most)
        {
            pairs.push(SignaturePair { low: row as u32, high: column as u32, distance });
        }
    }

    /// Counts the bits of all pairs, a few columns at a time so that they stay in the first cache.
    #[inline(always)]
    fn one_by_one(self) -> Vec<SignaturePair> {
        const COLUMNS_A_TIME: usize = 64;
        let mut pairs = Vec::new();
        let mut first = self.columns.start;
        while first < self.columns.end {
            let end = (first + COLUMNS_A_TIME).min(self.columns.end);
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
        fn every_prefix_finds_what_there_is((set, most) in signatures(), split in any::<prop::sample::Index>()) {
            let expected = every_pair(&set, most);
            let first_new = split.index(set.len() + 2);
            let is_new = |pair: &&SignaturePair| pair.high as usize >= first_new;
            let new: Vec<SignaturePair> = expected.iter().filter(is_new).copied().collect();
            let some = |longest: usize| [1, 2, longest / 2, longest].into_iter().filter(move |l| (1..=longest).contains(l));
            let mut prefixes = vec![Prefix::Whole];
            prefixes.extend(some(set.bits() / sliced::UNIT_BITS).map(Prefix::Sliced));
            if most <= shuffled::MOST_DISTANCE {
                prefixes.extend(some(set.bits() / shuffled::GROUP_BITS).map(Prefix::Shuffled));
            }
            for cpu in Cpu::available() {
                let session = Session::silent().with_cpu(cpu);
                let plans = prefixes.iter().map(|prefix| ScanPlan { prefix: *prefix, cycles: 0.0 });
                for plan in plans.chain([ScanPlan::new(&set, most, cpu)]) {
                    let found = pairs(&set, most, plan, &session);
                    prop_assert_eq!(&found, &expected, "{:?}", plan);
                    let found = pairs_from(&set, most, plan, first_new, &session);
                    prop_assert_eq!(&found, &new, "{:?} from {}", plan, first_new);
                }
            }
        }
    }

    /// More rows than a block and more groups than a strip of tables.
    #[test]
    fn many_rows_and_long_prefixes_make_no_difference() {
        let mut set = SignatureSet::new(1024);
        let mut state = 1u64;
        for number in 0..2600usize {
            let mut words = [0u64; 16];
            for word in &mut words {
                // Knuth's generator, its better half twice.
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
        for most in [51, 204] {
            let expected = every_pair(&set, most);
            assert!(expected.len() > 100);
            let prefixes = [10, 21].map(Prefix::Sliced).into_iter();
            for prefix in prefixes.chain([24, 25, 51].map(Prefix::Shuffled)) {
                for cpu in Cpu::available() {
                    let plan = ScanPlan { prefix, cycles: 0.0 };
                    assert!(
                        pairs(&set, most, plan, &Session::silent().with_cpu(cpu)) == expected,
                        "{most} {plan:?}"
                    );
                }
            }
        }
    }
}
