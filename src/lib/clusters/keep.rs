//! The document to keep from each cluster.

use std::cmp::{Ordering, Reverse};

use super::Clusters;

/// Rule for the document to keep from a cluster. Ties go to the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep<'a> {
    /// The first document.
    First,
    /// The longest document, given the lengths of all.
    Longest(&'a [u64]),
    /// The document with the highest rank (see [`ranks`]). Documents without a rank come last.
    Largest(&'a [Option<u32>]),
    /// The document with the lowest rank. Documents without a rank come last.
    Smallest(&'a [Option<u32>]),
}

/// Document to remove, and the member of its cluster to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Removal {
    /// The document to remove.
    pub document: u32,
    /// The document kept for it.
    pub kept: u32,
}

impl Keep<'_> {
    /// Returns the best of some documents, which are ascending.
    fn best(&self, documents: &[u32]) -> u32 {
        let first = documents.iter().copied().reduce(|best, document| {
            if self.prefers(document as usize, best as usize) { document } else { best }
        });
        first.expect("a cluster has members")
    }

    /// Returns whether a document is better than an earlier one.
    fn prefers(&self, document: usize, best: usize) -> bool {
        match self {
            Keep::First => false,
            Keep::Longest(lengths) => lengths[document] > lengths[best],
            // None is less than any rank.
            Keep::Largest(ranks) => ranks[document] > ranks[best],
            Keep::Smallest(ranks) => ranks[document].map(Reverse) > ranks[best].map(Reverse),
        }
    }
}

/// Returns the documents to remove, ascending: all but one of each cluster. Existing documents, those before `first_new`, are never removed: if
/// a cluster holds any, all its new documents are removed for the best of them.
pub fn removals(clusters: &Clusters, keep: Keep, first_new: u32) -> Vec<Removal> {
    let mut removals = Vec::new();
    for members in clusters.iter() {
        let (existing, new) =
            members.split_at(members.partition_point(|member| *member < first_new));
        let kept = keep.best(if existing.is_empty() { new } else { existing });
        let removed = new.iter().filter(|member| **member != kept);
        removals.extend(removed.map(|document| Removal { document: *document, kept }));
    }
    removals.sort_unstable_by_key(|removal| removal.document);
    removals
}

/// Returns the ranks of values in ascending order; equal values have equal ranks, missing values none.
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
    use crate::clusters::testing::any_pairs;
    use proptest::prelude::*;

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
        fn the_best_member_of_each_cluster_is_kept(
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
                // The member with the lowest badness is kept.
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
                    expected.extend(new.map(|m| Removal { document: *m, kept }));
                }
                expected.sort_by_key(|removal| removal.document);
                prop_assert_eq!(found, expected);
            }
        }
    }
}
