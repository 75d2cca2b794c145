//! Every pair of signatures within a distance: by a scan of all ([`scan`]) or by a join of those that agree on a chunk ([`join`]), whichever
//! promises to be faster. Both find the same.

use super::join::{self, ChunkBounds};
use super::scan::{self, ScanPlan};
use super::{AllPairsMethod, Match, SignaturePair};
use crate::bits::distance_within;
use crate::bits::vector::{BitVector, Kernel};
use crate::session::Session;
use crate::signature::SignatureSet;

/// All pairs at most `most` apart, sorted. At small distances the time grows little faster than the signatures, at large ones with their square.
pub fn pairs(
    set: &SignatureSet,
    most: u32,
    method: AllPairsMethod,
    session: &Session,
) -> Vec<SignaturePair> {
    pairs_from(set, most, method, 0, session)
}

/// Of [`pairs`] those whose higher signature is `first_new` or beyond.
pub fn pairs_from(
    set: &SignatureSet,
    most: u32,
    method: AllPairsMethod,
    first_new: usize,
    session: &Session,
) -> Vec<SignaturePair> {
    let plan = ScanPlan::new(set, most, session.cpu());
    let chunks = match method {
        AllPairsMethod::Scan => None,
        AllPairsMethod::Join => ChunkBounds::balanced(set, most),
        AllPairsMethod::Auto => ChunkBounds::balanced(set, most).filter(|chunks| {
            let pairs = |count: usize| count as f64 * (count as f64 - 1.0) / 2.0;
            let looked_at = pairs(set.len()) - pairs(first_new.min(set.len()));
            chunks.cycles(set) < plan.cycles * looked_at
        }),
    };
    match chunks {
        Some(chunks) => {
            session.detail("method: join");
            join::pairs_from(set, most, &chunks, first_new, session)
        }
        None => {
            session.detail("method: scan");
            scan::pairs_from(set, most, plan, first_new, session)
        }
    }
}

/// All signatures at most `most` from signature `query`, itself left out, by ascending number, with their distances.
pub fn matches(set: &SignatureSet, query: usize, most: u32, session: &Session) -> Vec<Match<u32>> {
    session.cpu().run(Query { set, query, most })
}

/// One signature against all.
struct Query<'a> {
    set: &'a SignatureSet,
    query: usize,
    most: u32,
}

impl Kernel for Query<'_> {
    type Output = Vec<Match<u32>>;

    #[inline(always)]
    fn run<V: BitVector>(self) -> Vec<Match<u32>> {
        let wanted = self.set.get(self.query);
        let mut found = Vec::new();
        for other in (0..self.set.len()).filter(|other| *other != self.query) {
            if let Some(distance) = distance_within(wanted, self.set.get(other), self.most) {
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
        fn every_method_and_every_query_finds_the_same((set, most) in signatures()) {
            let expected = every_pair(&set, most);
            for method in AllPairsMethod::value_variants() {
                let found = pairs(&set, most, *method, &Session::silent());
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
                    let found = matches(&set, query, most, &Session::silent().with_cpu(cpu));
                    let found: Vec<_> = found.iter().map(|m| (m.other, m.similarity)).collect();
                    prop_assert_eq!(found, expected);
                }
            }
        }
    }
}
