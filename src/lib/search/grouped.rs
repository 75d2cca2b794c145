//! Pairs of groups of equal items.
//!
//! A group of m equal items contains m·(m − 1)/2 pairs, and a pair of groups the product of their sizes: too many to list if half of a collection
//! is one page. They are counted without being listed, and iterated on demand.

use std::ops::Range;

use rayon::prelude::*;

use super::listing::PairListing;
use super::{EqualGroups, MatchLists, Pair};

/// Groups of equal items and their pairs: all pairs within a group, and all between two paired groups, if the higher item is at least
/// `first_new`, and in bipartite pairs the lower one is less.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GroupedPairs {
    groups: EqualGroups,
    pairs: Vec<Pair>,
    first_new: u32,
    /// The groups whose own pairs are listed; `None` for all.
    within: Option<Range<usize>>,
    is_bipartite: bool,
}

/// Items per task.
const ITEMS_PER_TASK: usize = 1024;

impl GroupedPairs {
    /// Returns groups with their pairs, each given by the representatives of two groups, sorted.
    pub fn new(groups: EqualGroups, pairs: Vec<Pair>, first_new: usize) -> Self {
        debug_assert!(
            pairs.is_sorted_by(|one, other| (one.low, one.high) < (other.low, other.high))
        );
        let first_new = first_new as u32;
        GroupedPairs { groups, pairs, first_new, within: None, is_bipartite: false }
    }

    /// Leaves out the pairs within groups other than these, which belong to other shards.
    pub fn within(self, groups: Range<usize>) -> Self {
        GroupedPairs { within: Some(groups), ..self }
    }

    /// Returns whether the pairs within a group are among these pairs.
    pub(super) fn has_pairs_within(&self, group: usize) -> bool {
        self.within.as_ref().is_none_or(|groups| groups.contains(&group))
    }

    /// Like [`GroupedPairs::new`], with those pairs of items alone whose lower item is before `first_new`.
    pub fn bipartite(groups: EqualGroups, pairs: Vec<Pair>, first_new: usize) -> Self {
        GroupedPairs { is_bipartite: true, ..GroupedPairs::new(groups, pairs, first_new) }
    }

    /// Adds groups of items that are in none ([`EqualGroups::with_groups_of`]).
    pub fn with_groups_of(self, items: &[u32], groups: &EqualGroups) -> Self {
        GroupedPairs { groups: self.groups.with_groups_of(items, groups), ..self }
    }

    /// Returns the groups of equal items.
    pub fn groups(&self) -> &EqualGroups {
        &self.groups
    }

    /// Returns the pairs of different groups as pairs of representatives, sorted.
    pub fn between(&self) -> &[Pair] {
        &self.pairs
    }

    /// Returns the minimum of the higher item of a pair.
    pub fn first_new(&self) -> usize {
        self.first_new as usize
    }

    /// Returns the end of the lower items of pairs.
    pub(super) fn low_end(&self) -> u32 {
        let items = self.groups.items() as u32;
        if self.is_bipartite { items.min(self.first_new) } else { items }
    }

    /// Returns whether every pair has an item before `first_new` and one from it on.
    pub(super) fn is_bipartite(&self) -> bool {
        self.is_bipartite
    }

    /// Returns whether two items are in one group.
    pub fn are_equal(&self, pair: &Pair) -> bool {
        self.group_of(pair.low) == self.group_of(pair.high)
    }

    /// Returns the number of pairs of items. Time is proportional to the groups and their pairs.
    pub fn count(&self) -> u64 {
        self.listing(usize::MAX).count()
    }

    /// Iterates over all pairs of items, sorted. Memory besides the groups: the pairs of one item.
    pub fn iter(&self) -> impl Iterator<Item = Pair> + '_ {
        self.listing(usize::MAX).iter()
    }

    /// Returns all pairs of items, sorted. Uses all threads.
    pub fn expand(&self) -> Vec<Pair> {
        let (listing, items) = (self.listing(usize::MAX), self.low_end() as usize);
        let links = self.links();
        let tasks = (0..items.div_ceil(ITEMS_PER_TASK)).into_par_iter().flat_map_iter(|task| {
            let mut pairs = Vec::new();
            let first = task * ITEMS_PER_TASK;
            for low in first..(first + ITEMS_PER_TASK).min(items) {
                listing.append_pairs_of(low as u32, &links, &mut pairs);
            }
            pairs
        });
        tasks.collect()
    }

    /// Returns a listing of the pairs in which groups of more than `max_group` items are listed in short.
    pub fn listing(&self, max_group: usize) -> PairListing<'_> {
        PairListing { pairs: self, max_group }
    }

    pub(super) fn group_of(&self, item: u32) -> usize {
        self.groups.group_of(item as usize).expect("a representative is in its group")
    }

    /// Returns how many of some ascending items are before `first_new`.
    pub(super) fn old(&self, items: &[u32]) -> usize {
        items.partition_point(|item| *item < self.first_new)
    }

    pub(super) fn links(&self) -> Links {
        let mut starts = vec![0; self.groups.len() + 1];
        self.pairs.iter().for_each(|pair| starts[self.group_of(pair.low) + 1] += 1);
        for group in 0..self.groups.len() {
            starts[group + 1] += starts[group];
        }
        let groups = |pair: &Pair| Pair {
            low: self.group_of(pair.low) as u32,
            high: self.group_of(pair.high) as u32,
            similarity: pair.similarity,
        };
        let is_large = |pair: &Pair| self.groups.members(pair.low as usize).len() > 1;
        // Groups are in the order of their representatives, so these are sorted as the pairs are.
        let large: Vec<Pair> = self.pairs.iter().map(groups).filter(is_large).collect();
        Links { starts, large: MatchLists::new(self.groups.len(), &large) }
    }
}

