//! Pairs of similar documents with a stated recall: candidates by signatures, each verified by its exact cosine.
//!
//! Every pair that is returned has been computed, so that precision is 1; how many are found is promised ([`guarantee`]), whichever of the
//! ways is the cheapest ([`plans`]). Equal vectors are compared once. Documents whose signatures promise nothing, because too few terms decide them, are compared exactly.
//!
//! ```text
//!  vectors ─► Prepared (groups of equal ones) ─┬─► Exact: all pairs of groups ───────────────────────┐
//!                                              ├─► not short: signatures ─► candidates ─► verified ──┼─► Grouped
//!                                              └─► short: exactly, with all others ──────────────────┘
//! ```

mod background;
mod costs;
pub mod guarantee;
mod plan;
pub mod tables;
#[cfg(test)]
mod tests;

use rayon::prelude::*;

pub use background::background;
pub use plan::{
    BACKGROUND, CollectionShape, SearchPlan, SearchStrategy, exact, plans, signing_seconds,
};
pub use tables::SamplingTables;

use super::exact::Prepared;
use super::exact::join::{JoinSides, grouped_from, partition};
use super::{AllPairsMethod, EqualGroups, GroupedPairs, Pair, SignaturePair, full};
use crate::session::Session;
use crate::signature::SignatureSet;
use crate::vector::sparse::SparseRows;

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchRequest {
    /// The least similarity in per cent: above 0, at most 100.
    pub threshold: f64,
    /// How pairs are found.
    pub way: SearchStrategy,
    /// Where the positions of tables come from.
    pub seed: u64,
    /// Only pairs whose higher document is this one or beyond are wanted.
    pub first_new: usize,
}

/// All pairs of vectors at or above the threshold that the way finds, equal vectors in groups. A vector without direction is in no pair.
///
/// `signatures` has one a vector, and is not looked at for [`SearchStrategy::Exact`]; the vectors `short` are those whose signatures promise too little. The same pairs for
/// any number of threads; with the same way, for any `first_new` those of all pairs whose higher document is not before it.
pub fn pairs(
    vectors: &Prepared<impl SparseRows>,
    signatures: &SignatureSet,
    short: &[u32],
    request: &SearchRequest,
    session: &Session,
) -> GroupedPairs {
    let SearchRequest { threshold, first_new, .. } = *request;
    if request.way == SearchStrategy::Exact {
        return grouped_from(vectors, threshold, first_new, session);
    }
    assert_eq!(signatures.len(), vectors.len(), "a signature for each vector");
    let parts = Parts::new(vectors.groups(), short, first_new);
    let mut pairs = signed_pairs(vectors, signatures, &parts, request, session);
    pairs.extend(short_pairs(vectors, &parts, threshold, session));
    pairs.par_sort_unstable_by_key(|pair| (pair.low, pair.high));
    GroupedPairs::new(vectors.groups().clone(), pairs, first_new)
}

/// Groups of vectors by how they are compared.
struct Parts {
    /// Not short, and all of their vectors are old.
    old: Vec<u32>,
    /// Not short, and at least one of their vectors is new.
    new: Vec<u32>,
    short_old: Vec<u32>,
    short_new: Vec<u32>,
}

impl Parts {
    fn new(groups: &EqualGroups, short: &[u32], first_new: usize) -> Self {
        let mut is_short = vec![false; groups.len()];
        for row in short {
            if let Some(group) = groups.group_of(*row as usize) {
                is_short[group] = true;
            }
        }
        let is_new = |group: &u32| groups.last(*group as usize) >= first_new;
        let (short, signed) = partition(0..groups.len(), |group| is_short[group]);
        let (new, old) = signed.into_iter().partition(is_new);
        let (short_new, short_old) = short.into_iter().partition(is_new);
        Parts { old, new, short_old, short_new }
    }
}

/// The pairs of groups that are not short, at least one of them new.
fn signed_pairs(
    vectors: &Prepared<impl SparseRows>,
    signatures: &SignatureSet,
    parts: &Parts,
    request: &SearchRequest,
    session: &Session,
) -> Vec<Pair> {
    let groups = parts.old.iter().chain(&parts.new);
    let rows: Vec<u32> =
        groups.map(|group| vectors.groups().first(*group as usize) as u32).collect();
    let mut set = SignatureSet::new(signatures.bits());
    set.reserve(rows.len());
    rows.iter().for_each(|row| set.push(signatures.get(*row as usize)));
    let first_new = parts.old.len();
    let found = candidates(&set, &request.way, request.seed, first_new, session);
    drop(set);
    let pair = |at: usize| {
        let (one, other) = (rows[found[at].low as usize], rows[found[at].high as usize]);
        (one.min(other), one.max(other))
    };
    vectors.verified(&pair, found.len(), request.threshold, session)
}

/// The pairs of groups at least one of which is short and one new.
fn short_pairs(
    vectors: &Prepared<impl SparseRows>,
    parts: &Parts,
    threshold: f64,
    session: &Session,
) -> Vec<Pair> {
    let mut is_asked = vec![false; vectors.groups().len()];
    parts.short_new.iter().for_each(|group| is_asked[*group as usize] = true);
    let mut pairs = Vec::new();
    if !parts.short_new.is_empty() {
        let sides = JoinSides::with_any(vectors.groups(), |group| is_asked[group]);
        pairs = vectors.pairs(threshold, &sides, session);
    }
    if !parts.short_old.is_empty() && !parts.new.is_empty() {
        let sides = JoinSides::between(parts.short_old.clone(), parts.new.clone());
        pairs.extend(vectors.pairs(threshold, &sides, session));
    }
    pairs
}

/// The pairs of signatures that may be similar documents, with the higher one from `first_new` on, sorted. Whether a pair is among them depends on its two
/// signatures, the way and the seed alone.
///
/// # Panics
/// For [`SearchStrategy::Exact`], which has no candidates.
pub fn candidates(
    set: &SignatureSet,
    way: &SearchStrategy,
    seed: u64,
    first_new: usize,
    session: &Session,
) -> Vec<SignaturePair> {
    let full = |most: u32, method| full::pairs_from(set, most, method, first_new, session);
    match way {
        SearchStrategy::Exact => panic!("the exact way has no candidates"),
        SearchStrategy::Scan { max_distance } => full(*max_distance, AllPairsMethod::Scan),
        SearchStrategy::Join { max_distance } => full(*max_distance, AllPairsMethod::Join),
        SearchStrategy::Tables(tables) => tables::pairs(set, tables, seed, first_new, session),
    }
}

/// Those of the candidates, two vectors each, whose similarity in per cent is at or above a threshold, in the same order: exact cosines, the same numbers as
/// [`super::exact`] gives.
pub fn verified(
    vectors: &Prepared<impl SparseRows>,
    candidates: &[SignaturePair],
    threshold: f64,
    session: &Session,
) -> Vec<Pair> {
    let pair = |at: usize| (candidates[at].low, candidates[at].high);
    vectors.verified(&pair, candidates.len(), threshold, session)
}
