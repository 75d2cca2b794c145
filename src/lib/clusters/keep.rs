//! Which member of a cluster stays.

use std::cmp::{Ordering, Reverse};

use super::Clusters;

/// Which member of a cluster stays. Of equally good ones it is always the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep<'a> {
    /// The first.
    First,
    /// The one with the greatest length; the lengths of all documents.
    Longest(&'a [u64]),
    /// The one with the highest rank (see [`ranks`]). Documents without one lose against those with one.
    Largest(&'a [Option<u32>]),
    /// The one with the lowest rank. Documents without one lose against those with one.
    Smallest(&'a [Option<u32>]),
}

/// A document that goes, and the member of its cluster that stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Removal {
    /// The document that goes.
    pub document: u32,
    /// The one that stays in its place.
    pub kept_instead: u32,
}

impl Keep<'_> {
    /// The best of some documents, which are ascending.
    fn best(&self, documents: &[u32]) -> u32 {
        let first = documents.iter().copied().reduce(|best, document| {
            if self.prefers(document as usize, best as usize) { document } else { best }
        });
        first.expect("a cluster has members")
    }

    /// Whether a document is better than one before it.
    fn prefers(&self, document: usize, best: usize) -> bool {
        match self {
            Keep::First => false,
            Keep::Longest(lengths) => lengths[document] > lengths[best],
            // Nothing is less than something.
            Keep::Largest(ranks) => ranks[document] > ranks[best],
            Keep::Smallest(ranks) => ranks[document].map(Reverse) > ranks[best].map(Reverse),
        }
    }
}

/// The documents that go, ascending: of each cluster all but one. Documents before `first_new` never go: where a cluster holds such, all others of it go in favour of the
/// best of these.
pub fn removals(clusters: &Clusters, keep: Keep, first_new: u32) -> Vec<Removal> {
    let mut removals = Vec::new();
    for members in clusters.iter() {
        let (old, new) = members.split_at(members.partition_point(|member| *member < first_new));
        let kept_instead = keep.best(if old.is_empty() { new } else { old });
        let gone = new.iter().filter(|member| **member != kept_instead);
        removals.extend(gone.map(|document| Removal { document: *document, kept_instead }));
    }
    removals.sort_unstable_by_key(|removal| removal.document);
    removals
}

/// The ranks of values in ascending order, equal values the same. What has no value has no rank.
pub fn ranks<T>(values: &[Option<T>], compare: impl Fn(&T, &T) -> Ordering) -> Vec<Option<u32>> {
    let valued = values.iter().enumerate();
    let mut order: Vec<(usize, &T)> =
        valued.filter_map(|(document, value)| Some((document, value.as_ref()?))).collect();
    order.sort_by(|(_, one), (_, other)| compare(one, other));
    let mut ranks = vec![None; values.len()];
    let equal = order.chunk_by(|(_, one), (_, other)| compare(one, other) == Ordering::Equal);
    for (rank, documents) in (0..).zip(equal) {
        documents.iter().for_each(|(document, _)| ranks[*document] = Some(rank));
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clusters::components;
    use crate::clusters::testing::{any_pairs, pairs_of};
    use proptest::prelude::*;

    fn gone(keep: Keep, first_new: u32) -> Vec<(u32, u32)> {
        let pairs = pairs_of(&[(0, 4, 90.0), (1, 2, 90.0), (2, 3, 90.0), (5, 6, 90.0)]);
        let clusters = components(7, pairs);
        let removals = removals(&clusters, keep, first_new);
        removals.iter().map(|removal| (removal.document, removal.kept_instead)).collect()
    }

    #[test]
    fn rules_choose_and_ties_go_to_the_first() {
        assert_eq!(gone(Keep::First, 0), [(2, 1), (3, 1), (4, 0), (6, 5)]);
        let lengths = [3, 5, 9, 9, 4, 1, 1];
        assert_eq!(gone(Keep::Longest(&lengths), 0), [(0, 4), (1, 2), (3, 2), (6, 5)]);
        let ranks = [None, Some(7), Some(2), Some(2), Some(0), None, None];
        assert_eq!(gone(Keep::Largest(&ranks), 0), [(0, 4), (2, 1), (3, 1), (6, 5)]);
        assert_eq!(gone(Keep::Smallest(&ranks), 0), [(0, 4), (1, 2), (3, 2), (6, 5)]);
    }

    #[test]
    fn old_documents_never_go() {
        // 0, 1 and 2 are old: 2 stays although 1 would be kept, and 3 goes in favour of the better of them.
        assert_eq!(gone(Keep::First, 3), [(3, 1), (4, 0), (6, 5)]);
        let lengths = [0, 5, 9, 99, 4, 1, 2];
        assert_eq!(gone(Keep::Longest(&lengths), 3), [(3, 2), (4, 0), (5, 6)]);
        assert_eq!(gone(Keep::First, 7), []);
    }

    #[test]
    fn values_are_ranked() {
        let values = [Some(2.5), None, Some(-1.0), Some(2.5), Some(7.0)];
        let expected = [Some(1), None, Some(0), Some(1), Some(2)];
        assert_eq!(ranks(&values, f64::total_cmp), expected);
        let texts = [Some("2024-02-01"), Some("2023-12-31"), None];
        assert_eq!(ranks(&texts, |a, b| a.cmp(b)), [Some(1), Some(0), None]);
        assert_eq!(ranks::<u8>(&[], u8::cmp), []);
    }

    proptest! {
        #[test]
        fn one_of_each_cluster_stays_and_no_other_is_better(
            (documents, pairs) in any_pairs(),
            drawn in prop::collection::vec(prop::option::of(0u32..4), 24),
            first_new in 0u32..24,
        ) {
            let clusters = components(documents, pairs);
            let lengths: Vec<u64> = drawn.iter().map(|rank| u64::from(rank.unwrap_or(9))).collect();
            for keep in
                [Keep::First, Keep::Longest(&lengths), Keep::Largest(&drawn), Keep::Smallest(&drawn)]
            {
                let found = removals(&clusters, keep, first_new);
                prop_assert!(found.is_sorted_by(|a, b| a.document < b.document));
                // How little each member is wanted: the least stays.
                let badness = |document: u32| match keep {
                    Keep::First => 0,
                    Keep::Longest(lengths) => 100 - lengths[document as usize],
                    Keep::Largest(ranks) => ranks[document as usize].map_or(100, |r| 50 - u64::from(r)),
                    Keep::Smallest(ranks) => ranks[document as usize].map_or(100, u64::from),
                };
                let mut expected = Vec::new();
                for members in clusters.iter() {
                    let kept = *members.iter()
                        .min_by_key(|m| (**m >= first_new, badness(**m), **m)).unwrap();
                    let new = members.iter().filter(|m| **m >= first_new && **m != kept);
                    expected.extend(new.map(|m| Removal { document: *m, kept_instead: kept }));
                }
                expected.sort_by_key(|removal| removal.document);
                prop_assert_eq!(found, expected);
            }
        }
    }
}