/// Paired groups of each group.
pub(super) struct Links {
    /// Start of the pairs with higher groups, and the end of the last.
    starts: Vec<usize>,
    /// Links of groups with more than one item: some may be after an item of a higher group.
    large: MatchLists,
}

impl Links {
    /// Iterates over the groups that are paired with a group, with their similarity; a lower group only if it has more than one item.
    pub(super) fn of<'a>(
        &'a self,
        grouped: &'a GroupedPairs,
        group: usize,
    ) -> impl Iterator<Item = (usize, f64)> + 'a {
        let lower = self.large.get(group).iter().map(|link| (link.other as usize, link.similarity));
        let higher = &grouped.pairs[self.starts[group]..self.starts[group + 1]];
        let higher = higher.iter().map(|pair| (grouped.group_of(pair.high), pair.similarity));
        lower.take_while(move |(other, _)| *other < group).chain(higher)
    }
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;
    use proptest::prelude::*;

    /// Numbers groups in the order in which they first occur.
    fn numbered(groups: &[Option<u8>]) -> EqualGroups {
        let mut seen: Vec<u8> = Vec::new();
        let mut group_of = Vec::new();
        for group in groups {
            group_of.push(match group {
                None => EqualGroups::NONE,
                Some(name) => {
                    let known = seen.iter().position(|other| other == name);
                    known.unwrap_or_else(|| {
                        seen.push(*name);
                        seen.len() - 1
                    }) as u32
                }
            });
        }
        EqualGroups::new(seen.len(), group_of)
    }

    prop_compose! {
        /// Draws groups of items, and pairs of groups.
        pub fn groups_and_links()(
            groups in prop::collection::vec(prop::option::weighted(0.9, 0..9u8), 0..30),
            links in prop::collection::btree_set((0..9u32, 0..9u32), 0..12),
        ) -> (EqualGroups, Vec<(u32, u32)>) {
            let groups = numbered(&groups);
            let count = groups.len() as u32;
            let links = links.into_iter().filter(|(low, high)| low < high && *high < count);
            (groups, links.collect())
        }
    }

    /// Returns the similarity of two groups.
    pub fn similarity(low: u32, high: u32) -> f64 {
        f64::from(80 + low + high)
    }

    /// Returns the pairs of groups.
    pub fn grouped(groups: &EqualGroups, links: &[(u32, u32)], first_new: usize) -> GroupedPairs {
        let first = |group: u32| groups.first(group as usize) as u32;
        let between = links.iter().map(|(low, high)| Pair {
            low: first(*low),
            high: first(*high),
            similarity: similarity(*low, *high),
        });
        GroupedPairs::new(groups.clone(), between.collect(), first_new)
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{grouped, groups_and_links, similarity};
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pairs_of_items_are_those_of_their_groups(
            (groups, links) in groups_and_links(), first_new in 0..35usize,
        ) {
            let grouped = grouped(&groups, &links, first_new);
            let bipartite = GroupedPairs::bipartite(groups.clone(), grouped.between().to_vec(), first_new);
            let mut expected = Vec::new();
            for low in 0..groups.items() {
                for high in (low + 1..groups.items()).filter(|high| *high >= first_new) {
                    let (Some(one), Some(other)) = (groups.group_of(low), groups.group_of(high)) else { continue };
                    let link = (one.min(other) as u32, one.max(other) as u32);
                    let value = if one == other { 100.0 } else { similarity(link.0, link.1) };
                    if one == other || links.contains(&link) {
                        expected.push(Pair { low: low as u32, high: high as u32, similarity: value });
                    }
                }
            }
            prop_assert_eq!(grouped.count(), expected.len() as u64);
            prop_assert_eq!(&grouped.expand(), &expected);
            prop_assert_eq!(&grouped.iter().collect::<Vec<_>>(), &expected);
            expected.retain(|pair| (pair.low as usize) < first_new);
            prop_assert_eq!(bipartite.count(), expected.len() as u64);
            prop_assert_eq!(&bipartite.expand(), &expected);
            prop_assert_eq!(bipartite.iter().collect::<Vec<_>>(), expected);
        }
    }

    proptest! {
        #[test]
        fn shards_of_groups_have_all_pairs((groups, links) in groups_and_links(), cut in 0..9usize, max_group in 0..6usize) {
            let cut = cut.min(groups.len());
            let cut_links = |is_before: bool| -> Vec<(u32, u32)> {
                links.iter().filter(|(low, _)| ((*low as usize) < cut) == is_before).copied().collect()
            };
            let shards = [
                grouped(&groups, &cut_links(true), 0).within(0..cut),
                grouped(&groups, &cut_links(false), 0).within(cut..groups.len()),
            ];
            let whole = grouped(&groups, &links, 0);
            let key = |pair: &Pair| (pair.low, pair.high);
            let mut merged: Vec<Pair> = shards.iter().flat_map(|shard| shard.listing(max_group).iter()).collect();
            prop_assert_eq!(merged.len() as u64, shards.iter().map(|shard| shard.listing(max_group).count()).sum::<u64>());
            merged.sort_by_key(key);
            prop_assert_eq!(merged, whole.listing(max_group).iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_huge_group_is_counted_without_listing_it() {
        let items = 1_000_000;
        let grouped = GroupedPairs::new(EqualGroups::new(1, vec![0; items]), Vec::new(), 999_999);
        assert_eq!(grouped.count(), 999_999);
        let all = GroupedPairs::new(EqualGroups::new(1, vec![0; items]), Vec::new(), 0);
        assert_eq!(all.count(), 499_999_500_000);
        assert_eq!(all.iter().take(2).map(|pair| pair.high).collect::<Vec<_>>(), [1, 2]);
    }
}
