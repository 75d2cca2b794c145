//! What becomes of found pairs: clusters of documents, how much alike the members of each are, and which of them stay.
//!
//! Documents are numbers; what they hold is for others. Two kinds of clusters:
//!
//! - [`components`]: whoever is linked by a chain of pairs belongs together. The ends of a chain may be quite unlike.
//! - [`complete()`]: every two members are a found pair. Chains are cut.
//!
//! [`cohesion()`] tells the smallest and the mean similarity inside each cluster over all pairs of members, also those that no search has
//! found, so that a chain of unlike documents shows. [`removals`] says which documents go, and in whose favour.
//!
//! Equal documents need no pairs: one of them stands for all (its *original*) in the pairs, and [`Clusters::with_copies`] adds the others. The
//! work then depends on how many distinct documents there are: a hundred thousand equal ones cost what one costs.
//!
//! Nothing depends on the order in which pairs are given (where it must be sorted, that is said) or on the number of threads.

mod cohesion;
mod complete;
mod forest;
mod keep;
#[cfg(test)]
mod testing;

pub use cohesion::{Basis, Cohesion, MOST_DISTINCT, cohesion};
pub use complete::complete;
pub use forest::components;
pub use keep::{Keep, Removal, ranks, removals};

/// Clusters of two or more documents, ordered by their first members.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Clusters {
    /// Cluster by cluster, the numbers ascending in each.
    members: Vec<u32>,
    /// Where each cluster ends in the members.
    ends: Vec<usize>,
}

/// Marks a label whose cluster has no place yet.
const NOWHERE: usize = usize::MAX;

impl Clusters {
    /// The documents with equal labels together. A label is a number below that of the documents; who is alone with his is in no cluster.
    fn of_labels(labels: &[u32]) -> Self {
        let mut sizes = vec![0usize; labels.len()];
        labels.iter().for_each(|label| sizes[*label as usize] += 1);
        let mut members = vec![0; sizes.iter().filter(|size| **size > 1).sum()];
        let mut ends = Vec::new();
        let mut places = vec![NOWHERE; labels.len()];
        let mut end = 0;
        for (document, label) in labels.iter().map(|label| *label as usize).enumerate() {
            if sizes[label] < 2 {
                continue;
            }
            if places[label] == NOWHERE {
                places[label] = end;
                end += sizes[label];
                ends.push(end);
            }
            members[places[label]] = document as u32;
            places[label] += 1;
        }
        Clusters { members, ends }
    }

    /// The same clusters with copies: `original_of` has for each document the one that stands for all that are equal to it (for an original itself), and
    /// these clusters hold originals only. Equal documents that are similar to no other become clusters of their own.
    pub fn with_copies(&self, original_of: &[u32]) -> Self {
        let mut labels: Vec<u32> = (0..original_of.len() as u32).collect();
        for members in self.iter() {
            members.iter().for_each(|member| labels[*member as usize] = members[0]);
        }
        let of_copies: Vec<u32> =
            original_of.iter().map(|original| labels[*original as usize]).collect();
        Self::of_labels(&of_copies)
    }

    /// Keeps the clusters whose members are wanted.
    pub fn retain(&mut self, is_wanted: impl Fn(&[u32]) -> bool) {
        let mut kept = Clusters::default();
        for members in self.iter().filter(|members| is_wanted(members)) {
            kept.members.extend_from_slice(members);
            kept.ends.push(kept.members.len());
        }
        *self = kept;
    }

    /// How many clusters there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// How many documents are in a cluster.
    pub fn documents(&self) -> usize {
        self.members.len()
    }

    /// The members of a cluster, ascending.
    pub fn get(&self, cluster: usize) -> &[u32] {
        let start = cluster.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.members[start..self.ends[cluster]]
    }

    /// The members of each cluster.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        (0..self.len()).map(|cluster| self.get(cluster))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn listed(clusters: &Clusters) -> Vec<Vec<u32>> {
        clusters.iter().map(<[u32]>::to_vec).collect()
    }

    #[test]
    fn clusters_stand_by_their_first_members() {
        let clusters = Clusters::of_labels(&[5, 1, 3, 1, 4, 5, 3]);
        assert_eq!(listed(&clusters), [[0, 5], [1, 3], [2, 6]]);
        assert_eq!((clusters.len(), clusters.documents()), (3, 6));
        assert!(Clusters::of_labels(&[2, 1, 0]).is_empty() && Clusters::of_labels(&[]).is_empty());
    }

    #[test]
    fn copies_join_their_originals_or_stand_alone() {
        // 0 = 4, 1 = 2, 3 is like 0, 5 is alone.
        let clusters = Clusters::of_labels(&[0, 1, 2, 0, 4, 5]);
        let whole = clusters.with_copies(&[0, 1, 1, 3, 0, 5]);
        assert_eq!(listed(&whole), [vec![0, 3, 4], vec![1, 2]]);
        let none: Vec<u32> = (0..6).collect();
        assert_eq!(clusters.with_copies(&none), clusters);
    }

    proptest! {
        #[test]
        fn labels_are_grouped_as_in_a_map(labels in prop::collection::vec(0u32..30, 30)) {
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
