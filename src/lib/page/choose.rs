//! Which pairs are shown where there are too many, and how the similarities of all of them lie.

use super::Histogram;
use super::findings::{FoundPair, Group};

/// Width of a histogram's bin in millionths of a per cent: 0.01. Whole numbers, so that no similarity falls into the wrong bin by rounding.
const BIN: u64 = 1_000_000;
/// A similarity of 1 in these.
const ONE: u64 = 100 * BIN;

/// The pairs to be shown, for each group positions in the list of pairs with the most similar first: the most similar of every group, then the second of every group, and so
/// on, groups in their order, until there are `most`. Ties go by the order of the list.
pub(super) fn in_turn(groups: &[Group], pairs: &[FoundPair], most: usize) -> Vec<Vec<u32>> {
    let mut chosen: Vec<Vec<u32>> = groups.iter().map(|group| sorted(group, pairs)).collect();
    let mut lengths = vec![0; groups.len()];
    let mut open: Vec<usize> = (0..groups.len()).collect();
    let mut left = most;
    while left > 0 && !open.is_empty() {
        open.retain(|group| chosen[*group].len() > lengths[*group]);
        for group in open.iter().take(left) {
            lengths[*group] += 1;
        }
        left = left.saturating_sub(open.len());
    }
    for (list, length) in chosen.iter_mut().zip(lengths) {
        list.truncate(length);
    }
    chosen
}

fn sorted(group: &Group, pairs: &[FoundPair]) -> Vec<u32> {
    let mut list = group.pairs.clone();
    let similarity = |position: &u32| pairs[*position as usize].similarity;
    list.sort_by(|a, b| similarity(b).total_cmp(&similarity(a)));
    list
}

/// How all similarities lie, from the threshold (or the least of them, if that is smaller) to 1.
pub(super) fn histogram(pairs: &[FoundPair], threshold: Option<f64>) -> Histogram {
    let least = pairs.iter().map(|pair| pair.similarity).reduce(f64::min);
    let Some(least) = least else {
        return Histogram { low: threshold.unwrap_or(0.0), step: 0.01, ..Histogram::default() };
    };
    let fine = |similarity: f64| (similarity * ONE as f64).round() as u64;
    let first = (fine(least.min(threshold.unwrap_or(1.0))) / BIN).min(ONE / BIN - 1);
    let mut counts = vec![0; (ONE / BIN - first) as usize];
    let last = counts.len() - 1;
    for pair in pairs {
        let bin = (fine(pair.similarity) / BIN - first) as usize;
        counts[bin.min(last)] += 1;
    }
    Histogram { low: first as f64 / 100.0, step: 0.01, counts, least: Some(least) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pairs(similarities: &[f64]) -> Vec<FoundPair> {
        let pair = |similarity: &f64| FoundPair { left: 0, right: 1, similarity: *similarity };
        similarities.iter().map(pair).collect()
    }

    fn group(pairs: &[u32]) -> Group {
        Group { pairs: pairs.to_vec(), ..Group::default() }
    }

    #[test]
    fn every_group_gives_its_best_first() {
        let pairs = pairs(&[0.8, 0.9, 1.0, 0.9, 0.7]);
        let groups = [group(&[0, 1, 2]), group(&[3]), group(&[4])];
        assert_eq!(in_turn(&groups, &pairs, 2), [vec![2], vec![3], vec![]]);
        assert_eq!(in_turn(&groups, &pairs, 3), [vec![2], vec![3], vec![4]]);
        assert_eq!(in_turn(&groups, &pairs, 4), [vec![2, 1], vec![3], vec![4]]);
        assert_eq!(in_turn(&groups, &pairs, 9), [vec![2, 1, 0], vec![3], vec![4]]);
        assert_eq!(in_turn(&groups, &pairs, 0), vec![Vec::<u32>::new(); 3]);
        assert!(in_turn(&[], &pairs, 5).is_empty());
    }

    #[test]
    fn bins_hold_their_lower_edges_and_the_last_one_holds_1() {
        let found = histogram(&pairs(&[0.8, 0.81, 0.819999, 0.99, 1.0, 0.9999]), Some(0.8));
        assert_eq!((found.low, found.counts.len(), found.least), (0.8, 20, Some(0.8)));
        assert_eq!((found.counts[0], found.counts[1], found.counts[19]), (1, 2, 3));
        let found = histogram(&pairs(&[1.0]), None);
        assert_eq!((found.low, found.counts), (0.99, vec![1]));
        assert_eq!(histogram(&pairs(&[0.5]), Some(0.8)).low, 0.5);
        assert!(histogram(&[], Some(0.8)).counts.is_empty());
    }

    proptest! {
        #[test]
        fn turns_are_those_of_the_slow_way(sizes in prop::collection::vec(0usize..6, 0..8), most in 0usize..30) {
            let total: usize = sizes.iter().sum();
            let similarities: Vec<f64> = (0..total).map(|n| (n * 7 % 5) as f64 / 5.0).collect();
            let pairs = pairs(&similarities);
            let mut next = 0..;
            let groups: Vec<Group> = sizes.iter().map(|size| group(&next.by_ref().take(*size).collect::<Vec<u32>>())).collect();
            let mut expected = vec![Vec::new(); groups.len()];
            let turns = (0..total).flat_map(|turn| (0..groups.len()).map(move |group| (turn, group)));
            let given = turns.filter_map(|(turn, group)| Some((group, *sorted(&groups[group], &pairs).get(turn)?)));
            given.take(most).for_each(|(group, pair)| expected[group].push(pair));
            prop_assert_eq!(in_turn(&groups, &pairs, most), expected);
        }

        #[test]
        fn every_pair_is_counted_once(similarities in prop::collection::vec(0u32..=100_000_000, 1..50), threshold in prop::option::of(0.0f64..=1.0)) {
            let similarities: Vec<f64> = similarities.into_iter().map(|n| f64::from(n) / 1e8).collect();
            let found = histogram(&pairs(&similarities), threshold);
            prop_assert_eq!(found.counts.iter().sum::<u64>(), similarities.len() as u64);
            prop_assert_eq!(found.counts.len() as u64, ((1.0 - found.low) * 100.0).round() as u64);
        }
    }
}
