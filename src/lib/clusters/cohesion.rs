//! How much alike the members of a cluster are.

use rayon::prelude::*;

use super::Clusters;
use crate::search::Pair;

/// Clusters of more distinct documents than this are judged by the found pairs alone: two million similarities take a second or two, and their number
/// grows with the square.
pub const MOST_DISTINCT: usize = 2_000;

/// The similarity of equal documents in per cent.
const EQUAL: f64 = 100.0;

/// Rows of a cluster that one thread takes at once: clusters of few documents are not worth dividing.
const ROWS_AT_ONCE: usize = 32;

/// Which pairs of members a cohesion tells of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// All pairs of members.
    All,
    /// Only those that were found: the cluster is too large for all.
    FoundPairsOnly,
}

/// How much alike the members of a cluster are, in per cent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cohesion {
    /// The smallest similarity of two members.
    pub smallest: f64,
    /// The mean similarity of two members.
    pub mean: f64,
    /// Which pairs these tell of.
    pub basis: Basis,
}

/// The cohesion of each cluster, over all pairs of its members up to [`MOST_DISTINCT`] distinct ones.
///
/// The clusters may hold copies: `original_of` has for each document the one that stands for all that are equal to it. The pairs are those that were
/// found among originals, sorted by their lower and then their higher document; `similarity` is asked for those that are not among them, the lower document first, and answers in
/// per cent. It is asked at most once for two originals of a cluster.
pub fn cohesion<S>(
    clusters: &Clusters,
    original_of: &[u32],
    pairs: &[Pair],
    similarity: S,
) -> Vec<Cohesion>
where
    S: Fn(u32, u32) -> f64 + Sync,
{
    within(MOST_DISTINCT, clusters, original_of, pairs, &similarity)
}

fn within<S>(
    most: usize,
    clusters: &Clusters,
    original_of: &[u32],
    pairs: &[Pair],
    similarity: &S,
) -> Vec<Cohesion>
where
    S: Fn(u32, u32) -> f64 + Sync,
{
    debug_assert!(pairs.is_sorted_by_key(|pair| (pair.low, pair.high)));
    let of_one = |cluster| {
        let originals = Originals::new(clusters.get(cluster), original_of);
        let is_small = originals.0.len() <= most;
        let basis = if is_small { Basis::All } else { Basis::FoundPairsOnly };
        let row = |number| match basis {
            Basis::All => originals.whole_row(number, pairs, similarity),
            Basis::FoundPairsOnly => originals.found_row(number, pairs),
        };
        let rows = (0..originals.0.len()).into_par_iter().with_min_len(ROWS_AT_ONCE);
        // Summed in the order of the rows, whoever has made them.
        let rows: Vec<Tally> = rows.map(row).collect();
        rows.into_iter().fold(Tally::default(), Tally::and).cohesion(basis)
    };
    (0..clusters.len()).into_par_iter().map(of_one).collect()
}

/// The distinct documents of a cluster, ascending, and how many members each stands for.
struct Originals(Vec<(u32, u64)>);

impl Originals {
    fn new(members: &[u32], original_of: &[u32]) -> Self {
        let mut originals: Vec<u32> =
            members.iter().map(|member| original_of[*member as usize]).collect();
        originals.sort_unstable();
        let equal = originals.chunk_by(|one, other| one == other);
        Originals(equal.map(|copies| (copies[0], copies.len() as u64)).collect())
    }

    /// The pairs of an original's copies.
    fn copies(&self, number: usize) -> Tally {
        let copies = self.0[number].1;
        let mut tally = Tally::default();
        tally.add(EQUAL, copies * (copies - 1) / 2);
        tally
    }

    /// The pairs of an original with itself and all later ones.
    fn whole_row<S>(&self, number: usize, pairs: &[Pair], similarity: &S) -> Tally
    where
        S: Fn(u32, u32) -> f64,
    {
        let (one, copies) = self.0[number];
        let mut tally = self.copies(number);
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

    /// The pairs of an original with itself and those later ones with which it was found.
    fn found_row(&self, number: usize, pairs: &[Pair]) -> Tally {
        let (one, copies) = self.0[number];
        let mut tally = self.copies(number);
        for pair in row_of(pairs, one) {
            if let Ok(other) = self.0.binary_search_by_key(&pair.high, |(original, _)| *original) {
                tally.add(pair.similarity, copies * self.0[other].1);
            }
        }
        tally
    }
}

/// The pairs whose lower document is this one.
fn row_of(pairs: &[Pair], low: u32) -> &[Pair] {
    let start = pairs.partition_point(|pair| pair.low < low);
    let length = pairs[start..].partition_point(|pair| pair.low == low);
    &pairs[start..start + length]
}

/// Similarities, counted.
#[derive(Debug, Clone, Copy)]
struct Tally {
    smallest: f64,
    sum: f64,
    count: u64,
}

impl Default for Tally {
    fn default() -> Self {
        Tally { smallest: f64::INFINITY, sum: 0.0, count: 0 }
    }
}

impl Tally {
    /// So many pairs of this similarity.
    fn add(&mut self, similarity: f64, count: u64) {
        if count > 0 {
            self.smallest = self.smallest.min(similarity);
            self.sum += similarity * count as f64;
            self.count += count;
        }
    }

