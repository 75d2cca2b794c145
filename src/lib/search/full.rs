//! Exhaustive search: every pair of signatures within a distance, by a [scan] of all pairs or by a [chunk join](join), whichever has the lower
//! cost estimate. Both find the same pairs.

use std::ops::Range;

use super::join::{self, ChunkBounds};
use super::scan::{self, ScanPlan};
use super::{AllPairsMethod, Match, SignaturePair};
use crate::bits::distance_within;
use crate::bits::vector::{BitVector, Kernel};
use crate::session::Session;
use crate::shard::Shard;
use crate::signature::SignatureSet;

/// Returns all pairs at most `max` apart, sorted. At small distances the time grows little faster than the number of signatures, at large ones
/// with its square.
pub fn pairs(
    set: &SignatureSet,
    max: u32,
    method: AllPairsMethod,
    session: &Session,
) -> Vec<SignaturePair> {
    pairs_of_rows(set, 0..set.len(), max, method, session)
}

/// Returns the lower signatures of a shard's pairs, of `count` signatures: consecutive ones with about the same number of pairs per shard. The first of
/// n signatures has n − 1 pairs with later ones, the last has none.
pub fn rows_of_shard(shard: Shard, count: usize) -> Range<usize> {
    let pairs: Vec<u64> = (0..count as u64).rev().collect();
    shard.of_weights(&pairs)
}

/// Returns the pairs at most `max` apart whose lower signature is in `rows`, sorted. Compares no others. What it repeats for each range of rows: the
/// scan samples pairs to choose its prefix; the join samples signatures to choose its chunks, and sorts those from the first row on by each chunk.
pub fn pairs_of_rows(
    set: &SignatureSet,
    rows: Range<usize>,
    max: u32,
    method: AllPairsMethod,
    session: &Session,
) -> Vec<SignaturePair> {
    let plan = ScanPlan::new(set, max);
    let chunks = match method {
        AllPairsMethod::Scan => None,
        AllPairsMethod::Join => ChunkBounds::balanced(set, max),
        AllPairsMethod::Auto => ChunkBounds::balanced(set, max).filter(|chunks| {
            chunks.cycles(set, &rows) < plan.cycles * pairs_with_later(set.len(), &rows)
        }),
    };
    match chunks {
        Some(chunks) => {
            session.detail("method: join");
            join::pairs(set, rows, max, &chunks, session)
        }
        None => {
            session.detail("method: scan");
            scan::pairs(set, rows, max, plan, session)
        }
    }
}

/// Returns the number of pairs of some rows with later ones, of `count` rows.
pub(super) fn pairs_with_later(count: usize, rows: &Range<usize>) -> f64 {
    let pairs = |from: usize| {
        let later = (count - from) as f64;
        later * (later - 1.0) / 2.0
    };
    pairs(rows.start) - pairs(rows.end)
}

/// Returns the signatures at most `max` from signature `query` except itself, by ascending number, with their distances.
pub fn matches(set: &SignatureSet, query: usize, max: u32, session: &Session) -> Vec<Match<u32>> {
    session.cpu().run(Query { set, query, max })
}

/// One signature compared with all.
struct Query<'a> {
    set: &'a SignatureSet,
    query: usize,
    max: u32,
}

impl Kernel for Query<'_> {
    type Output = Vec<Match<u32>>;

    #[inline(always)]
    fn run<V: BitVector>(self) -> Vec<Match<u32>> {
        let wanted = self.set.get(self.query);
        let mut found = Vec::new();
        for other in (0..self.set.len()).filter(|other| *other != self.query) {
            if let Some(distance) = distance_within(wanted, self.set.get(other), self.max) {
                found.push(Match { other: other as u32, similarity: distance });
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::cpu::Cpu;
    use crate::search::testing::{every_pair, signatures};
    use crate::session::Session;
    use clap::ValueEnum;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn every_method_and_every_query_finds_the_same_pairs((set, max) in signatures()) {
            let expected = every_pair(&set, max);
            for method in AllPairsMethod::value_variants() {
                let found = pairs(&set, max, *method, &Session::silent());
                prop_assert_eq!(&found, &expected, "{:?}", method);
            }
            for count in [1, 3, 8] {
                for method in AllPairsMethod::value_variants() {
                    let of_shard = |index| {
                        let rows = rows_of_shard(Shard::new(index, count).unwrap(), set.len());
                        pairs_of_rows(&set, rows, max, *method, &Session::silent())
                    };
                    // The rows of shards ascend, and so do their pairs.
                    let found: Vec<SignaturePair> = (1..=count).flat_map(of_shard).collect();
                    prop_assert_eq!(&found, &expected, "{:?} in {} shards", method, count);
                }
            }
            for cpu in Cpu::available() {
                for query in 0..set.len() {
                    let other = |pair: &SignaturePair| match (pair.low as usize, pair.high as usize) {
                        (low, _) if low == query => Some((pair.high, pair.distance)),
                        (_, high) if high == query => Some((pair.low, pair.distance)),
                        _ => None,
                    };
                    let mut expected: Vec<_> = expected.iter().filter_map(other).collect();
                    expected.sort_unstable();
                    let found = matches(&set, query, max, &Session::silent().with_cpu(cpu));
                    let found: Vec<_> = found.iter().map(|m| (m.other, m.similarity)).collect();
                    prop_assert_eq!(found, expected);
                }
            }
        }
    }
}
