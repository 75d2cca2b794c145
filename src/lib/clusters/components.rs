//! Connected components.

use super::Clusters;
use crate::search::{Pair, UnionFind};

/// Returns the connected components of `documents` documents linked by pairs. Pairs come in any order and may repeat. Time: O(P log N) for P
/// pairs of N documents at most; memory: a few bytes per document.
pub fn components(documents: usize, pairs: impl IntoIterator<Item = Pair>) -> Clusters {
    let sets = UnionFind::new(documents);
    for pair in pairs {
        sets.unite(pair.low, pair.high);
    }
    Clusters::of_labels(&sets.representatives())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clusters::testing::{any_pairs, listed, pairs_of, shuffled};
    use proptest::prelude::*;

    /// Relabels all documents at every pair.
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
