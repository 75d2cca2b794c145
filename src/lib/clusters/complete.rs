//! Complete-linkage clusters.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::{Clusters, components};
use crate::search::{Pair, UnionFind};

/// Returns clusters of `documents` documents in which every two members are one of the pairs.
///
/// Pairs are processed by descending similarity, ties by document. Two clusters merge if every pair between them is given, whatever its
/// similarity; in the end no two clusters can merge. Pairs come in any order, each once.
///
/// One map per cluster counts its pairs with each other cluster; a merge moves the smaller map into the larger. With P pairs, entries move at
/// most P·log P times, which bounds the time; memory is some tens of bytes per pair. Complete components are skipped, others run in parallel.
pub fn complete(documents: usize, pairs: &[Pair]) -> Clusters {
    assert!(u32::try_from(pairs.len()).is_ok(), "numbers of pairs fit 32 bits");
    let components = components(documents, pairs.iter().copied());
    let mut parts = incomplete(documents, &components, pairs);
    let found: Vec<(usize, Vec<u32>)> = parts
        .par_iter_mut()
        .map(|(component, pairs)| (*component, cliques(components.get(*component).len(), pairs)))
        .collect();
    let mut labels: Vec<u32> = (0..documents as u32).collect();
    for members in components.iter() {
        members.iter().for_each(|member| labels[*member as usize] = members[0]);
    }
    for (component, roots) in found {
        let members = components.get(component);
        for (member, root) in members.iter().zip(roots) {
            labels[*member as usize] = members[root as usize];
        }
    }
    Clusters::of_labels(&labels)
}

/// Returns the pairs of each component that is not complete, with members numbered from 0.
fn incomplete(documents: usize, components: &Clusters, pairs: &[Pair]) -> Vec<(usize, Vec<Pair>)> {
    let places = places(documents, components);
    let mut counts = vec![0; components.len()];
    pairs.iter().for_each(|pair| counts[places[pair.low as usize].0 as usize] += 1);
    let (mut parts, mut part_of) = (Vec::new(), vec![None; components.len()]);
    for (component, count) in counts.into_iter().enumerate() {
        let size = components.get(component).len();
        if count < size * (size - 1) / 2 {
            part_of[component] = Some(parts.len());
            parts.push((component, Vec::with_capacity(count)));
        }
    }
    for pair in pairs {
        let ((component, low), (_, high)) = (places[pair.low as usize], places[pair.high as usize]);
        if let Some(part) = part_of[component as usize] {
            parts[part].1.push(Pair { low, high, similarity: pair.similarity });
        }
    }
    parts
}

/// Returns for each document its component and its number there.
fn places(documents: usize, components: &Clusters) -> Vec<(u32, u32)> {
    let mut places = vec![(0, 0); documents];
    for (component, members) in components.iter().enumerate() {
        for (number, member) in members.iter().enumerate() {
            places[*member as usize] = (component as u32, number as u32);
        }
    }
    places
}

/// Clusters one component: returns for each member the representative of its cluster.
fn cliques(members: usize, pairs: &mut [Pair]) -> Vec<u32> {
    pairs.par_sort_unstable_by(|one, other| {
        let by_similarity = other.similarity.total_cmp(&one.similarity);
        by_similarity.then((one.low, one.high).cmp(&(other.low, other.high)))
    });
    let mut linkage = Linkage::new(members, pairs);
    for pair in pairs.iter() {
        linkage.consider(pair.low, pair.high);
    }
    linkage.sets.representatives()
}

/// Growing clusters and the number of pairs between any two.
struct Linkage {
    sets: UnionFind,
    sizes: Vec<u64>,
    links: Vec<FxHashMap<u32, u32>>,
}

impl Linkage {
    fn new(members: usize, pairs: &[Pair]) -> Self {
        let mut links = vec![FxHashMap::default(); members];
        for pair in pairs {
            links[pair.low as usize].insert(pair.high, 1);
            links[pair.high as usize].insert(pair.low, 1);
        }
        Linkage { sets: UnionFind::new(members), sizes: vec![1; members], links }
    }

    /// Merges the clusters of two members if they differ and all pairs between them are given.
    fn consider(&mut self, low: u32, high: u32) {
        let (one, other) = (self.sets.find(low), self.sets.find(high));
        let Some(links) = self.links[one as usize].get(&other) else { return };
        if u64::from(*links) < self.sizes[one as usize] * self.sizes[other as usize] {
            return;
        }
        let is_smaller = self.links[one as usize].len() < self.links[other as usize].len();
        let (smaller, larger) = if is_smaller { (one, other) } else { (other, one) };
        self.merge(smaller, larger);
    }

