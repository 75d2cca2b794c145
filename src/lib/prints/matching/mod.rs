//! Pairs of documents whose prints agree.
//!
//! 1. Documents with equal prints are one item: a million identical documents are one group, whose pairs are counted, not listed.
//! 2. Different prints are compared only if they share a fingerprint: equal coordinates or bands ([`coordinates`]), a rare element of a set
//!    ([`sets`]), a part of a hash ([`full`]), or a long sentence ([`sequences`]).
//! 3. All pairs that agree are found, unless more than [`MatchLimits::max_group`] different prints share one fingerprint. Then each is compared
//!    with the first ones of them only, and [`Matches::large_groups`] tells how often that happened.

mod coordinates;
mod sequences;
mod sets;

use std::ops::Range;

use rayon::prelude::*;
use twox_hash::XxHash3_64;

use super::{Agreement, PrintTable};
use crate::search::{AllPairsMethod, EqualGroups, GroupedPairs, Pair, full};
use crate::session::Session;
use crate::shard::Shard;
use crate::signature::SignatureSet;

/// Bounds of the work on large groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatchLimits {
    /// The maximum number of different prints that share a fingerprint and are all compared with each other.
    pub max_group: usize,
}

impl Default for MatchLimits {
    /// A thousand different prints are half a million pairs that share one fingerprint.
    fn default() -> Self {
        MatchLimits { max_group: 1000 }
    }
}

/// Pairs of documents whose prints agree.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Matches {
    /// The pairs, with similarities in percent.
    pub pairs: GroupedPairs,
    /// The number of fingerprints shared by more prints than are all compared with each other.
    pub large_groups: u64,
    /// What there is to say of the search.
    pub notice: Option<String>,
}

/// Pairs of items, and the number of fingerprints with more items than are compared.
#[derive(Debug, Clone, PartialEq, Default)]
struct Found {
    pairs: Vec<(u32, u32)>,
    large_groups: u64,
    notice: Option<String>,
}

/// Different prints, by item.
struct Distinct<'a> {
    prints: &'a PrintTable,
    groups: &'a EqualGroups,
}

impl<'a> Distinct<'a> {
    fn len(&self) -> usize {
        self.groups.len()
    }

    fn get(&self, item: u32) -> &'a [u64] {
        self.prints.get(self.groups.first(item as usize))
    }

    fn items(&self) -> Range<u32> {
        0..self.len() as u32
    }
}

/// The part of the work of a search: one of several, or all.
#[derive(Debug, Clone, Copy)]
struct WorkShare(Option<Shard>);

impl WorkShare {
    /// Returns the share of equal items.
    fn of(self, count: usize) -> Range<usize> {
        let range = self.0.map_or(0..count as u64, |shard| shard.range(count as u64));
        range.start as usize..range.end as usize
    }

    /// Returns the share of items with weights.
    fn of_weights(self, count: usize, weight: impl Fn(usize) -> u64) -> Range<usize> {
        match self.0 {
            Some(shard) => shard.of_weights(&(0..count).map(weight).collect::<Vec<u64>>()),
            None => 0..count,
        }
    }
}

/// Returns the pairs of prints that agree, among those of which the second is at least `first_new`. Uses all threads of the session. Memory: the
/// prints once more, and the pairs of different prints.
pub fn pairs(
    prints: &PrintTable,
    agreement: Agreement,
    first_new: usize,
    limits: MatchLimits,
    session: &Session,
) -> Matches {
    matches_of(prints, agreement, first_new, limits, WorkShare(None), session)
}

/// Returns those of the [`pairs`] that belong to a shard, or all. A pair of equal prints belongs to the shard of its group. Of different prints, a
/// shard has about the same work, and compares no pairs of others:
///
/// - Coordinates and bands: the pairs whose lower print is one of its own, consecutive ones. It computes the keys of all prints, but sorts only those that
///   one of its own prints has.
/// - Distances: the pairs whose lower print is one of its own, as in [`full::pairs_of_rows`].
/// - Sets: the pairs whose larger set is one of its own, consecutive ones by size. It builds the whole index.
/// - Sentences: the pairs in its own sequences; those in the sequences of several shards belong to each. It builds all sequences.
pub fn pairs_of_shard(
    prints: &PrintTable,
    agreement: Agreement,
    limits: MatchLimits,
    shard: Option<Shard>,
    session: &Session,
) -> Matches {
    matches_of(prints, agreement, 0, limits, WorkShare(shard), session)
}

