//! Exhaustive search: every pair of signatures within a distance, by a [scan] of all pairs or by a [chunk join](join), whichever has the lower
//! cost estimate. Both find the same pairs.

use super::join::{self, ChunkBounds};
use super::scan::{self, ScanPlan};
use super::{AllPairsMethod, Match, SignaturePair};
use crate::bits::distance_within;
use crate::bits::vector::{BitVector, Kernel};
use crate::session::Session;
use crate::signature::SignatureSet;

/// Returns all pairs at most `max` apart, sorted. At small distances the time grows little faster than the number of signatures, at large ones
/// with its square.
pub fn pairs(
    set: &SignatureSet,
    max: u32,
    method: AllPairsMethod,
    session: &Session,
) -> Vec<SignaturePair> {
    let plan = ScanPlan::new(set, max);
    let chunks = match method {
        AllPairsMethod::Scan => None,
        AllPairsMethod::Join => ChunkBounds::balanced(set, max),
        AllPairsMethod::Auto => ChunkBounds::balanced(set, max).filter(|chunks| {
            let count = set.len() as f64;
            chunks.cycles(set) < plan.cycles * count * (count - 1.0) / 2.0
        }),
    };
    match chunks {
        Some(chunks) => {
            session.detail("method: join");
            join::pairs(set, max, &chunks, session)
        }
        None => {
            session.detail("method: scan");
            scan::pairs(set, max, plan, session)
        }
    }
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
