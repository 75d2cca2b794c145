//! Found pairs, and the same seen from each of the two.

use rayon::prelude::*;

/// Two items, the lower number first, and their similarity in per cent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// The item with the lower number.
    pub low: u32,
    /// The item with the higher number.
    pub high: u32,
    /// Their similarity in per cent.
    pub similarity: f64,
}

/// Two signatures, the lower number first, and in how many bits they differ: twelve bytes, because there may be many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignaturePair {
    /// The signature with the lower number.
    pub low: u32,
    /// The signature with the higher number.
    pub high: u32,
    /// Their distance in bits.
    pub distance: u32,
}

impl SignaturePair {
    /// The pair of these two, in whichever order they come.
    #[inline(always)]
    pub fn new(one: u32, other: u32, distance: u32) -> Self {
        SignaturePair { low: one.min(other), high: one.max(other), distance }
    }

    /// The similarity in per cent of signatures of `bits` bits.
    pub fn similarity(&self, bits: usize) -> f64 {
        similarity(bits, self.distance)
    }

    /// A number that orders pairs by their lower and then their higher signature.
    #[inline(always)]
    pub(super) fn key(&self) -> u64 {
        u64::from(self.low) << 32 | u64::from(self.high)
    }
}

/// The similarity of signatures at this distance, in per cent: the nearest number to 100·(bits − d)/bits.
pub fn similarity(bits: usize, distance: u32) -> f64 {
    (100 * (bits as u64 - u64::from(distance))) as f64 / bits as f64
}

/// Lists made by several threads as one, sorted.
pub(super) fn sorted(lists: Vec<Vec<SignaturePair>>) -> Vec<SignaturePair> {
    let mut all = Vec::with_capacity(lists.iter().map(Vec::len).sum());
    lists.into_iter().for_each(|list| all.extend(list));
    all.par_sort_unstable_by_key(SignaturePair::key);
    all
}

/// What one item is similar to: how much, in per cent (or, of signatures, in how many bits they differ).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Match<S = f64> {
    /// The other item.
    pub other: u32,
    /// The similarity in per cent, or the distance.
    pub similarity: S,
}

/// A pair as [`MatchLists`] lists it.
pub trait PairRecord: Copy {
    /// What is told of the pair.
    type Value: Copy + Default;
    /// The lower item, the higher one, and what is told of them.
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

/// Lists made by several threads as one, each let go as soon as it is copied.
pub(super) fn joined(lists: Vec<Vec<Pair>>) -> Vec<Pair> {
    let mut all = Vec::with_capacity(lists.iter().map(Vec::len).sum());
    lists.into_iter().for_each(|list| all.extend(list));
    all
}

/// Every pair listed under both of its items.
pub struct MatchLists<S = f64> {
    starts: Vec<usize>,
    matches: Vec<Match<S>>,
}

impl<S: Copy + Default> MatchLists<S> {
    /// Lists pairs, sorted by their lower and then their higher item, under the `items` they join. Time and memory are
    /// proportional to the items and the pairs.
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
        // In the pairs' order every item meets its lower partners before its higher ones: each row comes out sorted.
        for (low, high, value) in pairs.iter().map(P::parts) {
            put(low, high, value);
            put(high, low, value);
        }
        // Every start has moved on to where the next row starts.
        starts.copy_within(..items, 1);
        starts[0] = 0;
        MatchLists { starts, matches }
    }

    /// The matches of an item, by ascending number.
    pub fn get(&self, item: usize) -> &[Match<S>] {
        &self.matches[self.starts[item]..self.starts[item + 1]]
    }
}