    fn and(self, other: Tally) -> Tally {
        Tally {
            smallest: self.smallest.min(other.smallest),
            sum: self.sum + other.sum,
            count: self.count + other.count,
        }
    }

    fn cohesion(self, basis: Basis) -> Cohesion {
        // Sums are rounded: a mean must not come out below the smallest, or above equality.
        let mean = (self.sum / self.count as f64).max(self.smallest).min(EQUAL);
        Cohesion { smallest: self.smallest, mean, basis }
    }
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
    fn a_chain_shows_by_its_ends() {
        let pairs = pairs_of(&[(0, 1, 90.0), (1, 2, 84.0)]);
        let clusters = components(3, pairs.iter().copied());
        let asked = |one: u32, other: u32| {
            assert_eq!((one, other), (0, 2), "found pairs are known");
            30.0
        };
        let expected = Cohesion { smallest: 30.0, mean: 68.0, basis: Basis::All };
        assert_eq!(cohesion(&clusters, &identity(3), &pairs, asked), [expected]);
        let expected = Cohesion { smallest: 84.0, mean: 87.0, basis: Basis::FoundPairsOnly };
        assert_eq!(within(2, &clusters, &identity(3), &pairs, &asked), [expected]);
    }

    #[test]
    fn equal_documents_cost_nothing() {
        let copies = 100_000;
        let mut original_of = vec![0; copies];
        original_of.push(copies as u32);
        let pairs = [pair(0, copies as u32, 90.0)];
        let clusters = components(copies + 1, pairs).with_copies(&original_of);
        let never = |_: u32, _: u32| unreachable!("the only pair is known");
        let [cohesion] = cohesion(&clusters, &original_of, &pairs, never)[..] else {
            panic!("one cluster")
        };
        assert_eq!((cohesion.smallest, cohesion.basis), (90.0, Basis::All));
        let all = (copies * (copies + 1) / 2) as f64;
        let expected = 100.0 - 10.0 * copies as f64 / all;
        assert!((cohesion.mean - expected).abs() < 1e-9, "{}", cohesion.mean);
        let alone = Clusters::default().with_copies(&original_of);
        let [cohesion] = super::cohesion(&alone, &original_of, &[], never)[..] else {
            panic!("one cluster")
        };
        let expected = Cohesion { smallest: 100.0, mean: 100.0, basis: Basis::All };
        assert_eq!(cohesion, expected);
    }

    #[test]
    fn one_more_than_the_limit_is_judged_by_found_pairs() {
        for (size, basis) in
            [(MOST_DISTINCT, Basis::All), (MOST_DISTINCT + 1, Basis::FoundPairsOnly)]
        {
            let pairs: Vec<Pair> = (1..size as u32).map(|high| pair(0, high, 90.0)).collect();
            let clusters = components(size, pairs.iter().copied());
            let [cohesion] = cohesion(&clusters, &identity(size), &pairs, |_, _| 10.0)[..] else {
                panic!("one cluster")
            };
            let smallest = if basis == Basis::All { 10.0 } else { 90.0 };
            assert_eq!((cohesion.basis, cohesion.smallest), (basis, smallest));
        }
    }

    #[test]
    fn the_number_of_threads_changes_no_bit() {
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

    /// Looks at all pairs of members one by one.
    fn naive(members: &[u32], similarity: impl Fn(u32, u32) -> Option<f64>) -> (f64, f64) {
        let mut known = Vec::new();
        for (place, one) in members.iter().enumerate() {
            known.extend(members[place + 1..].iter().filter_map(|other| similarity(*one, *other)));
        }
        let smallest = known.iter().copied().fold(f64::INFINITY, f64::min);
        (smallest, known.iter().sum::<f64>() / known.len() as f64)
    }

    /// Similarities of documents that no search has found.
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
            let mut original_of = identity(originals);
            original_of.extend(copies.iter().map(|copy| copy % originals as u32));
            let clusters = match is_complete {
                true => complete(original_of.len(), &pairs),
                false => components(original_of.len(), pairs.iter().copied()),
            };
            let clusters = clusters.with_copies(&original_of);
            let known = |one: u32, other: u32| {
                let (one, other) = (original_of[one as usize], original_of[other as usize]);
                let (low, high) = (one.min(other), one.max(other));
                let found = pairs.iter().find(|pair| (pair.low, pair.high) == (low, high));
                if one == other { Some(100.0) } else { found.map(|pair| pair.similarity) }
            };
            let all = cohesion(&clusters, &original_of, &pairs, unfound);
            let found = within(0, &clusters, &original_of, &pairs, &unfound);
            for (number, members) in clusters.iter().enumerate() {
                let (smallest, mean) = naive(members, |one, other| {
                    let (a, b) = (original_of[one as usize], original_of[other as usize]);
                    known(one, other).or_else(|| Some(unfound(a.min(b), a.max(b))))
                });
                prop_assert_eq!(all[number].smallest, smallest);
                prop_assert!((all[number].mean - mean).abs() < 1e-9);
                let (smallest, mean) = naive(members, known);
                prop_assert_eq!(found[number].smallest, smallest);
                prop_assert!((found[number].mean - mean).abs() < 1e-9);
                prop_assert_eq!(found[number].basis, Basis::FoundPairsOnly);
            }
        }
    }
}
