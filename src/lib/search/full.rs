//! Every pair of signatures within a distance, by looking at all of them.

use rayon::prelude::*;

use super::{Match, Pair};
use crate::bits;
use crate::signature::SignatureSet;
use crate::watch::Watch;

/// Signatures whose rows one task takes: enough to keep a column tile in the cache for all of them.
const ROWS_A_TILE: usize = 64;
/// Signatures in a column tile: 32 KiB at 1024 bits.
const COLUMNS_A_TILE: usize = 256;

/// The similarity of signatures at this distance, in per cent: the nearest number to 100·(bits − d)/bits.
pub fn similarity(bits: usize, distance: u32) -> f64 {
    (100 * (bits as u64 - u64::from(distance))) as f64 / bits as f64
}

/// All pairs at most `most` apart, sorted. Time is quadratic in the signatures, memory is what is found.
pub fn pairs(set: &SignatureSet, most: u32, watch: &dyn Watch) -> Vec<Pair> {
    let tiles = set.len().div_ceil(ROWS_A_TILE);
    watch.begin("comparing signatures", Some(tiles as u64));
    let found: Vec<Vec<Pair>> = (0..tiles)
        .into_par_iter()
        .map(|tile| {
            let first = tile * ROWS_A_TILE;
            let pairs = tile_pairs(set, first..(first + ROWS_A_TILE).min(set.len()), most);
            watch.advance(1);
            pairs
        })
        .collect();
    super::pairs::joined(found)
}

fn tile_pairs(set: &SignatureSet, rows: std::ops::Range<usize>, most: u32) -> Vec<Pair> {
    let mut found = Vec::new();
    for first in (rows.start..set.len()).step_by(COLUMNS_A_TILE) {
        let end = (first + COLUMNS_A_TILE).min(set.len());
        for low in rows.clone() {
            for high in first.max(low + 1)..end {
                if let Some(distance) = bits::distance_within(set.get(low), set.get(high), most) {
                    let similarity = similarity(set.bits(), distance);
                    found.push(Pair { low: low as u32, high: high as u32, similarity });
                }
            }
        }
    }
    found.sort_unstable_by_key(|pair| (pair.low, pair.high));
    found
}

/// All signatures at most `most` from signature `query`, itself left out, by ascending number.
pub fn matches(set: &SignatureSet, query: usize, most: u32) -> Vec<Match> {
    let wanted = set.get(query);
    (0..set.len())
        .filter(|other| *other != query)
        .filter_map(|other| {
            let distance = bits::distance_within(wanted, set.get(other), most)?;
            Some(Match { other: other as u32, similarity: similarity(set.bits(), distance) })
        })
        .collect()
}