fn matches_of(
    prints: &PrintTable,
    agreement: Agreement,
    first_new: usize,
    limits: MatchLimits,
    share: WorkShare,
    session: &Session,
) -> Matches {
    let groups = equal_prints(prints);
    let distinct = Distinct { prints, groups: &groups };
    session.phase("matching prints", None);
    let found = session.install(|| match agreement {
        Agreement::Equal => Found::default(),
        Agreement::Coordinates { min } => coordinates::agreeing(&distinct, min, limits, share),
        Agreement::Bands { rows, .. } => coordinates::banded(&distinct, rows, limits, share),
        Agreement::Sets { measure, threshold, smallest } => {
            sets::similar(&distinct, (measure, threshold, smallest), limits, share)
        }
        Agreement::Distance { max } => distant(&distinct, max, share, session),
        Agreement::Sentences(rules) => sequences::agreeing(&distinct, rules, limits, share),
    });
    let pairs = with_similarities(&distinct, found.pairs, agreement, first_new);
    let size = |group: usize| groups.members(group).len();
    // A group has a row per pair, unless it is large.
    let rows = |group: usize| (size(group) * size(group).min(limits.max_group)) as u64;
    let own = share.of_weights(groups.len(), rows);
    let pairs = GroupedPairs::new(groups, pairs, first_new);
    Matches {
        pairs: if share.0.is_some() { pairs.within(own) } else { pairs },
        large_groups: found.large_groups,
        notice: found.notice,
    }
}

/// Groups documents with equal prints; those without fingerprints are in no group.
fn equal_prints(prints: &PrintTable) -> EqualGroups {
    let hash = |document: usize| {
        let print = prints.get(document);
        (!print.is_empty()).then(|| XxHash3_64::oneshot(bytemuck::cast_slice(print)))
    };
    EqualGroups::find(prints.len(), hash, |one, other| prints.get(one) == prints.get(other))
}

/// Adds the similarities of pairs of items, which become pairs of representatives, sorted. Pairs among existing documents are left out, unless a
/// new document has one of the prints.
fn with_similarities(
    distinct: &Distinct<'_>,
    mut pairs: Vec<(u32, u32)>,
    agreement: Agreement,
    first_new: usize,
) -> Vec<Pair> {
    let is_new = |item: u32| {
        let members = distinct.groups.members(item as usize);
        members.last().is_some_and(|last| *last as usize >= first_new)
    };
    pairs.par_sort_unstable();
    pairs.dedup();
    let least = match agreement {
        Agreement::Bands { threshold, .. } => 100.0 * threshold,
        _ => 0.0,
    };
    let first = |item: u32| distinct.groups.first(item as usize) as u32;
    let pair = |(one, other): &(u32, u32)| {
        let similarity = agreement.similarity(distinct.get(*one), distinct.get(*other));
        Pair { low: first(*one), high: first(*other), similarity }
    };
    let wanted = pairs.par_iter().filter(|(one, other)| is_new(*one) || is_new(*other));
    wanted.map(pair).filter(|pair| pair.similarity >= least).collect()
}

/// Returns the pairs of single fingerprints within a distance.
fn distant(distinct: &Distinct<'_>, max: u32, share: WorkShare, session: &Session) -> Found {
    let mut set = SignatureSet::new(u64::BITS as usize);
    distinct.items().for_each(|item| set.push(distinct.get(item)));
    let rows = |shard| full::rows_of_shard(shard, set.len());
    let rows = share.0.map_or(0..set.len(), rows);
    let pairs = full::pairs_of_rows(&set, rows, max, AllPairsMethod::Auto, session);
    let pairs = pairs.into_iter().map(|pair| (pair.low, pair.high)).collect();
    Found { pairs, ..Found::default() }
}

#[cfg(test)]
mod tests;
