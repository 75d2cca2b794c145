//! Pairs of similar documents with a guaranteed recall: signatures propose candidates, and each is verified by its exact cosine.
//!
//! Every returned pair has been computed, so precision is 1; recall is [guaranteed](guarantee), whichever strategy is the [cheapest](plans).
//! Equal vectors are compared once. Documents whose signatures guarantee nothing, because too few terms dominate them, are compared exactly.
//!
//! ```text
//!  vectors ─► Prepared (groups of equal ones) ─┬─► Exact: all pairs of groups ───────────────────────┐
//!                                              ├─► not short: signatures ─► candidates ─► verified ──┼─► GroupedPairs
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

/// Parameters of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchRequest {
    /// Minimum similarity in percent: above 0, at most 100.
    pub threshold: f64,
    /// Strategy of the search.
    pub strategy: SearchStrategy,
    /// Seed of the table positions.
    pub seed: u64,
    /// Minimum of the higher document of a pair.
    pub first_new: usize,
}

/// Returns the pairs of vectors that reach the threshold and that the strategy finds, equal vectors in groups. A vector without direction is in no
/// pair.
///
/// `signatures` has one per vector and is unused by [`SearchStrategy::Exact`]; the signatures of the vectors `short` are too inaccurate. The pairs
/// do not depend on the number of threads, and those for any `first_new` are a subset of all pairs.
pub fn pairs(
    vectors: &Prepared<impl SparseRows>,
    signatures: &SignatureSet,
    short: &[u32],
    request: &SearchRequest,
    session: &Session,
) -> GroupedPairs {
    let SearchRequest { threshold, first_new, .. } = *request;
    if request.strategy == SearchStrategy::Exact {
        return grouped_from(vectors, threshold, first_new, session);
    }
    assert_eq!(signatures.len(), vectors.len(), "a signature for each vector");
    let parts = GroupParts::new(vectors.groups(), short, first_new);
    let mut pairs = signed_pairs(vectors, signatures, &parts, request, session);
    pairs.extend(short_pairs(vectors, &parts, threshold, session));
    pairs.par_sort_unstable_by_key(|pair| (pair.low, pair.high));
    GroupedPairs::new(vectors.groups().clone(), pairs, first_new)
}

/// Groups of vectors by the comparison they need.
struct GroupParts {
    /// Not short, with old vectors only.
    old: Vec<u32>,
    /// Not short, with at least one new vector.
    new: Vec<u32>,
    short_old: Vec<u32>,
    short_new: Vec<u32>,
}

impl GroupParts {
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
        GroupParts { old, new, short_old, short_new }
    }
}

/// Returns the pairs of groups that are not short, at least one of them new.
fn signed_pairs(
    vectors: &Prepared<impl SparseRows>,
    signatures: &SignatureSet,
    parts: &GroupParts,
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
    let found = candidates(&set, &request.strategy, request.seed, first_new, session);
    drop(set);
    let pair = |at: usize| {
        let (one, other) = (rows[found[at].low as usize], rows[found[at].high as usize]);
        (one.min(other), one.max(other))
    };
    vectors.verified(&pair, found.len(), request.threshold, session)
}

/// Returns the pairs of groups of which at least one is short and one new.
fn short_pairs(
    vectors: &Prepared<impl SparseRows>,
    parts: &GroupParts,
    threshold: f64,
    session: &Session,
) -> Vec<Pair> {
    let mut is_wanted = vec![false; vectors.groups().len()];
    parts.short_new.iter().for_each(|group| is_wanted[*group as usize] = true);
    let mut pairs = Vec::new();
    if !parts.short_new.is_empty() {
        let sides = JoinSides::with_any(vectors.groups(), |group| is_wanted[group]);
        pairs = vectors.pairs(threshold, &sides, session);
    }
    if !parts.short_old.is_empty() && !parts.new.is_empty() {
        let sides = JoinSides::between(parts.short_old.clone(), parts.new.clone());
        pairs.extend(vectors.pairs(threshold, &sides, session));
    }
    pairs
}

/// Returns the candidate pairs of signatures whose higher one is at least `first_new`, sorted. Whether a pair is a candidate depends on its two
/// signatures, the strategy and the seed alone.
///
/// # Panics
/// For [`SearchStrategy::Exact`], which has no candidates.
pub fn candidates(
    set: &SignatureSet,
    strategy: &SearchStrategy,
    seed: u64,
    first_new: usize,
    session: &Session,
) -> Vec<SignaturePair> {
    let full = |max: u32, method| full::pairs_from(set, max, method, first_new, session);
    match strategy {
        SearchStrategy::Exact => panic!("the exact strategy has no candidates"),
        SearchStrategy::Scan { max_distance } => full(*max_distance, AllPairsMethod::Scan),
        SearchStrategy::Join { max_distance } => full(*max_distance, AllPairsMethod::Join),
        SearchStrategy::Tables(tables) => tables::pairs(set, tables, seed, first_new, session),
    }
}

/// Returns the candidates whose exact cosine in percent reaches a threshold, in the same order, with the same numbers as [`super::exact`].
pub fn verified(
    vectors: &Prepared<impl SparseRows>,
    candidates: &[SignaturePair],
    threshold: f64,
    session: &Session,
) -> Vec<Pair> {
    let pair = |at: usize| (candidates[at].low, candidates[at].high);
    vectors.verified(&pair, candidates.len(), threshold, session)
}
