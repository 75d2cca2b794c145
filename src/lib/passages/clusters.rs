//! Groups of seeds that lie close together in both texts.

use std::ops::Range;

use super::seeds::Seed;

/// Times that a group is split by one side and the other. Groups of real texts need fewer than five.
const MAX_PASSES: usize = 32;

/// A group of seeds, and the sentences that it spans.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SeedCluster {
    pub seeds: Vec<Seed>,
    pub suspicious: Range<usize>,
    pub source: Range<usize>,
}

impl SeedCluster {
    fn new(seeds: Vec<Seed>) -> Self {
        let span = |side: fn(&Seed) -> u32| {
            let sentences = seeds.iter().map(|seed| side(seed) as usize);
            let (start, end) = sentences
                .fold((usize::MAX, 0), |(start, end), at| (start.min(at), end.max(at + 1)));
            start..end
        };
        let (suspicious, source) = (span(|seed| seed.suspicious), span(|seed| seed.source));
        SeedCluster { seeds, suspicious, source }
    }

    /// Returns the largest number of sentences of a side between two neighbours: with less, the cluster would be split. Time: n log n in the seeds.
    pub fn widest_gap(&self) -> usize {
        let widest = |side: fn(&Seed) -> u32| {
            let mut places: Vec<u32> = self.seeds.iter().map(side).collect();
            places.sort_unstable();
            let gaps = places.windows(2).map(|two| (two[1] - two[0]).saturating_sub(1));
            gaps.max().unwrap_or(0) as usize
        };
        widest(suspicious).max(widest(source))
    }
}

/// Splits seeds where more than `max_gap` sentences lie between neighbours, by one side and the other until nothing changes.
///
/// The clusters are in no meaningful order. Time: n log n in the seeds, times at most [`MAX_PASSES`].
pub(super) fn clusters(seeds: Vec<Seed>, max_gap: usize) -> Vec<SeedCluster> {
    let (mut done, mut open) = (Vec::new(), vec![(seeds, 0)]);
    while let Some((seeds, pass)) = open.pop() {
        if seeds.is_empty() {
            continue;
        }
        let parts = split(seeds, max_gap, if pass % 2 == 0 { suspicious } else { source });
        // The first pass is by one side only.
        if parts.len() == 1 && pass > 0 || pass > MAX_PASSES {
            done.extend(parts.into_iter().map(SeedCluster::new));
        } else {
            open.extend(parts.into_iter().map(|part| (part, pass + 1)));
        }
    }
    done
}

fn suspicious(seed: &Seed) -> u32 {
    seed.suspicious
}

fn source(seed: &Seed) -> u32 {
    seed.source
}

/// Splits seeds where more than `max_gap` sentences of a side lie between neighbours.
fn split(mut seeds: Vec<Seed>, max_gap: usize, side: fn(&Seed) -> u32) -> Vec<Vec<Seed>> {
    seeds.sort_by_key(side);
    let is_near = |a: &Seed, b: &Seed| (side(b) - side(a)) as usize <= max_gap + 1;
    seeds.chunk_by(is_near).map(<[Seed]>::to_vec).collect()
}
