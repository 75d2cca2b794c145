//! Listing of the pairs of groups, large groups in short.
//!
//! A group of m equal items has m·(m − 1)/2 pairs, which say no more than that its items are equal. Above a maximum size of groups, each item of a
//! group is listed once, paired with the first of the group, and pairs with other groups list only representatives.

use super::grouped::{GroupedPairs, Links};
use super::{EqualGroups, Pair};

/// Similarity in percent of equal items. The cosine of a vector with itself, a sum over the square of its root, is off by at most two roundings
/// of 2⁻⁵³ and is rounded to this.
const EQUAL: f64 = 100.0;

/// The pairs of groups of equal items, where groups of more than a maximum number of items are listed in short.
///
/// Such a group lists the pairs of its first item with each of the others, and in pairs with other groups only its representatives: its first
/// item, and its first new item if the first is an old one. As in [`GroupedPairs`], the higher item of a pair is new. Every new item that has a
/// pair is in a listed one, and the listed pairs connect the same new items as all pairs do.
#[derive(Debug, Clone, Copy)]
pub struct PairListing<'a> {
    pub(super) pairs: &'a GroupedPairs,
    pub(super) max_group: usize,
}

impl<'a> PairListing<'a> {
    /// Returns the number of listed pairs. Time is proportional to the groups and their pairs.
    pub fn count(&self) -> u64 {
        let within = (0..self.groups().len()).map(|group| self.count_within(group));
        let between = self.pairs.between().iter().map(|pair| self.count_between(pair));
        within.chain(between).sum()
    }

    /// Returns the number of groups of which not all pairs are listed. Time is proportional to the groups and their pairs.
    pub fn short_groups(&self) -> usize {
        let all = self.pairs.listing(usize::MAX);
        let differs = |group: usize| self.count_within(group) < all.count_within(group);
        let mut is_short: Vec<bool> = (0..self.groups().len()).map(differs).collect();
        for pair in self.pairs.between() {
            if self.count_between(pair) < all.count_between(pair) {
                let groups = [pair.low, pair.high].map(|item| self.pairs.group_of(item));
                groups.into_iter().for_each(|group| is_short[group] |= self.is_large(group));
            }
        }
        is_short.into_iter().filter(|is_short| *is_short).count()
    }

