//! Equal signatures, found without sorting and with few bytes a signature.

use crate::bits::probe_table::{ProbeTable, Slot};

/// Signatures by equality. Groups are numbered by their first signatures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Groups {
    /// The numbers of the signatures that were looked at, group by group, ascending in each.
    members: Vec<u32>,
    /// Where each group ends in the members.
    ends: Vec<u32>,
}

/// The group of a signature that does not count.
const NOBODY: u32 = u32::MAX;

/// A group's number plus 1; 0 if the slot is free.
#[derive(Debug, Clone, Copy, Default)]
struct GroupSlot(u32);

impl GroupSlot {
    fn group(self) -> Option<u32> {
        self.0.checked_sub(1)
    }
}

impl Slot for GroupSlot {
    const MIN_SLOTS: usize = 64;
    const MAX_QUARTERS: usize = 2;

    fn is_free(&self) -> bool {
        self.0 == 0
    }
}

impl Groups {
    /// Groups those of the signatures of `words` words each for which `is_counted` holds. There are fewer than 2^32 − 1 signatures. Takes time in proportion
    /// to their number and at most 24 bytes for each.
    pub fn new(signatures: &[u64], words: usize, is_counted: impl Fn(usize) -> bool) -> Self {
        let get = |number: u32| &signatures[number as usize * words..][..words];
        let count = signatures.len() / words;
        assert!(count < NOBODY as usize, "numbers of signatures fit 32 bits");
        let mut table = ProbeTable::with_capacity(count);
        // The first signature of each group, and for each signature its group.
        let mut firsts: Vec<u32> = Vec::new();
        let mut groups = vec![NOBODY; count];
        for number in (0..count as u32).filter(|number| is_counted(*number as usize)) {
            let hash_of = |first: u32| hash(get(first));
            let is_equal = |slot: &GroupSlot| {
                slot.group().is_some_and(|group| get(firsts[group as usize]) == get(number))
            };
            let group = match table.find(hash_of(number), is_equal) {
                Ok(slot) => table.slots()[slot].0 - 1,
                Err(free) => {
                    firsts.push(number);
                    let slot = GroupSlot(firsts.len() as u32);
                    table.insert(free, slot, |slot| hash_of(firsts[slot.0 as usize - 1]));
                    firsts.len() as u32 - 1
                }
            };
            groups[number as usize] = group;
        }
        drop(table);
        Self::collect(&groups, firsts.len())
    }

    /// Puts the members of each group together.
    fn collect(groups: &[u32], count: usize) -> Self {
        let mut ends = vec![0u32; count];
        let grouped = || groups.iter().enumerate().filter(|(_, group)| **group != NOBODY);
        grouped().for_each(|(_, group)| ends[*group as usize] += 1);
        let mut start = 0;
        for end in &mut ends {
            // For now where the group begins; filling moves it to where the group ends.
            (*end, start) = (start, start + *end);
        }
        let mut members = vec![0; start as usize];
        for (number, group) in grouped() {
            let at = &mut ends[*group as usize];
            members[*at as usize] = number as u32;
            *at += 1;
        }
        Groups { members, ends }
    }

    /// How many groups there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// How many signatures are in all groups.
    pub fn members(&self) -> usize {
        self.members.len()
    }

    /// The numbers of a group's signatures, ascending.
    pub fn get(&self, group: usize) -> &[u32] {
        let start = if group == 0 { 0 } else { self.ends[group - 1] as usize };
        &self.members[start..self.ends[group] as usize]
    }
}

/// Mixes all bits of a signature into a few.
fn hash(words: &[u64]) -> u64 {
    /// An odd number with its bits well spread: the golden ratio.
    const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
    let mixed =
        words.iter().fold(0u64, |hash, word| (hash.rotate_left(5) ^ word).wrapping_mul(SPREAD));
    // The low bits of a product know nothing of the high bits of its factors.
    mixed ^ mixed >> 32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn groups_hold_equal_signatures_in_the_order_of_the_first(
            signatures in prop::collection::vec((0..3u64, 0..3u64, any::<bool>()), 0..60),
        ) {
            let words: Vec<u64> = signatures.iter().flat_map(|(one, other, _)| [*one, other << 60]).collect();
            let groups = Groups::new(&words, 2, |number| signatures[number].2);
            let mut expected: Vec<Vec<u32>> = Vec::new();
            for (number, signature) in signatures.iter().enumerate().filter(|(_, s)| s.2) {
                let is_same = |group: &&mut Vec<u32>| signatures[group[0] as usize] == *signature;
                match expected.iter_mut().find(is_same) {
                    Some(group) => group.push(number as u32),
                    None => expected.push(vec![number as u32]),
                }
            }
            let found: Vec<Vec<u32>> = (0..groups.len()).map(|group| groups.get(group).to_vec()).collect();
            prop_assert_eq!(groups.members(), expected.concat().len());
            prop_assert_eq!(groups.is_empty(), expected.is_empty());
            prop_assert_eq!(found, expected);
        }
    }
}
