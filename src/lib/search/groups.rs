//! Items that are the same, told once.

/// Groups of equal items, in the order of their first ones; an item may be in none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EqualGroups {
    /// The items by group, those of a group ascending.
    members: Vec<u32>,
    /// Where each group starts; one more than groups.
    starts: Vec<usize>,
    /// For each item its group, or [`EqualGroups::NONE`].
    group_of: Vec<u32>,
}

impl EqualGroups {
    /// In the place of the group of an item that is in none.
    pub const NONE: u32 = u32::MAX;

    /// The groups that items are in: numbers below `groups`, given in the order in which groups first occur, or [`EqualGroups::NONE`].
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

    /// How many groups there are.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether there is no group.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many items there are, in groups or not.
    pub fn items(&self) -> usize {
        self.group_of.len()
    }

    /// The items of a group, ascending.
    pub fn members(&self, group: usize) -> &[u32] {
        &self.members[self.starts[group]..self.starts[group + 1]]
    }

    /// The item that stands for a group.
    pub fn first(&self, group: usize) -> usize {
        self.members[self.starts[group]] as usize
    }

    /// The item of a group with the highest number.
    pub fn last(&self, group: usize) -> usize {
        self.members[self.starts[group + 1] - 1] as usize
    }

    /// The group of an item.
    pub fn group_of(&self, item: usize) -> Option<usize> {
        let group = self.group_of[item];
        (group != Self::NONE).then_some(group as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
