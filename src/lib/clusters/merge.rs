//! Clusters of several collections, joined by pairs.

use super::tally::SimilarityTally;
use super::{Clusters, Cohesion, CohesionBasis};
use crate::search::UnionFind;

/// Joins clusters and pairs to connected components, one by one.
///
/// Documents are numbered from 0. Memory: 56 bytes per document and, at the end, as many again, however many clusters and pairs are added.
pub struct ClusterMerger {
    sets: UnionFind,
    /// What is known of the pairs, each counted at one of its documents.
    known: Vec<KnownPairs>,
    /// The cluster that brought each document, if one did.
    cluster_of: Vec<u32>,
    clusters: u32,
}

/// A document of no cluster.
const NONE: u32 = u32::MAX;

/// Similarities of pairs, and which pairs they are.
#[derive(Debug, Clone, Copy, Default)]
struct KnownPairs {
    tally: SimilarityTally,
    /// The sum of the products of the documents' hashes: with the count, it tells all pairs of a cluster from any others.
    print: u128,
}

impl KnownPairs {
    fn merge(self, other: KnownPairs) -> KnownPairs {
        KnownPairs {
            tally: self.tally.merge(other.tally),
            print: self.print.wrapping_add(other.print),
        }
    }
}

impl Default for ClusterMerger {
    fn default() -> Self {
        let sets = UnionFind::new(0);
        ClusterMerger { sets, known: Vec::new(), cluster_of: Vec::new(), clusters: 0 }
    }
}

impl ClusterMerger {
    /// Adds documents up to a number that is less than 2³² − 1.
    fn grow(&mut self, document: u32) {
        while self.known.len() <= document as usize {
            self.sets.add();
            self.known.push(KnownPairs::default());
            self.cluster_of.push(NONE);
        }
    }

    /// Adds a cluster: its documents, each once, and what is known of their similarities. If that does not cover all pairs, the mean
    /// counts for as many as connect the documents, one less than these: the number of pairs found is unknown.
    pub fn add_cluster(&mut self, members: &[u32], cohesion: &Cohesion) {
        members.iter().for_each(|member| self.grow(*member));
        let [first, others @ ..] = members else { return };
        for member in members {
            let cluster = &mut self.cluster_of[*member as usize];
            *cluster = if *cluster == NONE { self.clusters } else { *cluster };
        }
        self.clusters += 1;
        for other in others {
            self.sets.unite(*first, *other);
        }
        if others.is_empty() {
            return;
        }
        let (count, print) = match cohesion.basis {
            CohesionBasis::AllPairs => (pairs_of(members.len()), print_of_all(members) / 2),
            CohesionBasis::FoundPairs => (members.len() as u64 - 1, 0),
        };
        let known = KnownPairs { tally: SimilarityTally::of_cohesion(cohesion, count), print };
        let at = &mut self.known[*first as usize];
        *at = at.merge(known);
    }

    /// Adds a pair with its similarity in percent. That of two documents of one added cluster is known already.
    pub fn add_pair(&mut self, one: u32, other: u32, similarity: f64) {
        self.grow(one.max(other));
        self.sets.unite(one, other);
        let [cluster, cluster_of_other] = [one, other].map(|at| self.cluster_of[at as usize]);
        if cluster == cluster_of_other && cluster != NONE {
            return;
        }
        let mut pair = KnownPairs { print: product(one, other), ..KnownPairs::default() };
        pair.tally.add(similarity, 1);
        let at = &mut self.known[one as usize];
        *at = at.merge(pair);
    }

    /// Returns the clusters, and the cohesion of each over the known pairs. Documents are numbered anew: `order` has the old number of each, and
    /// every document once.
    pub fn finish(self, order: &[u32]) -> (Clusters, Vec<Cohesion>) {
        let documents = self.known.len();
        assert_eq!(order.len(), documents, "the order has every document");
        let mut known = vec![KnownPairs::default(); documents];
        let mut labels = vec![0; documents];
        for (place, document) in order.iter().enumerate() {
            let set = self.sets.find(*document);
            labels[place] = set;
            known[set as usize] = known[set as usize].merge(self.known[*document as usize]);
        }
        let clusters = Clusters::of_labels(&labels);
        let cohesion = clusters.iter().map(|members| {
            let set = labels[members[0] as usize] as usize;
            let documents: Vec<u32> = members.iter().map(|place| order[*place as usize]).collect();
            known[set].tally.cohesion(known[set].basis(&documents))
        });
        let cohesion = cohesion.collect();
        (clusters, cohesion)
    }
}

impl KnownPairs {
    /// Returns whether these are all pairs of some documents, each once, or each twice as in lists of both documents' pairs.
    fn basis(&self, documents: &[u32]) -> CohesionBasis {
        let all = print_of_all(documents);
        let is_all = (1..=2).any(|times: u8| {
            let is_count = self.tally.count == u64::from(times) * pairs_of(documents.len());
            is_count && self.print.wrapping_mul(2) == all.wrapping_mul(times.into())
        });
        if is_all { CohesionBasis::AllPairs } else { CohesionBasis::FoundPairs }
    }
}

