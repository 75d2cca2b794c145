//! Prints that agree at some positions.
//!
//! Two prints agree on `min` of their coordinates if they agree on one combination of `min` positions. So prints are sorted by each combination;
//! all that are equal there are pairs, and no other two are compared.

use std::ops::Range;

use rayon::prelude::*;
use rustc_hash::FxHashSet;
use twox_hash::XxHash3_64;

use super::{Distinct, Found, MatchLimits, WorkShare};

/// Returns the pairs that agree on at least `min` coordinates.
pub(super) fn agreeing(
    distinct: &Distinct<'_>,
    min: usize,
    limits: MatchLimits,
    share: WorkShare,
) -> Found {
    let width = distinct.items().map(|item| distinct.get(item).len()).max().unwrap_or(0);
    let combinations = combinations(width, min);
    grouped(distinct, combinations.len(), limits, share, |print, number| {
        let mut bytes = Vec::with_capacity(8 * min);
        for position in &combinations[number] {
            let fingerprint = print.get(*position).copied().filter(|print| *print != 0)?;
            bytes.extend_from_slice(&fingerprint.to_le_bytes());
        }
        Some(if min == 1 { print[combinations[number][0]] } else { XxHash3_64::oneshot(&bytes) })
    })
}

/// Returns the pairs that agree on a band of `rows` hashes.
pub(super) fn banded(
    distinct: &Distinct<'_>,
    rows: usize,
    limits: MatchLimits,
    share: WorkShare,
) -> Found {
    let width = distinct.items().map(|item| distinct.get(item).len()).max().unwrap_or(0);
    grouped(distinct, width / rows, limits, share, |print, band| {
        let hashes = print.get(band * rows..(band + 1) * rows)?;
        Some(XxHash3_64::oneshot(bytemuck::cast_slice(hashes)))
    })
}

/// Returns all combinations of `count` positions below `width`, in lexicographic order.
fn combinations(width: usize, count: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..count {
        all = all
            .into_iter()
            .flat_map(|start: Vec<usize>| {
                let next = start.last().map_or(0, |last| last + 1);
                (next..width).map(move |position| [&*start, &[position]].concat())
            })
            .collect();
    }
    all
}

/// Returns the pairs of prints with the same key for one of the numbers below `keys`, whose lower print is in a share.
fn grouped(
    distinct: &Distinct<'_>,
    keys: usize,
    limits: MatchLimits,
    share: WorkShare,
    key: impl Fn(&[u64], usize) -> Option<u64> + Sync,
) -> Found {
    let own = share.of(distinct.len());
    let own = own.start as u32..own.end as u32;
    let found: Vec<(Vec<(u32, u32)>, u64)> = (0..keys)
        .into_par_iter()
        .map(|number| {
            let key_of = |item: u32| key(distinct.get(item), number);
            // Prints before the share decide which groups are large, and who is their first.
            let own_keys: Option<FxHashSet<u64>> =
                (own != distinct.items()).then(|| own.clone().filter_map(key_of).collect());
            let is_own = |key: &u64| own_keys.as_ref().is_none_or(|keys| keys.contains(key));
            let keyed = distinct.items().into_par_iter();
            let keyed = keyed.filter_map(|item| Some((key_of(item).filter(is_own)?, item)));
            let mut keyed: Vec<(u64, u32)> = keyed.collect();
            keyed.par_sort_unstable();
            let (mut pairs, mut large_groups) = (Vec::new(), 0);
            for group in keyed.chunk_by(|one, other| one.0 == other.0) {
                large_groups += u64::from(group.len() > limits.max_group);
                append_pairs(group, limits, &own, &mut pairs);
            }
            (pairs, large_groups)
        })
        .collect();
    let large_groups = found.iter().map(|(_, large)| large).sum();
    let pairs = found.into_iter().flat_map(|(pairs, _)| pairs).collect();
    Found { pairs, large_groups, notice: None }
}

/// Appends all pairs of a group whose lower item is one of `own` in ascending order; of a large one, the pairs with its first item.
fn append_pairs(
    group: &[(u64, u32)],
    limits: MatchLimits,
    own: &Range<u32>,
    pairs: &mut Vec<(u32, u32)>,
) {
    let firsts = if group.len() > limits.max_group { 1 } else { group.len() };
    let firsts = group[..firsts].iter().enumerate().filter(|(_, (_, one))| own.contains(one));
    for (at, (_, one)) in firsts {
        pairs.extend(group[at + 1..].iter().map(|(_, other)| (*one, *other)));
    }
}
