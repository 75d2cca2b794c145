//! Cohesion: the similarity of members within a cluster.

use rayon::prelude::*;

use super::Clusters;
use super::tally::{IDENTICAL, SimilarityTally};
use crate::search::Pair;

/// Maximum number of distinct documents of a cluster whose pairs are all compared: two million similarities take a second or two. Larger
/// clusters are measured by the pairs found.
pub const MAX_DISTINCT: usize = 2_000;

/// Minimum number of rows per task: small clusters are not worth splitting.
const MIN_ROWS_PER_TASK: usize = 32;

/// Pairs of members that a cohesion covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CohesionBasis {
    /// All pairs of members.
    AllPairs,
    /// The pairs found: the cluster is too large for all.
    FoundPairs,
}

/// Similarity of the members of a cluster, in percent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cohesion {
    /// The smallest similarity of two members.
    pub smallest: f64,
    /// The mean similarity of two members.
    pub mean: f64,
    /// The pairs that both cover.
    pub basis: CohesionBasis,
}

/// Returns the cohesion of each cluster, over all pairs of members up to [`MAX_DISTINCT`] distinct ones.
///
/// Clusters may hold exact duplicates: `representative_of` maps each document to its representative. `pairs` are the pairs found among
/// representatives, sorted by lower, then higher document. `similarity` computes the others in percent, lower document first, at most once
/// each.
pub fn cohesion(
    clusters: &Clusters,
    representative_of: &[u32],
    pairs: &[Pair],
    similarity: impl Fn(u32, u32) -> f64 + Sync,
) -> Vec<Cohesion> {
    cohesion_up_to(MAX_DISTINCT, clusters, representative_of, pairs, similarity)
}

fn cohesion_up_to(
    max_distinct: usize,
    clusters: &Clusters,
    representative_of: &[u32],
    pairs: &[Pair],
    similarity: impl Fn(u32, u32) -> f64 + Sync,
) -> Vec<Cohesion> {
    debug_assert!(pairs.is_sorted_by_key(|pair| (pair.low, pair.high)));
    let of_one = |cluster| {
        let representatives = Representatives::new(clusters.get(cluster), representative_of);
        let is_small = representatives.0.len() <= max_distinct;
        let basis = if is_small { CohesionBasis::AllPairs } else { CohesionBasis::FoundPairs };
        let row = |number| match basis {
            CohesionBasis::AllPairs => representatives.full_row(number, pairs, &similarity),
            CohesionBasis::FoundPairs => representatives.found_row(number, pairs),
        };
        let rows = (0..representatives.0.len()).into_par_iter().with_min_len(MIN_ROWS_PER_TASK);
        // Summed in row order: the result does not depend on threads.
        let rows: Vec<SimilarityTally> = rows.map(row).collect();
        rows.into_iter().fold(SimilarityTally::default(), SimilarityTally::merge).cohesion(basis)
    };
    (0..clusters.len()).into_par_iter().map(of_one).collect()
}

/// Distinct documents of a cluster, ascending, with their numbers of duplicates.
struct Representatives(Vec<(u32, u64)>);

impl Representatives {
    fn new(members: &[u32], representative_of: &[u32]) -> Self {
        let mut representatives: Vec<u32> =
            members.iter().map(|member| representative_of[*member as usize]).collect();
        representatives.sort_unstable();
        let equal = representatives.chunk_by(|one, other| one == other);
        Representatives(equal.map(|copies| (copies[0], copies.len() as u64)).collect())
    }

    /// Returns the pairs among the duplicates of a document.
    fn duplicates(&self, number: usize) -> SimilarityTally {
        let copies = self.0[number].1;
        let mut tally = SimilarityTally::default();
        tally.add(IDENTICAL, copies * (copies - 1) / 2);
        tally
    }

    /// Returns the pairs of a document with its duplicates and all later documents.
    fn full_row(
        &self,
        number: usize,
        pairs: &[Pair],
        similarity: impl Fn(u32, u32) -> f64,
    ) -> SimilarityTally {
        let (one, copies) = self.0[number];
        let mut tally = self.duplicates(number);
        let mut found = row_of(pairs, one);
        for (other, copies_of_other) in &self.0[number + 1..] {
            let passed = found.iter().take_while(|pair| pair.high < *other).count();
            found = &found[passed..];
            let known = found.first().filter(|pair| pair.high == *other);
            let value = known.map_or_else(|| similarity(one, *other), |pair| pair.similarity);
            tally.add(value, copies * copies_of_other);
        }
        tally
    }

    /// Returns the pairs of a document with its duplicates and the later documents it was found with.
    fn found_row(&self, number: usize, pairs: &[Pair]) -> SimilarityTally {
        let (one, copies) = self.0[number];
        let mut tally = self.duplicates(number);
        for pair in row_of(pairs, one) {
            if let Ok(other) = self.0.binary_search_by_key(&pair.high, |(document, _)| *document) {
                tally.add(pair.similarity, copies * self.0[other].1);
            }
        }
        tally
    }
}

