//! Pairs for tests.

use super::Clusters;
use crate::search::Pair;
use proptest::prelude::*;

/// Returns pairs given as (low, high, similarity).
pub fn pairs_of(links: &[(u32, u32, f64)]) -> Vec<Pair> {
    links.iter().map(|(low, high, similarity)| pair(*low, *high, *similarity)).collect()
}

/// Returns a pair.
pub fn pair(low: u32, high: u32, similarity: f64) -> Pair {
    Pair { low, high, similarity }
}

/// Returns the clusters as lists.
pub fn listed(clusters: &Clusters) -> Vec<Vec<u32>> {
    clusters.iter().map(<[u32]>::to_vec).collect()
}

/// Generates a few documents and sorted pairs among them, with many equal similarities.
pub fn any_pairs() -> impl Strategy<Value = (usize, Vec<Pair>)> {
    (2usize..24, 0u32..=100).prop_flat_map(|(documents, share)| {
        let all = documents * (documents - 1) / 2;
        prop::collection::vec((0u32..100, 0u8..6), all).prop_map(move |drawn| {
            let mut drawn = drawn.into_iter();
            let mut pairs = Vec::new();
            for low in 0..documents as u32 {
                for high in low + 1..documents as u32 {
                    let (chance, step) = drawn.next().expect("one for each pair");
                    if chance < share {
                        pairs.push(pair(low, high, 80.0 + 4.0 * f64::from(step)));
                    }
                }
            }
            (documents, pairs)
        })
    })
}

/// Returns the pairs in another order.
pub fn shuffled(pairs: &[Pair], seed: u64) -> Vec<Pair> {
    let mut keyed: Vec<(u64, Pair)> = pairs
        .iter()
        .map(|pair| {
            let number = u64::from(pair.low) << 32 | u64::from(pair.high);
            ((number ^ seed).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ seed, *pair)
        })
        .collect();
    keyed.sort_by_key(|(key, _)| *key);
    keyed.into_iter().map(|(_, pair)| pair).collect()
}
