//! Similar sets of fingerprints, by a prefix filter (Chaudhuri et al. 2006, Bayardo et al. 2007).
//!
//! Elements are ordered by the number of sets that have them, the rarest first. Two sets that share at least m elements share one of the first
//! |x| − m + 1 elements of each. So an index of these prefixes finds all candidates, and most elements of a prefix are in one set only.

use std::ops::Range;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::{Distinct, Found, MatchLimits, WorkShare};
use crate::prints::SetMeasure;

/// Lowers a bound, so that rounding never excludes a pair at the threshold.
const ROUNDING: f64 = 1e-9;

/// The similarity to reach.
#[derive(Clone, Copy)]
struct Wanted {
    measure: SetMeasure,
    threshold: f64,
    smallest: Option<usize>,
}

impl Wanted {
    /// Returns the minimum number of common elements of a set of this size and any other; at least 1.
    fn min_common(self, size: usize) -> usize {
        ((self.threshold * size as f64 - ROUNDING).ceil() as usize).clamp(1, size.max(1))
    }

    /// Returns whether sets of these sizes, the first not the larger, may be similar.
    fn allows_sizes(self, smaller: usize, larger: usize) -> bool {
        self.measure == SetMeasure::Containment || smaller >= self.min_common(larger)
    }
}

/// Returns the pairs of similar sets whose larger set, by size and then by number, is in a share. A threshold of 0 still takes a common element.
pub(super) fn similar(
    distinct: &Distinct<'_>,
    (measure, threshold, smallest): (SetMeasure, f64, Option<usize>),
    limits: MatchLimits,
    share: WorkShare,
) -> Found {
    let wanted = Wanted { measure, threshold, smallest };
    let index = PrefixIndex::new(distinct, wanted);
    let large_groups = index.postings.iter().filter(|list| list.len() > limits.max_group).count();
    let pairs = index.share(distinct, wanted, limits, share).into_par_iter();
    let pairs = pairs.flat_map_iter(|at| index.pairs_of(distinct, at, wanted, limits)).collect();
    Found { pairs, large_groups: large_groups as u64, notice: None }
}

/// Sets by size, and the sets that have a shared element in their prefixes.
struct PrefixIndex {
    /// Items, the smallest sets first.
    by_size: Vec<u32>,
    /// The elements of each item that other sets have too, the rarest first.
    shared: Vec<Vec<u32>>,
    /// Positions in `by_size`, ascending, by the number of the element.
    postings: Vec<Vec<u32>>,
}

impl PrefixIndex {
    fn new(distinct: &Distinct<'_>, wanted: Wanted) -> Self {
        let mut by_size: Vec<u32> = distinct.items().collect();
        by_size.par_sort_by_key(|item| distinct.get(*item).len());
        let (numbers, frequencies) = shared_elements(distinct);
        let shared_of = |item: u32| {
            let elements = distinct.get(item).iter();
            let mut shared: Vec<u32> = elements.filter_map(|e| numbers.get(e).copied()).collect();
            shared.sort_unstable_by_key(|number| (frequencies[*number as usize], *number));
            shared
        };
        let shared = distinct.items().into_par_iter().map(shared_of).collect();
        let postings = vec![Vec::new(); frequencies.len()];
        let mut index = PrefixIndex { by_size, shared, postings };
        for at in 0..index.by_size.len() {
            let item = index.by_size[at];
            let size = distinct.get(item).len();
            let length = index.shared_prefix(item, size, size - wanted.min_common(size) + 1);
            for number in &index.shared[item as usize][..length] {
                index.postings[*number as usize].push(at as u32);
            }
        }
        index
    }

    /// Returns how many of the `length` rarest elements of a set are shared. Those of no other set are the rarest.
    fn shared_prefix(&self, item: u32, size: usize, length: usize) -> usize {
        let shared = self.shared[item as usize].len();
        length.saturating_sub(size - shared).min(shared)
    }

    /// Returns the positions of a share with about the same number of postings to look at as others.
    fn share(
        &self,
        distinct: &Distinct<'_>,
        wanted: Wanted,
        limits: MatchLimits,
        share: WorkShare,
    ) -> Range<usize> {
        share.of_weights(self.by_size.len(), |at| {
            let item = self.by_size[at];
            let prefix = &self.shared[item as usize][..self.prefix_of(distinct, item, wanted)];
            let before = |number: &u32| {
                let list = &self.postings[*number as usize];
                list.partition_point(|other| *other < at as u32).min(limits.max_group)
            };
            prefix.iter().map(before).sum::<usize>() as u64 + distinct.get(item).len() as u64
        })
    }

    /// Returns how many of the shared elements of a set smaller sets are looked up by.
    fn prefix_of(&self, distinct: &Distinct<'_>, item: u32, wanted: Wanted) -> usize {
        let size = distinct.get(item).len();
        // The smaller set alone decides what its prefix must share.
        let length = match wanted.measure {
            SetMeasure::Containment => size,
            _ => size - wanted.min_common(size) + 1,
        };
        self.shared_prefix(item, size, length)
    }

    /// Returns the similar pairs of the set at a position with sets before it.
    fn pairs_of(
        &self,
        distinct: &Distinct<'_>,
        at: usize,
        wanted: Wanted,
        limits: MatchLimits,
    ) -> Vec<(u32, u32)> {
        let (item, set) = (self.by_size[at], distinct.get(self.by_size[at]));
        let length = self.prefix_of(distinct, item, wanted);
        let mut candidates: Vec<u32> = Vec::new();
        for number in &self.shared[item as usize][..length] {
            let list = self.postings[*number as usize].iter();
            let before = list.take_while(|other| **other < at as u32);
            candidates.extend(before.take(limits.max_group));
        }
        candidates.sort_unstable();
        candidates.dedup();
        let others = candidates.into_iter().map(|other| self.by_size[other as usize]);
        let is_similar = |other: &u32| {
            let other = distinct.get(*other);
            let similarity = || wanted.measure.similarity(other, set, wanted.smallest);
            wanted.allows_sizes(other.len(), set.len()) && similarity() >= wanted.threshold
        };
        others.filter(is_similar).map(|other| (item.min(other), item.max(other))).collect()
    }
}

/// Returns the elements of more than one set, numbered in ascending order, and the numbers of their sets.
fn shared_elements(distinct: &Distinct<'_>) -> (FxHashMap<u64, u32>, Vec<u32>) {
    let items = distinct.items().into_par_iter();
    let mut elements: Vec<u64> =
        items.flat_map_iter(|item| distinct.get(item).iter().copied()).collect();
    elements.par_sort_unstable();
    let groups = elements.chunk_by(|one, other| one == other);
    let shared: Vec<&[u64]> = groups.filter(|group| group.len() > 1).collect();
    let numbers = shared.iter().zip(0..).map(|(group, number)| (group[0], number)).collect();
    (numbers, shared.iter().map(|group| group.len() as u32).collect())
}
