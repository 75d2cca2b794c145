//! Tiles: parts of a collection against parts.
//!
//! N shards need at least N tiles. A collection of k parts has k·(k + 1)/2: each part within itself, and each two parts against each other.

use crate::shard::Shard;

/// Two parts of a collection to compare, or one with itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tile {
    /// The part that comes first in the collection.
    pub low: Shard,
    /// The other part, or the same.
    pub high: Shard,
}

impl Tile {
    /// Returns the tiles of a shard, by ascending first parts, which differ. A shard reads each part once, and most shards have one tile.
    ///
    /// Tiles of two parts are dealt first, one per shard, then those of one part, each to the shard with the fewest parts to read.
    pub fn of_shard(shard: Shard) -> Vec<Tile> {
        let of_parts =
            |index: u32| Shard::new(index, parts_for(shard.count())).expect("a part of the parts");
        let mut tiles = deal(shard.count()).swap_remove(shard.index() as usize - 1);
        tiles.sort_unstable();
        tiles.iter().map(|tile| tile.map(of_parts)).map(|[low, high]| Tile { low, high }).collect()
    }

    /// Returns whether a part is compared with itself.
    pub fn is_diagonal(self) -> bool {
        self.low == self.high
    }
}

/// Returns the number of parts of a collection in N shards: the smallest k with k·(k + 1)/2 ≥ N.
fn parts_for(shards: u32) -> u32 {
    let tiles = |parts: u64| parts * (parts + 1) / 2;
    (1u32..).find(|parts| tiles((*parts).into()) >= shards.into()).expect("k² exceeds N")
}

/// Returns the tiles of each shard, given by the numbers of their parts.
fn deal(shards: u32) -> Vec<Vec<[u32; 2]>> {
    let mut dealt = vec![Vec::new(); shards as usize];
    let parts = parts_for(shards);
    let of_two = (1..=parts).flat_map(|low| (low + 1..=parts).map(move |high| [low, high]));
    // Fewer tiles have two parts than there are shards, so at least one shard has room for all tiles of one part.
    dealt.iter_mut().zip(of_two).for_each(|(tiles, tile)| tiles.push(tile));
    for part in 1..=parts {
        let lacks_part = |tiles: &&mut Vec<[u32; 2]>| !tiles.as_flattened().contains(&part);
        let shard = dealt.iter_mut().filter(lacks_part).min_by_key(|tiles| parts_of(tiles));
        shard.expect("a shard of tiles of one part").push([part, part]);
    }
    dealt
}

/// Returns the number of parts that a shard reads.
fn parts_of(tiles: &[[u32; 2]]) -> u32 {
    tiles.iter().map(|[low, high]| if low == high { 1 } else { 2 }).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(shard: Shard) -> Vec<(u32, u32)> {
        Tile::of_shard(shard).iter().map(|tile| (tile.low.index(), tile.high.index())).collect()
    }

    #[test]
    fn every_two_parts_meet_once() {
        for count in (1..=120).chain([1000]) {
            let (parts, dealt) = (parts_for(count), deal(count));
            for tiles in &dealt {
                let mut read = tiles.as_flattened().to_vec();
                read.sort_unstable();
                read.dedup();
                assert!((1..=3).contains(&read.len()), "{count}: {tiles:?}");
                assert_eq!(read.len() as u32, parts_of(tiles), "{count}: {tiles:?}");
            }
            let mut all = dealt.concat();
            all.sort_unstable();
            let expected: Vec<[u32; 2]> =
                (1..=parts).flat_map(|low| (low..=parts).map(move |high| [low, high])).collect();
            assert_eq!(all, expected, "{count}");
        }
    }

    #[test]
    fn work_is_dealt_evenly() {
        let shard = |index, count| numbers(Shard::new(index, count).unwrap());
        assert_eq!(shard(1, 1), [(1, 1)]);
        assert_eq!((shard(1, 2), shard(2, 2)), (vec![(1, 2)], vec![(1, 1), (2, 2)]));
        assert_eq!((shard(6, 8), shard(8, 8)), (vec![(3, 4)], vec![(2, 2), (4, 4)]));
    }
}
