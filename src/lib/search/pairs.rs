//! Pairs, and the same as lists of matches.

use rayon::prelude::*;

/// Two items with their similarity in percent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// The item with the lower number.
    pub low: u32,
    /// The item with the higher number.
    pub high: u32,
    /// Their similarity in percent.
    pub similarity: f64,
}

/// Two signatures with their Hamming distance, in twelve bytes, because there may be many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignaturePair {
    /// The signature with the lower number.
    pub low: u32,
    /// The signature with the higher number.
    pub high: u32,
    /// Their Hamming distance in bits.
    pub distance: u32,
}

impl SignaturePair {
    /// Returns the pair of two signatures given in any order.
    #[inline(always)]
    pub fn new(one: u32, other: u32, distance: u32) -> Self {
        SignaturePair { low: one.min(other), high: one.max(other), distance }
    }

    /// Returns the similarity in percent of signatures of `bits` bits.
    pub fn similarity(&self, bits: usize) -> f64 {
        similarity(bits, self.distance)
    }

    /// Returns a number that sorts pairs by their lower, then their higher signature.
    #[inline(always)]
    pub(super) fn key(&self) -> u64 {
        u64::from(self.low) << 32 | u64::from(self.high)
    }
}

/// Returns the similarity in percent of signatures at a distance d: the number nearest to 100·(bits − d)/bits.
pub fn similarity(bits: usize, distance: u32) -> f64 {
    (100 * (bits as u64 - u64::from(distance))) as f64 / bits as f64
}

/// Concatenates and sorts the lists of several threads.
pub(super) fn sorted(lists: Vec<Vec<SignaturePair>>) -> Vec<SignaturePair> {
    let mut all = Vec::with_capacity(lists.iter().map(Vec::len).sum());
    lists.into_iter().for_each(|list| all.extend(list));
    all.par_sort_unstable_by_key(SignaturePair::key);
    all
}

/// Item similar to a query, with its similarity in percent or, between signatures, its Hamming distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Match<S = f64> {
    /// The other item.
    pub other: u32,
    /// The similarity in percent, or the distance.
    pub similarity: S,
}

/// Pair of two items with a value.
pub trait PairRecord: Copy {
    /// Similarity or distance.
    type Value: Copy + Default;
    /// Returns the lower item, the higher item and the value.
    fn parts(&self) -> (u32, u32, Self::Value);
}

impl PairRecord for Pair {
    type Value = f64;
    fn parts(&self) -> (u32, u32, f64) {
        (self.low, self.high, self.similarity)
    }
}

impl PairRecord for SignaturePair {
    type Value = u32;
    fn parts(&self) -> (u32, u32, u32) {
        (self.low, self.high, self.distance)
    }
}

/// Returns the pairs of several lists, of items numbered below `items`, sorted.
///
/// Lists that ascend by higher item, as most do, need no comparisons: pairs are distributed by their lower item. Memory: the pairs again.
pub(super) fn sorted_pairs(lists: &[Vec<Pair>], items: usize) -> Vec<Pair> {
    let mut next = vec![0; items + 1];
    lists.iter().flatten().for_each(|pair| next[pair.low as usize + 1] += 1);
    for item in 0..items {
        next[item + 1] += next[item];
    }
    let mut sorted = vec![Pair { low: 0, high: 0, similarity: 0.0 }; next[items]];
    for pair in lists.iter().flatten() {
        sorted[next[pair.low as usize]] = *pair;
        next[pair.low as usize] += 1;
    }
    if !sorted.is_sorted_by_key(|pair| (pair.low, pair.high)) {
        sorted.par_sort_unstable_by_key(|pair| (pair.low, pair.high));
    }
    sorted
}

/// Matches per item: every pair is listed under both of its items.
pub struct MatchLists<S = f64> {
    starts: Vec<usize>,
    matches: Vec<Match<S>>,
}

impl<S: Copy + Default> MatchLists<S> {
    /// Lists pairs, sorted by their lower and then their higher item. Time and memory are proportional to the items and the pairs.
    pub fn new<P: PairRecord<Value = S>>(items: usize, pairs: &[P]) -> Self {
        debug_assert!(pairs.is_sorted_by_key(|pair| (pair.parts().0, pair.parts().1)));
        let mut starts = vec![0usize; items + 1];
        for (low, high, _) in pairs.iter().map(P::parts) {
            starts[low as usize + 1] += 1;
            starts[high as usize + 1] += 1;
        }
        for item in 0..items {
            starts[item + 1] += starts[item];
        }
        let mut matches = vec![Match { other: 0, similarity: S::default() }; 2 * pairs.len()];
        let mut put = |item: u32, other: u32, similarity: S| {
            matches[starts[item as usize]] = Match { other, similarity };
            starts[item as usize] += 1;
        };
        // Every item occurs with its lower partners before its higher ones, so each list is sorted.
        for (low, high, value) in pairs.iter().map(P::parts) {
            put(low, high, value);
            put(high, low, value);
        }
        // Every start has moved to the start of the next list.
        starts.copy_within(..items, 1);
        starts[0] = 0;
        MatchLists { starts, matches }
    }

    /// Returns the matches of an item, by ascending number.
    pub fn get(&self, item: usize) -> &[Match<S>] {
        &self.matches[self.starts[item]..self.starts[item + 1]]
    }
}
