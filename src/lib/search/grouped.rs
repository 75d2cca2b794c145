//! Pairs where equal items were compared once: the groups of equal items, and pairs of groups.
//!
//! A group of m equal items stands for m·(m − 1)/2 pairs, and a pair of groups for the product of their sizes: too many to list where half of
//! a collection is one page. So they are counted without being listed, and listed one after the other for whoever wants to see them all.

use rayon::prelude::*;

use super::pairs::joined;
use super::{EqualGroups, Match, MatchLists, Pair};

/// Groups of equal items and the pairs that their items are in: all pairs within a group, and all between two groups that are a pair, as far as the
/// higher item is `first_new` or beyond.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GroupedPairs {
    groups: EqualGroups,
    pairs: Vec<Pair>,
    first_new: u32,
}

/// The similarity in per cent of equal items. A vector's cosine with itself is the quotient of a sum and the square of its root, off by two roundings
/// of 2⁻⁵³ at most: it is rounded to this.
const EQUAL: f64 = 100.0;

/// Items whose pairs are listed by one thread at a time.
const ITEMS_A_TASK: usize = 1024;

impl GroupedPairs {
    /// Groups and pairs of them, each told by the first items of two different groups, sorted.
    pub fn new(groups: EqualGroups, pairs: Vec<Pair>, first_new: usize) -> Self {
        debug_assert!(
            pairs.is_sorted_by(|one, other| (one.low, one.high) < (other.low, other.high))
        );
        GroupedPairs { groups, pairs, first_new: first_new as u32 }
    }

    /// The groups of equal items.
    pub fn groups(&self) -> &EqualGroups {
        &self.groups
    }

    /// The pairs of different groups, each told by their first items, by the lower and then the higher of these.
    pub fn between(&self) -> &[Pair] {
        &self.pairs
    }

    /// Only pairs whose higher item has this number or a higher one count.
    pub fn first_new(&self) -> usize {
        self.first_new as usize
    }

    /// How many pairs of items there are. Time is proportional to the groups and their pairs.
    pub fn count(&self) -> u64 {
        let within = (0..self.groups.len()).map(|group| {
            let (all, old) = self.sizes(group);
            all * (all - 1) / 2 - old * old.saturating_sub(1) / 2
        });
        let between = self.pairs.iter().map(|pair| {
            let (low, low_old) = self.sizes(self.group_of(pair.low));
            let (high, high_old) = self.sizes(self.group_of(pair.high));
            low * high - low_old * high_old
        });
        within.chain(between).sum()
    }

    /// How many items a group has, and how many of them are old.
    fn sizes(&self, group: usize) -> (u64, u64) {
        let members = self.groups.members(group);
        let old = members.partition_point(|member| *member < self.first_new);
        (members.len() as u64, old as u64)
    }

    fn group_of(&self, item: u32) -> usize {
        self.groups.group_of(item as usize).expect("the first item of a group is in one")
    }

    /// All pairs of items, sorted by the lower and then the higher one. Beside the groups and their pairs it takes memory for the pairs of one item.
    pub fn iter(&self) -> impl Iterator<Item = Pair> + '_ {
        let links = self.links();
        (0..self.groups.items() as u32).flat_map(move |low| {
            let mut pairs = Vec::new();
            self.append_pairs_of(low, &links, &mut pairs);
            pairs
        })
    }

    /// All pairs of items in one list, sorted; made by all threads.
    pub fn expanded(&self) -> Vec<Pair> {
        let links = self.links();
        let items = self.groups.items();
        let tasks = (0..items.div_ceil(ITEMS_A_TASK)).into_par_iter().map(|task| {
            let mut pairs = Vec::new();
            let first = task * ITEMS_A_TASK;
            for low in first..(first + ITEMS_A_TASK).min(items) {
                self.append_pairs_of(low as u32, &links, &mut pairs);
            }
            pairs
        });
        joined(tasks.collect())
    }

    /// For each group those that it is a pair with.
    fn links(&self) -> MatchLists {
        let group = |item: u32| self.group_of(item) as u32;
        let linked = self.pairs.iter().map(|pair| Pair {
            low: group(pair.low),
            high: group(pair.high),
            similarity: pair.similarity,
        });
        // Groups are in the order of their first items, so these are sorted as the pairs are.
        MatchLists::new(self.groups.len(), &linked.collect::<Vec<_>>())
    }

    fn append_pairs_of(&self, low: u32, links: &MatchLists, pairs: &mut Vec<Pair>) {
        let Some(group) = self.groups.group_of(low as usize) else { return };
        let least = self.first_new.max(low + 1);
        let start = pairs.len();
        let mut append = |group: usize, similarity: f64| {
            let members = self.groups.members(group);
            let later = &members[members.partition_point(|member| *member < least)..];
            pairs.extend(later.iter().map(|high| Pair { low, high: *high, similarity }));
        };
        append(group, EQUAL);
        for Match { other, similarity } in links.get(group) {
            append(*other as usize, *similarity);
        }
        pairs[start..].sort_unstable_by_key(|pair| pair.high);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Numbers of groups in the order in which they first occur.
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

    proptest! {
        #[test]
        fn pairs_of_items_are_those_of_their_groups(
            groups in prop::collection::vec(prop::option::weighted(0.9, 0..9u8), 0..30),
            links in prop::collection::btree_set((0..9u32, 0..9u32), 0..12),
            first_new in 0..35usize,
        ) {
            let groups = numbered(&groups);
            let count = groups.len() as u32;
            let links = links.into_iter().filter(|(low, high)| low < high && *high < count);
            let links: Vec<(u32, u32)> = links.collect();
            let similarity = |low: u32, high: u32| f64::from(80 + low + high);
            let first = |group: u32| groups.first(group as usize) as u32;
            let between = links.iter().map(|(low, high)| Pair {
                low: first(*low), high: first(*high), similarity: similarity(*low, *high),
            });
            let grouped = GroupedPairs::new(groups.clone(), between.collect(), first_new);
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
            prop_assert_eq!(&grouped.expanded(), &expected);
            prop_assert_eq!(grouped.iter().collect::<Vec<_>>(), expected);
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
