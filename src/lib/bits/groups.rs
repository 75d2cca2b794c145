//! Groups of equal items.

use super::probe_table::{ProbeTable, Slot};

/// Groups of equal items, in the order of their first items; an item may be in no group.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EqualGroups {
    /// The items by group, ascending within a group.
    members: Vec<u32>,
    /// Start of each group, and the end of the last.
    starts: Vec<usize>,
    /// The group of each item, or [`EqualGroups::NONE`].
    group_of: Vec<u32>,
}

impl EqualGroups {
    /// Group of an item that is in none.
    pub const NONE: u32 = u32::MAX;

    /// Groups `count` items, fewer than 2^32 − 1, by equality. `hash` must be the same for equal items; an item without one is in no group. Time
    /// is proportional to the number of items.
    pub fn find(
        count: usize,
        hash: impl Fn(usize) -> Option<u64>,
        are_equal: impl Fn(usize, usize) -> bool,
    ) -> Self {
        assert!(count < Self::NONE as usize, "item numbers fit 32 bits");
        let mut table = ProbeTable::<GroupSlot>::with_capacity(count);
        let mut firsts: Vec<u32> = Vec::new();
        let mut group_of = vec![Self::NONE; count];
        for (item, group) in group_of.iter_mut().enumerate() {
            let Some(hash) = hash(item) else { continue };
            let is_group = |slot: &GroupSlot| {
                let is_candidate = slot.number > 0 && slot.tag == hash as u32;
                is_candidate && are_equal(firsts[slot.number as usize - 1] as usize, item)
            };
            let slot = table.find(hash, is_group).unwrap_or_else(|free| {
                firsts.push(item as u32);
                let slot = GroupSlot { number: firsts.len() as u32, tag: hash as u32 };
                // The table has the capacity for one group per item and never grows.
                table.insert(free, slot, |_| hash);
                free
            });
            *group = table.slots()[slot].number - 1;
        }
        Self::new(firsts.len(), group_of)
    }

    /// Returns the groups of items: numbers below `groups` in the order in which groups first occur, or [`EqualGroups::NONE`].
    pub fn new(groups: usize, group_of: Vec<u32>) -> Self {
        let mut starts = vec![0; groups + 1];
        let grouped = || group_of.iter().enumerate().filter(|(_, group)| **group != Self::NONE);
        grouped().for_each(|(_, group)| starts[*group as usize + 1] += 1);
        for group in 0..groups {
            starts[group + 1] += starts[group];
        }
        let mut next = starts.clone();
        let mut members = vec![0; starts[groups]];
        for (item, group) in grouped() {
            members[next[*group as usize]] = item as u32;
            next[*group as usize] += 1;
        }
        EqualGroups { members, starts, group_of }
    }

    /// Adds groups of other items: `groups` groups the positions in `items`, which ascend and are in no group yet. Time is proportional to the
    /// number of all items.
    pub fn with_groups_of(&self, items: &[u32], groups: &EqualGroups) -> Self {
        let mut group_of = self.group_of.clone();
        let added = items.iter().enumerate();
        for (item, group) in added.filter_map(|(at, item)| Some((item, groups.group_of(at)?))) {
            debug_assert_eq!(group_of[*item as usize], Self::NONE);
            group_of[*item as usize] = (self.len() + group) as u32;
        }
        let mut numbers = vec![Self::NONE; self.len() + groups.len()];
        let mut count = 0;
        for group in group_of.iter_mut().filter(|group| **group != Self::NONE) {
            let number = &mut numbers[*group as usize];
            if *number == Self::NONE {
                (*number, count) = (count, count + 1);
            }
            *group = *number;
        }
        Self::new(count as usize, group_of)
    }

    /// Returns the number of groups.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Returns whether there is no group.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of items, in groups or not.
    pub fn items(&self) -> usize {
        self.group_of.len()
    }

    /// Returns the number of items in groups.
    pub fn grouped_items(&self) -> usize {
        self.members.len()
    }

