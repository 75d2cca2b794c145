//! PLEB: signatures that are close stand close together when sorted, for some order of their bits.
//!
//! Point Location in Equal Balls (Indyk and Motwani 1998; Charikar 2002), as Ravichandran, Pantel and Hovy (2005) use it, with the
//! thesis' `shift_count`:
//!
//! ```text
//! repeat iter_count times:
//!     sort the signatures lexicographically
//!     compare each with the next `beam` ones
//!     apply `shift_count` random transpositions of bit positions, the same to all signatures
//! ```
//!
//! No bit is moved here. A permutation says which bit stands at which position; the first [`BITS_IN_WORD`] permuted bits are
//! gathered into a key, and signatures with equal keys are told apart by the first position, in permuted order, at which they differ. The
//! order is the same as if all bits had been moved.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::{Pair, full};
use crate::bits;
use crate::random;
use crate::signature::{BITS_IN_WORD, SignatureSet};
use crate::watch::Watch;

/// How to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// How often to sort and compare.
    pub iterations: u64,
    /// With how many of its followers a signature is compared.
    pub beam: usize,
    /// How many transpositions follow each iteration.
    pub shift_count: usize,
    /// Where the transpositions come from.
    pub seed: u64,
}

/// Sorted neighbours whose comparisons one task does.
const NEIGHBOURS_A_TASK: usize = 1024;

/// Pairs at most `most` apart that the search meets, sorted; `wanted` says of two signatures whether anybody asks for the pair. After
/// each iteration `report` is told its number, from 1, and the pairs it was the first to meet.
pub fn pairs(
    set: &SignatureSet,
    most: u32,
    settings: Settings,
    wanted: &(dyn Fn(u32, u32) -> bool + Sync),
    watch: &dyn Watch,
    mut report: impl FnMut(u64, &[Pair]),
) -> Vec<Pair> {
    watch.begin("PLEB iterations", Some(settings.iterations));
    let mut permutation = Permutation::identity(set.bits());
    let mut known: FxHashMap<(u32, u32), f64> = FxHashMap::default();
    for iteration in 0..settings.iterations {
        let order = permutation.sorted(set);
        let mut fresh = neighbours(set, &order, most, settings.beam, wanted);
        fresh.retain(|pair| known.insert((pair.low, pair.high), pair.similarity).is_none());
        report(iteration + 1, &fresh);
        permutation.shuffle(settings, iteration);
        watch.advance(1);
    }
    let mut found: Vec<Pair> =
        known.into_iter().map(|((low, high), similarity)| Pair { low, high, similarity }).collect();
    found.par_sort_unstable_by_key(|pair| (pair.low, pair.high));
    found
}

/// Compares each signature with the next `beam` ones in this order.
fn neighbours(
    set: &SignatureSet,
    order: &[u32],
    most: u32,
    beam: usize,
    wanted: &(dyn Fn(u32, u32) -> bool + Sync),
) -> Vec<Pair> {
    let compare = |position: usize| {
        let one = order[position];
        let end = position.saturating_add(beam).saturating_add(1).min(order.len());
        order[position + 1..end].iter().filter_map(move |other| {
            if !wanted(one, *other) {
                return None;
            }
            let (left, right) = (set.get(one as usize), set.get(*other as usize));
            let distance = bits::distance_within(left, right, most)?;
            let similarity = full::similarity(set.bits(), distance);
            Some(Pair { low: one.min(*other), high: one.max(*other), similarity })
        })
    };
    (0..order.len())
        .into_par_iter()
        .with_min_len(NEIGHBOURS_A_TASK)
        .flat_map_iter(compare)
        .collect()
}

/// Which bit of a signature stands at which position.
struct Permutation {
    /// The bit that stands at each position.
    bit_at: Vec<usize>,
    /// The position at which each bit stands.
    position_of: Vec<usize>,
}

impl Permutation {
    fn identity(bits: usize) -> Self {
        Permutation { bit_at: (0..bits).collect(), position_of: (0..bits).collect() }
    }

    /// Applies the transpositions that follow an iteration. A signature of one bit has none.
    fn shuffle(&mut self, settings: Settings, iteration: u64) {
        let bits = self.bit_at.len() as u32;
        if bits < 2 {
            return;
        }
        for (one, other) in
            random::transpositions(settings.seed, iteration, bits, settings.shift_count)
        {
            self.bit_at.swap(one, other);
            self.position_of.swap(self.bit_at[one], self.bit_at[other]);
        }
    }

    /// The signatures' numbers in the lexicographic order of their permuted bits; equal ones by number.
    fn sorted(&self, set: &SignatureSet) -> Vec<u32> {
        let mut order: Vec<(u64, u32)> = (0..set.len() as u32)
            .into_par_iter()
            .map(|number| (self.key(set.get(number as usize)), number))
            .collect();
        order.par_sort_unstable_by(|(left_key, left), (right_key, right)| {
            left_key
                .cmp(right_key)
                .then_with(|| self.compare(set.get(*left as usize), set.get(*right as usize)))
                .then_with(|| left.cmp(right))
        });
        order.into_iter().map(|(_, number)| number).collect()
    }

    /// The first permuted bits, the first the highest.
    fn key(&self, words: &[u64]) -> u64 {
        let leading = self.bit_at.iter().take(BITS_IN_WORD);
        leading.fold(0, |key, bit| key << 1 | bit_of(words, *bit))
    }

    /// Orders two signatures by the first permuted position at which they differ.
    fn compare(&self, left: &[u64], right: &[u64]) -> std::cmp::Ordering {
        let mut first = None;
        for (number, (l, r)) in left.iter().zip(right).enumerate() {
            let mut differing = l ^ r;
            while differing != 0 {
                let bit = differing.leading_zeros() as usize;
                let position = self.position_of[number * BITS_IN_WORD + bit];
                if first.is_none_or(|known| position < known) {
                    first = Some(position);
                }
                differing &= !(1 << (BITS_IN_WORD - 1 - bit));
            }
        }
        let value = |words, position: usize| bit_of(words, self.bit_at[position]);
        first.map_or(std::cmp::Ordering::Equal, |at| value(left, at).cmp(&value(right, at)))
    }
}

fn bit_of(words: &[u64], bit: usize) -> u64 {
    words[bit / BITS_IN_WORD] >> (BITS_IN_WORD - 1 - bit % BITS_IN_WORD) & 1
}
