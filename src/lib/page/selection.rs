//! Selection of the pairs to show, and the histogram of all similarities.

use super::SimilarityHistogram;
use super::findings::{ClusterPairs, PairScore};

/// Width of a bin in 10⁻⁸: 0.01. Integers keep similarities at an edge in the right bin.
const BIN: u64 = 1_000_000;
/// A similarity of 1 in 10⁻⁸.
const ONE: u64 = 100 * BIN;

/// Selects at most `max_pairs` pairs: the most similar of every cluster in order, then the second of every cluster, and so on. Returns for each
/// cluster the positions of its pairs by descending similarity; ties keep their order.
pub(super) fn round_robin(
    groups: &[ClusterPairs],
    pairs: &[PairScore],
    max_pairs: usize,
) -> Vec<Vec<u32>> {
    let mut selected: Vec<Vec<u32>> = groups.iter().map(|group| sorted(group, pairs)).collect();
    let mut lengths = vec![0; groups.len()];
    let mut open: Vec<usize> = (0..groups.len()).collect();
    let mut remaining = max_pairs;
    while remaining > 0 && !open.is_empty() {
        open.retain(|group| selected[*group].len() > lengths[*group]);
        for group in open.iter().take(remaining) {
            lengths[*group] += 1;
        }
        remaining = remaining.saturating_sub(open.len());
    }
    for (list, length) in selected.iter_mut().zip(lengths) {
        list.truncate(length);
    }
    selected
}

fn sorted(group: &ClusterPairs, pairs: &[PairScore]) -> Vec<u32> {
    let mut list = group.pairs.clone();
    let similarity = |position: &u32| pairs[*position as usize].similarity;
    list.sort_by(|a, b| similarity(b).total_cmp(&similarity(a)));
    list
}

/// Returns the smallest similarity.
pub(super) fn least(pairs: &[PairScore]) -> Option<f64> {
    pairs.iter().map(|pair| pair.similarity).reduce(f64::min)
}

/// Returns the histogram of all similarities, from the threshold, or the smallest similarity if that is less, to 1.
pub(super) fn histogram(pairs: &[PairScore], threshold: Option<f64>) -> SimilarityHistogram {
    let Some(least) = least(pairs) else {
        let (low, counts) = (threshold.unwrap_or(0.0), Vec::new());
        return SimilarityHistogram { low, step: 0.01, counts };
    };
    let fine = |similarity: f64| (similarity * ONE as f64).round() as u64;
    let first = (fine(least.min(threshold.unwrap_or(1.0))) / BIN).min(ONE / BIN - 1);
    let mut counts = vec![0; (ONE / BIN - first) as usize];
    let last = counts.len() - 1;
    for pair in pairs {
        let bin = (fine(pair.similarity) / BIN - first) as usize;
        counts[bin.min(last)] += 1;
    }
    SimilarityHistogram { low: first as f64 / 100.0, step: 0.01, counts }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pairs(similarities: &[f64]) -> Vec<PairScore> {
        let pair = |similarity: &f64| PairScore { left: 0, right: 1, similarity: *similarity };
        similarities.iter().map(pair).collect()
    }

    fn group(pairs: &[u32]) -> ClusterPairs {
        ClusterPairs { pairs: pairs.to_vec(), ..ClusterPairs::new(None, 0, 0) }
    }

    #[test]
    fn bins_include_their_lower_edge_and_the_last_one_includes_1() {
        let found = histogram(&pairs(&[0.8, 0.81, 0.819999, 0.99, 1.0, 0.9999]), Some(0.8));
        assert_eq!((found.low, found.counts.len()), (0.8, 20));
        assert_eq!((found.counts[0], found.counts[1], found.counts[19]), (1, 2, 3));
        let found = histogram(&pairs(&[1.0]), None);
        assert_eq!((found.low, found.counts), (0.99, vec![1]));
        assert_eq!(histogram(&pairs(&[0.5]), Some(0.8)).low, 0.5);
        assert!(histogram(&[], Some(0.8)).counts.is_empty());
    }

    proptest! {
        #[test]
        fn selection_equals_the_naive_one(sizes in prop::collection::vec(0usize..6, 0..8), max_pairs in 0usize..30) {
            let total: usize = sizes.iter().sum();
            let similarities: Vec<f64> = (0..total).map(|n| (n * 7 % 5) as f64 / 5.0).collect();
            let pairs = pairs(&similarities);
            let mut next = 0..;
            let groups: Vec<ClusterPairs> = sizes.iter().map(|size| group(&next.by_ref().take(*size).collect::<Vec<u32>>())).collect();
            let mut expected = vec![Vec::new(); groups.len()];
            let turns = (0..total).flat_map(|turn| (0..groups.len()).map(move |group| (turn, group)));
            let given = turns.filter_map(|(turn, group)| Some((group, *sorted(&groups[group], &pairs).get(turn)?)));
            given.take(max_pairs).for_each(|(group, pair)| expected[group].push(pair));
            prop_assert_eq!(round_robin(&groups, &pairs, max_pairs), expected);
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
