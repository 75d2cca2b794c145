//! Pairs of all methods, each once with the methods that found it.

use rayon::prelude::*;

/// Set of lists of pairs, one bit each.
pub(super) type ListSet = u32;

/// Maximum number of lists.
pub(super) const MAX_LISTS: usize = ListSet::BITS as usize;

/// Two documents, the lower first, and the lists that have them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FoundPair {
    pub pair: (u32, u32),
    pub lists: ListSet,
}

/// Merges lists of pairs, whose documents are in any order. Returns each pair once, sorted. Memory: 12 bytes per pair of each list.
pub(super) fn union(lists: &[Vec<(u32, u32)>]) -> Vec<FoundPair> {
    debug_assert!(lists.len() <= MAX_LISTS);
    let entry = |number: usize, (one, other): (u32, u32)| FoundPair {
        pair: (one.min(other), one.max(other)),
        lists: 1 << number,
    };
    let entries = lists.iter().enumerate();
    let mut pairs: Vec<FoundPair> = entries
        .flat_map(|(number, list)| list.iter().map(move |pair| entry(number, *pair)))
        .collect();
    pairs.par_sort_unstable();
    pairs.dedup_by(|later, kept| {
        let is_same = later.pair == kept.pair;
        kept.lists |= if is_same { later.lists } else { 0 };
        is_same
    });
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_several_lists_are_one() {
        let lists = [vec![(3, 1), (0, 2)], vec![], vec![(1, 3), (1, 2), (3, 1)]];
        let expected = [((0, 2), 0b001), ((1, 2), 0b100), ((1, 3), 0b101)];
        let expected = expected.map(|(pair, lists)| FoundPair { pair, lists });
        assert_eq!(union(&lists), expected);
        assert_eq!(union(&[]), []);
    }
}