fn pairs_of(documents: usize) -> u64 {
    documents as u64 * (documents as u64 - 1) / 2
}

/// Returns the sum of the products of every two documents' hashes, twice: (Σh)² − Σh².
fn print_of_all(documents: &[u32]) -> u128 {
    let hashes = documents.iter().map(|document| u128::from(hash(*document)));
    let (sum, squares) = hashes.fold((0u128, 0u128), |(sum, squares), hash| {
        (sum.wrapping_add(hash), squares.wrapping_add(hash.wrapping_mul(hash)))
    });
    sum.wrapping_mul(sum).wrapping_sub(squares)
}

fn product(one: u32, other: u32) -> u128 {
    u128::from(hash(one)).wrapping_mul(hash(other).into())
}

/// Returns 64 bits that look random (splitmix64).
fn hash(document: u32) -> u64 {
    let mut bits = (u64::from(document) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clusters::testing::{any_pairs, listed};
    use crate::clusters::{cohesion, components};
    use proptest::prelude::*;

    fn cohesion_of(smallest: f64, mean: f64, basis: CohesionBasis) -> Cohesion {
        Cohesion { smallest, mean, basis }
    }

    #[test]
    fn clusters_that_nothing_joins_stay_as_they_are() {
        let mut merger = ClusterMerger::default();
        let all = cohesion_of(81.25, 90.000001, CohesionBasis::AllPairs);
        let found = cohesion_of(80.5, 99.0, CohesionBasis::FoundPairs);
        merger.add_cluster(&[0, 2, 4], &all);
        merger.add_cluster(&[1, 3], &found);
        merger.add_pair(0, 4, 95.0);
        let (clusters, cohesion) = merger.finish(&[0, 1, 2, 3, 4]);
        assert_eq!(listed(&clusters), [vec![0, 2, 4], vec![1, 3]]);
        assert_eq!(cohesion, [all, found]);
    }

    #[test]
    fn known_pairs_decide_what_the_figures_cover() {
        let mut merger = ClusterMerger::default();
        merger.add_cluster(&[0, 1], &cohesion_of(90.0, 90.0, CohesionBasis::AllPairs));
        merger.add_cluster(&[2, 3], &cohesion_of(80.0, 80.0, CohesionBasis::AllPairs));
        let pairs = [(0, 2, 85.0), (2, 1, 86.0), (1, 3, 87.0)];
        pairs
            .iter()
            .for_each(|(one, other, similarity)| merger.add_pair(*one, *other, *similarity));
        let mean = (90.0 + 80.0 + 85.0 + 86.0 + 87.0) / 5.0;
        let expected = cohesion_of(80.0, mean, CohesionBasis::FoundPairs);
        let order = [3, 2, 1, 0];
        let mut whole = ClusterMerger { known: merger.known.clone(), ..ClusterMerger::default() };
        whole.cluster_of = merger.cluster_of.clone();
        (0..4).for_each(|_| whole.sets.add());
        (1..4).for_each(|other| assert!(whole.sets.unite(0, other)));
        assert_eq!(merger.finish(&order).1, [expected]);
        whole.add_pair(3, 0, 88.0);
        let mean = (90.0 + 80.0 + 85.0 + 86.0 + 87.0 + 88.0) / 6.0;
        assert_eq!(whole.finish(&order).1, [cohesion_of(80.0, mean, CohesionBasis::AllPairs)]);
    }

    proptest! {
        #[test]
        fn pairs_alone_give_the_components_and_their_cohesion((documents, pairs) in any_pairs(), twice: bool) {
            let mut merger = ClusterMerger::default();
            merger.grow(documents.saturating_sub(1) as u32);
            for pair in &pairs {
                merger.add_pair(pair.high, pair.low, pair.similarity);
                if twice {
                    merger.add_pair(pair.low, pair.high, pair.similarity);
                }
            }
            let order: Vec<u32> = (0..merger.known.len() as u32).collect();
            let (clusters, found) = merger.finish(&order);
            let expected = components(documents, pairs.iter().copied());
            prop_assert_eq!(listed(&clusters), listed(&expected));
            let identity: Vec<u32> = (0..documents as u32).collect();
            let whole = cohesion(&expected, &identity, &pairs, |_, _| 0.0);
            for (number, members) in clusters.iter().enumerate() {
                let inside = pairs.iter().filter(|pair| members.contains(&pair.low)).count();
                let is_all = inside as u64 == pairs_of(members.len());
                prop_assert_eq!(found[number].basis == CohesionBasis::AllPairs, is_all);
                if is_all {
                    prop_assert_eq!(found[number], whole[number]);
                }
            }
        }
    }
}