/// Returns the pairs with this lower document.
fn row_of(pairs: &[Pair], low: u32) -> &[Pair] {
    let start = pairs.partition_point(|pair| pair.low < low);
    let length = pairs[start..].partition_point(|pair| pair.low == low);
    &pairs[start..start + length]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clusters::testing::{any_pairs, pair, pairs_of};
    use crate::clusters::{complete, components};
    use proptest::prelude::*;

    fn identity(documents: usize) -> Vec<u32> {
        (0..documents as u32).collect()
    }

    #[test]
    fn cohesion_reveals_chains() {
        let pairs = pairs_of(&[(0, 1, 90.0), (1, 2, 84.0)]);
        let clusters = components(3, pairs.iter().copied());
        let similarity = |one: u32, other: u32| {
            assert_eq!((one, other), (0, 2), "found pairs are known");
            30.0
        };
        let expected = Cohesion { smallest: 30.0, mean: 68.0, basis: CohesionBasis::AllPairs };
        assert_eq!(cohesion(&clusters, &identity(3), &pairs, similarity), [expected]);
        let expected = Cohesion { smallest: 84.0, mean: 87.0, basis: CohesionBasis::FoundPairs };
        assert_eq!(cohesion_up_to(2, &clusters, &identity(3), &pairs, similarity), [expected]);
    }

    #[test]
    fn duplicates_need_no_comparison() {
        let copies = 100_000;
        let mut representative_of = vec![0; copies];
        representative_of.push(copies as u32);
        let pairs = [pair(0, copies as u32, 90.0)];
        let clusters = components(copies + 1, pairs).with_duplicates(&representative_of);
        let never = |_: u32, _: u32| unreachable!("the only pair is known");
        let found = cohesion(&clusters, &representative_of, &pairs, never);
        let all = (copies * (copies + 1) / 2) as f64;
        let expected = 100.0 - 10.0 * copies as f64 / all;
        assert_eq!((found.len(), found[0].smallest), (1, 90.0));
        assert!((found[0].mean - expected).abs() < 1e-9, "{}", found[0].mean);
        let alone = Clusters::default().with_duplicates(&representative_of);
        let expected = Cohesion { smallest: 100.0, mean: 100.0, basis: CohesionBasis::AllPairs };
        assert_eq!(cohesion(&alone, &representative_of, &[], never), [expected]);
    }

    #[test]
    fn clusters_above_the_limit_are_measured_by_found_pairs() {
        for (size, smallest) in [(MAX_DISTINCT, 10.0), (MAX_DISTINCT + 1, 90.0)] {
            let pairs: Vec<Pair> = (1..size as u32).map(|high| pair(0, high, 90.0)).collect();
            let clusters = components(size, pairs.iter().copied());
            let found = cohesion(&clusters, &identity(size), &pairs, |_, _| 10.0);
            assert_eq!(found[0].smallest, smallest);
        }
    }

    #[test]
    fn cohesion_does_not_depend_on_threads() {
        let pairs: Vec<Pair> = (1..500).map(|high| pair(0, high, 90.0)).collect();
        let clusters = components(500, pairs.iter().copied());
        let uneven = |one: u32, other: u32| 100.0 / (1.1 + f64::from(one * 7 % 13 + other % 31));
        let with_threads = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| cohesion(&clusters, &identity(500), &pairs, uneven))
        };
        let alone = with_threads(1);
        assert!((2..6).all(|threads| with_threads(threads) == alone));
    }

    /// Visits all pairs of members one by one.
    fn naive(members: &[u32], similarity: impl Fn(u32, u32) -> Option<f64>) -> (f64, f64) {
        let mut known = Vec::new();
        for (place, one) in members.iter().enumerate() {
            known.extend(members[place + 1..].iter().filter_map(|other| similarity(*one, *other)));
        }
        let smallest = known.iter().copied().fold(f64::INFINITY, f64::min);
        (smallest, known.iter().sum::<f64>() / known.len() as f64)
    }

    /// Similarities of documents that are no pair.
    fn unfound(one: u32, other: u32) -> f64 {
        f64::from((one * 31 + other * 17) % 80)
    }

    proptest! {
        #[test]
        fn cohesion_equals_the_naive_one(
            (originals, pairs) in any_pairs(),
            copies in prop::collection::vec(0u32..24, 0..20),
            is_complete: bool,
        ) {
            let mut representative_of = identity(originals);
            representative_of.extend(copies.iter().map(|copy| copy % originals as u32));
            let clusters = match is_complete {
                true => complete(representative_of.len(), &pairs),
                false => components(representative_of.len(), pairs.iter().copied()),
            };
            let clusters = clusters.with_duplicates(&representative_of);
            let known = |one: u32, other: u32| {
                let (one, other) = (representative_of[one as usize], representative_of[other as usize]);
                let (low, high) = (one.min(other), one.max(other));
                let found = pairs.iter().find(|pair| (pair.low, pair.high) == (low, high));
                if one == other { Some(100.0) } else { found.map(|pair| pair.similarity) }
            };
            let all = cohesion(&clusters, &representative_of, &pairs, unfound);
            let found = cohesion_up_to(0, &clusters, &representative_of, &pairs, unfound);
            for (number, members) in clusters.iter().enumerate() {
                let (smallest, mean) = naive(members, |one, other| {
                    let (a, b) = (representative_of[one as usize], representative_of[other as usize]);
                    known(one, other).or_else(|| Some(unfound(a.min(b), a.max(b))))
                });
                prop_assert_eq!(all[number].smallest, smallest);
                prop_assert!((all[number].mean - mean).abs() < 1e-9);
                let (smallest, mean) = naive(members, known);
                prop_assert_eq!(found[number].smallest, smallest);
                prop_assert!((found[number].mean - mean).abs() < 1e-9);
                prop_assert_eq!(found[number].basis, CohesionBasis::FoundPairs);
            }
        }
    }
}