    /// Returns the items of a group, ascending.
    pub fn members(&self, group: usize) -> &[u32] {
        &self.members[self.starts[group]..self.starts[group + 1]]
    }

    /// Returns the representative of a group: its first item.
    pub fn first(&self, group: usize) -> usize {
        self.members[self.starts[group]] as usize
    }

    /// Returns the last item of a group.
    pub fn last(&self, group: usize) -> usize {
        self.members[self.starts[group + 1] - 1] as usize
    }

    /// Returns the group of an item.
    pub fn group_of(&self, item: usize) -> Option<usize> {
        let group = self.group_of[item];
        (group != Self::NONE).then_some(group as usize)
    }
}

/// Group in the table of hashes.
#[derive(Clone, Copy, Default)]
struct GroupSlot {
    /// Number of the group, counted from 1; 0 for a free slot.
    number: u32,
    /// Lower half of the hash.
    tag: u32,
}

impl Slot for GroupSlot {
    const MIN_SLOTS: usize = 64;
    const MAX_QUARTERS: usize = 3;

    fn is_free(&self) -> bool {
        self.number == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn groups_list_their_items() {
        let groups = EqualGroups::new(3, vec![0, EqualGroups::NONE, 1, 0, 2, 1, 0]);
        assert_eq!((groups.len(), groups.items(), groups.is_empty()), (3, 7, false));
        let members: Vec<&[u32]> = (0..3).map(|group| groups.members(group)).collect();
        assert_eq!(members, [&[0, 3, 6][..], &[2, 5], &[4]]);
        assert_eq!((groups.first(1), groups.last(1)), (2, 5));
        assert_eq!((groups.group_of(1), groups.group_of(5)), (None, Some(1)));
        assert_eq!(EqualGroups::default().len(), 0);
    }

    proptest! {
        #[test]
        fn added_groups_are_found_as_if_grouped_at_once(
            items in prop::collection::vec((0..9u64, 0..3u8), 0..100),
        ) {
            let are_equal = |one: usize, other: usize| items[one] == items[other];
            let hash_if = |kind: u8| move |item: &(u64, u8)| (item.1 == kind).then_some(item.0 << 60);
            let some = EqualGroups::find(items.len(), |item| hash_if(0)(&items[item]), are_equal);
            let others: Vec<u32> = (0..items.len() as u32).filter(|item| items[*item as usize].1 > 0).collect();
            let other = |at: usize| others[at] as usize;
            let added = EqualGroups::find(others.len(), |at| hash_if(1)(&items[other(at)]), |one, two| are_equal(other(one), other(two)));
            let hash = |item: usize| (items[item].1 < 2).then_some(items[item].0 << 60);
            let expected = EqualGroups::find(items.len(), hash, are_equal);
            prop_assert_eq!(some.with_groups_of(&others, &added), expected);
        }

        #[test]
        fn groups_hold_equal_items_in_order_of_the_first(
            items in prop::collection::vec((0..9u64, any::<bool>()), 0..200), hashes in 1..9u64,
        ) {
            // Different items share hashes.
            let hash = |item: usize| items[item].1.then(|| (items[item].0 % hashes) << 60);
            let groups = EqualGroups::find(items.len(), hash, |one, other| items[one].0 == items[other].0);
            let mut expected: Vec<Vec<u32>> = Vec::new();
            for (number, item) in items.iter().enumerate().filter(|(_, item)| item.1) {
                let is_same = |group: &&mut Vec<u32>| items[group[0] as usize].0 == item.0;
                match expected.iter_mut().find(is_same) {
                    Some(group) => group.push(number as u32),
                    None => expected.push(vec![number as u32]),
                }
            }
            let found: Vec<Vec<u32>> = (0..groups.len()).map(|group| groups.members(group).to_vec()).collect();
            prop_assert_eq!(groups.grouped_items(), expected.concat().len());
            prop_assert_eq!(found, expected);
        }
    }
}