    /// Iterates over the listed pairs, sorted. Time is proportional to them, the groups and their pairs. Memory besides the groups: the listed
    /// pairs of one item.
    pub fn iter(self) -> impl Iterator<Item = Pair> + 'a {
        let links = self.pairs.links();
        (0..self.pairs.low_end()).flat_map(move |low| {
            let mut pairs = Vec::new();
            self.append_pairs_of(low, &links, &mut pairs);
            pairs
        })
    }

    fn groups(&self) -> &'a EqualGroups {
        self.pairs.groups()
    }

    fn is_large(&self, group: usize) -> bool {
        self.groups().members(group).len() > self.max_group
    }

    fn count_within(&self, group: usize) -> u64 {
        if !self.pairs.has_pairs_within(group) {
            return 0;
        }
        let members = self.groups().members(group);
        let (all, old) = (members.len() as u64, self.pairs.old(members) as u64);
        match (self.is_large(group), self.pairs.is_bipartite()) {
            (true, true) if old == 0 => 0,
            (true, _) => (all - old).min(all - 1),
            (false, true) => old * (all - old),
            (false, false) => all * (all - 1) / 2 - old * old.saturating_sub(1) / 2,
        }
    }

    /// Counts the listed pairs of two groups, given by a pair of their representatives.
    fn count_between(&self, pair: &Pair) -> u64 {
        let [(low, low_old), (high, high_old)] = [pair.low, pair.high].map(|item| {
            let listed = self.listed(self.pairs.group_of(item));
            let count = |counts: [usize; 2]| counts.into_iter().sum::<usize>() as u64;
            (count(listed.map(<[u32]>::len)), count(listed.map(|items| self.pairs.old(items))))
        });
        match self.pairs.is_bipartite() {
            true => low_old * (high - high_old) + (low - low_old) * high_old,
            false => low * high - low_old * high_old,
        }
    }

    /// Returns the items of a group that its pairs with other groups list, ascending, in two pieces.
    fn listed(&self, group: usize) -> [&'a [u32]; 2] {
        let members = self.groups().members(group);
        if !self.is_large(group) {
            return [members, &[]];
        }
        let (first, others) = members.split_at(1);
        let new = &others[self.pairs.old(others)..];
        let is_first_old = self.pairs.old(first) > 0;
        [first, &new[..usize::from(is_first_old).min(new.len())]]
    }

    /// Appends the listed pairs of an item with higher ones, sorted.
    pub(super) fn append_pairs_of(&self, low: u32, links: &Links, pairs: &mut Vec<Pair>) {
        let Some(group) = self.groups().group_of(low as usize) else { return };
        if self.is_large(group) && self.listed(group).iter().all(|items| !items.contains(&low)) {
            return;
        }
        let min = (self.pairs.first_new() as u32).max(low + 1);
        let start = pairs.len();
        let mut append = |items: &[u32], similarity: f64| {
            let later = &items[items.partition_point(|item| *item < min)..];
            pairs.extend(later.iter().map(|high| Pair { low, high: *high, similarity }));
        };
        let is_listed = !self.is_large(group) || self.groups().first(group) == low as usize;
        if is_listed && self.pairs.has_pairs_within(group) {
            append(self.groups().members(group), EQUAL);
        }
        for (other, similarity) in links.of(self.pairs, group) {
            self.listed(other).into_iter().for_each(|items| append(items, similarity));
        }
        pairs[start..].sort_unstable_by_key(|pair| pair.high);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::UnionFind;
    use crate::search::grouped::testing::{grouped, groups_and_links};
    use proptest::prelude::*;

    /// Returns the representatives of an item's group, by the definition.
    fn representatives(groups: &EqualGroups, item: usize, first_new: usize) -> Vec<u32> {
        let members = groups.members(groups.group_of(item).unwrap());
        let first = members[0];
        let new = members.iter().copied().find(|member| *member as usize >= first_new);
        new.filter(|_| (first as usize) < first_new).into_iter().chain([first]).collect()
    }

    /// Returns the sets that pairs connect, as the lowest new item of the set of each new item.
    fn connected(pairs: &[Pair], items: usize, first_new: usize) -> Vec<usize> {
        let sets = UnionFind::new(items);
        pairs.iter().for_each(|pair| {
            sets.unite(pair.low, pair.high);
        });
        let new = first_new.min(items)..items;
        let is_same = |one: usize, other: usize| sets.find(one as u32) == sets.find(other as u32);
        new.clone().map(|item| new.clone().find(|other| is_same(item, *other)).unwrap()).collect()
    }

    proptest! {
        #[test]
        fn large_groups_are_listed_in_short(
            (groups, links) in groups_and_links(), first_new in 0..35usize, max_group in 0..6usize, is_bipartite: bool,
        ) {
            let all = grouped(&groups, &links, first_new);
            let all = if is_bipartite { GroupedPairs::bipartite(groups.clone(), all.between().to_vec(), first_new) } else { all };
            let size = |item: u32| groups.members(groups.group_of(item as usize).unwrap()).len();
            let is_listed = |pair: &Pair| {
                let [low, high] = [pair.low, pair.high].map(|item| groups.group_of(item as usize).unwrap());
                if low == high {
                    return size(pair.low) <= max_group || groups.first(low) == pair.low as usize;
                }
                [pair.low, pair.high].into_iter().all(|item| {
                    size(item) <= max_group || representatives(&groups, item as usize, first_new).contains(&item)
                })
            };
            let listing = all.listing(max_group);
            let (listed, left_out): (Vec<Pair>, Vec<Pair>) = all.iter().partition(is_listed);
            prop_assert_eq!(listing.count(), listed.len() as u64);
            prop_assert_eq!(&listing.iter().collect::<Vec<_>>(), &listed);
            let mut short: Vec<usize> = left_out.iter().flat_map(|pair| [pair.low, pair.high])
                .filter(|item| size(*item) > max_group)
                .map(|item| groups.group_of(item as usize).unwrap()).collect();
            short.sort_unstable();
            short.dedup();
            prop_assert_eq!(listing.short_groups(), short.len());

            let everything: Vec<Pair> = all.iter().collect();
            // The pairs left out of a bipartite listing may connect items by others of their group.
            prop_assume!(!is_bipartite);
            let connected = |pairs: &[Pair]| connected(pairs, groups.items(), first_new);
            prop_assert_eq!(connected(&listed), connected(&everything));
            let new_items = |pairs: &[Pair]| -> std::collections::BTreeSet<u32> {
                let items = pairs.iter().flat_map(|pair| [pair.low, pair.high]);
                items.filter(|item| *item as usize >= first_new).collect()
            };
            prop_assert_eq!(new_items(&listed), new_items(&everything));
        }
    }

    #[test]
    fn a_huge_group_is_listed_in_linear_time() {
        let items = 1_000_000;
        let groups = EqualGroups::new(1, vec![0; items]);
        let grouped = GroupedPairs::new(groups, Vec::new(), 0);
        let listing = grouped.listing(1000);
        assert_eq!((listing.count(), listing.short_groups()), (999_999, 1));
        assert!(listing.iter().all(|pair| pair.low == 0 && pair.similarity == 100.0));
        assert_eq!(listing.iter().count(), 999_999);
        assert_eq!(grouped.listing(items).short_groups(), 0);
    }
}