    /// Merges one cluster into another, with its links.
    fn merge(&mut self, smaller: u32, larger: u32) {
        for (neighbor, count) in std::mem::take(&mut self.links[smaller as usize]) {
            let of_neighbor = &mut self.links[neighbor as usize];
            of_neighbor.remove(&smaller);
            if neighbor != larger {
                *of_neighbor.entry(larger).or_insert(0) += count;
                *self.links[larger as usize].entry(neighbor).or_insert(0) += count;
            }
        }
        self.sizes[larger as usize] += self.sizes[smaller as usize];
        self.sets.link(smaller, larger);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clusters::testing::{any_pairs, listed, pairs_of, shuffled};
    use proptest::prelude::*;
    use std::collections::HashSet;

    /// Returns whether every member of one list is paired with every member of the other.
    fn all_linked(known: &HashSet<(u32, u32)>, one: &[u32], other: &[u32]) -> bool {
        let mut both = one.iter().flat_map(|a| other.iter().map(move |b| (*a, *b)));
        both.all(|(a, b)| known.contains(&(a.min(b), a.max(b))))
    }

    fn known(pairs: &[Pair]) -> HashSet<(u32, u32)> {
        pairs.iter().map(|pair| (pair.low, pair.high)).collect()
    }

    /// Checks all pairs between two clusters at every merge.
    fn naive(documents: usize, pairs: &[Pair]) -> Vec<Vec<u32>> {
        let known = known(pairs);
        let mut order = pairs.to_vec();
        order.sort_by(|a, b| {
            b.similarity.total_cmp(&a.similarity).then((a.low, a.high).cmp(&(b.low, b.high)))
        });
        let mut clusters: Vec<Vec<u32>> = (0..documents as u32).map(|d| vec![d]).collect();
        for pair in order {
            let of = |document| clusters.iter().position(|c| c.contains(&document)).unwrap();
            let (one, other) = (of(pair.low), of(pair.high));
            if one != other && all_linked(&known, &clusters[one], &clusters[other]) {
                let moved = std::mem::take(&mut clusters[other]);
                clusters[one].extend(moved);
            }
        }
        clusters.retain(|cluster| cluster.len() > 1);
        clusters.iter_mut().for_each(|cluster| cluster.sort());
        clusters.sort();
        clusters
    }

    #[test]
    fn complete_components_stay_whole() {
        let links: Vec<_> =
            (0..40u32).flat_map(|a| (a + 1..40).map(move |b| (a, b, 80.0))).collect();
        assert_eq!(complete(40, &pairs_of(&links)).get(0).len(), 40);
        // Two documents that are no pair cannot share a cluster.
        let clusters = complete(40, &pairs_of(&links[1..]));
        assert_eq!((clusters.len(), clusters.get(0).len()), (1, 39));
    }

    /// A long chain of groups, each similar to its neighbors: one large component with many merges.
    #[test]
    fn a_large_component_is_cut_like_a_small_one() {
        let documents = 3000u32;
        let mut links = Vec::new();
        for low in 0..documents {
            for high in low + 1..(low + 12).min(documents) {
                links.push((low, high, 99.0 - f64::from((low * 7 + high * 13) % 17)));
            }
        }
        let pairs = pairs_of(&links);
        let clusters = complete(documents as usize, &pairs);
        assert!(clusters.iter().all(|members| members[members.len() - 1] - members[0] < 12));
        let small: Vec<Pair> = pairs.iter().copied().filter(|pair| pair.high < 300).collect();
        assert_eq!(listed(&complete(300, &small)), naive(300, &small));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]
        #[test]
        fn complete_clusters_equal_the_naive_ones((documents, pairs) in any_pairs(), seed: u64) {
            let found = complete(documents, &pairs);
            prop_assert_eq!(listed(&found), naive(documents, &pairs));
            prop_assert_eq!(complete(documents, &shuffled(&pairs, seed)), found);
        }

        #[test]
        fn clusters_are_complete_and_maximal((documents, pairs) in any_pairs()) {
            let known = known(&pairs);
            let mut clusters = listed(&complete(documents, &pairs));
            let is_singleton = |d: &u32| !clusters.iter().any(|cluster| cluster.contains(d));
            let singles: Vec<Vec<u32>> =
                (0..documents as u32).filter(is_singleton).map(|d| vec![d]).collect();
            clusters.extend(singles);
            for (number, one) in clusters.iter().enumerate() {
                for (place, member) in one.iter().enumerate() {
                    prop_assert!(all_linked(&known, &[*member], &one[place + 1..]));
                }
                for other in &clusters[number + 1..] {
                    prop_assert!(!all_linked(&known, one, other), "{:?} and {:?}", one, other);
                }
            }
        }
    }
}
