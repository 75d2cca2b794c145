//! Clusters of documents from pairs, their cohesion, and the documents to keep.
//!
//! Documents are numbers. There are two kinds of clusters:
//!
//! - [`components()`]: connected components. The ends of a chain of pairs may be dissimilar.
//! - [`complete()`]: complete-linkage clusters. Every two members are a pair; chains are cut.
//!
//! [`cohesion()`] computes the smallest and the mean similarity inside each cluster over all pairs of members, found or not, and so reveals
//! chains. [`removals`] selects the documents to remove, each with the one kept for it.
//!
//! [`ClusterMerger`] joins clusters of several collections by the pairs between them.
//!
//! Exact duplicates need no pairs: one of them, the *representative*, stands for all in the pairs, and [`Clusters::with_duplicates`] adds the
//! others. The work depends on the number of distinct documents only.
//!
//! Results depend neither on the order of the pairs (functions that need sorted pairs say so) nor on the number of threads.

mod cohesion;
mod complete;
mod components;
mod keep;
mod merge;
mod tally;
#[cfg(test)]
mod testing;

pub use cohesion::{Cohesion, CohesionBasis, cohesion};
pub use complete::complete;
pub use components::components;
pub use keep::{Keep, Removal, ranks, removals};
pub use merge::ClusterMerger;

/// Clusters of at least two documents, ordered by their first members.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Clusters {
    /// Members, cluster by cluster, ascending within each.
    members: Vec<u32>,
    /// End of each cluster in the members.
    ends: Vec<usize>,
}

/// Position of a label whose cluster has not begun.
const UNSET: usize = usize::MAX;

impl Clusters {
    /// Groups documents by label. Labels are less than the number of documents; singletons form no cluster.
    fn of_labels(labels: &[u32]) -> Self {
        let mut sizes = vec![0usize; labels.len()];
        labels.iter().for_each(|label| sizes[*label as usize] += 1);
        let mut members = vec![0; sizes.iter().filter(|size| **size > 1).sum()];
        let mut ends = Vec::new();
        let mut places = vec![UNSET; labels.len()];
        let mut end = 0;
        for (document, label) in labels.iter().map(|label| *label as usize).enumerate() {
            if sizes[label] < 2 {
                continue;
            }
            if places[label] == UNSET {
                places[label] = end;
                end += sizes[label];
                ends.push(end);
            }
            members[places[label]] = document as u32;
            places[label] += 1;
        }
        Clusters { members, ends }
    }

    /// Adds exact duplicates to clusters of representatives: `representative_of` maps each document to its representative, and a representative
    /// to itself. Duplicates whose representative is in no cluster form clusters of their own.
    pub fn with_duplicates(&self, representative_of: &[u32]) -> Self {
        let mut labels: Vec<u32> = (0..representative_of.len() as u32).collect();
        for members in self.iter() {
            members.iter().for_each(|member| labels[*member as usize] = members[0]);
        }
        let all: Vec<u32> = representative_of.iter().map(|one| labels[*one as usize]).collect();
        Self::of_labels(&all)
    }

    /// Keeps the clusters whose members satisfy a predicate.
    pub fn retain(&mut self, is_kept: impl Fn(&[u32]) -> bool) {
        let mut kept = Clusters::default();
        for members in self.iter().filter(|members| is_kept(members)) {
            kept.members.extend_from_slice(members);
            kept.ends.push(kept.members.len());
        }
        *self = kept;
    }

    /// Returns the number of clusters.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there is no cluster.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the members of a cluster, ascending.
    pub fn get(&self, cluster: usize) -> &[u32] {
        let start = cluster.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.members[start..self.ends[cluster]]
    }

    /// Iterates over the members of each cluster.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        (0..self.len()).map(|cluster| self.get(cluster))
    }
}

#[cfg(test)]
mod tests {
    use super::testing::listed;
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn duplicates_join_their_representatives_or_form_clusters() {
        // 0 = 4, 1 = 2, 3 is similar to 0, 5 is a singleton.
        let clusters = Clusters::of_labels(&[0, 1, 2, 0, 4, 5]);
        let whole = clusters.with_duplicates(&[0, 1, 1, 3, 0, 5]);
        assert_eq!(listed(&whole), [vec![0, 3, 4], vec![1, 2]]);
        let none: Vec<u32> = (0..6).collect();
        assert_eq!(clusters.with_duplicates(&none), clusters);
    }

    proptest! {
        #[test]
        fn grouping_by_label_equals_a_map(labels in prop::collection::vec(0u32..30, 30)) {
            let mut groups: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
            for (document, label) in labels.iter().enumerate() {
                groups.entry(*label).or_default().push(document as u32);
            }
            let mut expected: Vec<Vec<u32>> =
                groups.into_values().filter(|group| group.len() > 1).collect();
            expected.sort();
            prop_assert_eq!(listed(&Clusters::of_labels(&labels)), expected);
        }
    }
}
