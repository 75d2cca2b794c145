//! Connected components.

use super::Clusters;
use crate::search::Pair;

/// Sets that grow together: every member points to another of its set, the set's root to itself.
pub(super) struct Forest {
    parents: Vec<u32>,
}

impl Forest {
    /// So many members, each alone.
    pub(super) fn new(members: usize) -> Self {
        assert!(u32::try_from(members).is_ok(), "numbers of documents fit 32 bits");
        Forest { parents: (0..members as u32).collect() }
    }

    /// The root of a member's set. Every other node on the way is set to point to its grandparent, so that the next search is half as long.
    pub(super) fn root(&mut self, member: u32) -> u32 {
        let mut at = member as usize;
        while self.parents[at] as usize != at {
            let grandparent = self.parents[self.parents[at] as usize];
            self.parents[at] = grandparent;
            at = grandparent as usize;
        }
        at as u32
    }

    /// Puts the set of one root under another root.
    pub(super) fn hang(&mut self, root: u32, under: u32) {
        self.parents[root as usize] = under;
    }

    /// The root of each member.
    pub(super) fn roots(mut self) -> Vec<u32> {
        (0..self.parents.len() as u32).map(|member| self.root(member)).collect()
    }
}

/// The connected components of `documents` documents that the pairs link. Pairs may come in any order, and more than once. Takes time in
/// proportion to documents and pairs, times at most the logarithm of their number, and a few bytes a document.
pub fn components(documents: usize, pairs: impl IntoIterator<Item = Pair>) -> Clusters {
    let mut forest = Forest::new(documents);
    for pair in pairs {
        let (one, other) = (forest.root(pair.low), forest.root(pair.high));
        forest.hang(one.max(other), one.min(other));
    }
    Clusters::of_labels(&forest.roots())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clusters::testing::{any_pairs, listed, pairs_of, shuffled};
    use proptest::prelude::*;

    /// Relabels everything at every pair.
    fn naive(documents: usize, pairs: &[Pair]) -> Vec<Vec<u32>> {
        let mut labels: Vec<u32> = (0..documents as u32).collect();
        for pair in pairs {
            let (from, to) = (labels[pair.high as usize], labels[pair.low as usize]);
            labels.iter_mut().filter(|label| **label == from).for_each(|label| *label = to);
        }
        let members = |label: u32| {
            (0..documents as u32).filter(|d| labels[*d as usize] == label).collect::<Vec<u32>>()
        };
        let mut groups: Vec<Vec<u32>> = (0..documents as u32).map(members).collect();
        groups.retain(|group| group.len() > 1);
        groups.sort();
        groups
    }

    #[test]
    fn a_chain_is_one_cluster() {
        let links: Vec<(u32, u32, f64)> = (1..10_000).map(|i| (i - 1, i, 80.0)).collect();
        let pairs = pairs_of(&links);
        assert_eq!(components(10_001, pairs.iter().copied()).get(0).len(), 10_000);
        let backwards = components(10_001, pairs.into_iter().rev());
        assert_eq!((backwards.len(), backwards.get(0).len()), (1, 10_000));
    }

    #[test]
    fn nothing_gives_nothing() {
        assert!(components(0, []).is_empty());
        assert!(components(5, []).is_empty());
    }

    proptest! {
        #[test]
        fn components_equal_a_naive_union((documents, pairs) in any_pairs(), seed: u64) {
            let found = components(documents, pairs.iter().copied());
            prop_assert_eq!(listed(&found), naive(documents, &pairs));
            let twice = shuffled(&pairs, seed).into_iter().chain(pairs);
            prop_assert_eq!(components(documents, twice), found);
        }
    }
}
