//! Who is compared with whom.

use crate::search::EqualGroups;

/// EqualGroups of vectors in the order in which a join takes them. Some are indexed, and some ask which of the indexed ones before them they are similar to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::search) struct Sides {
    /// The groups: first those that are indexed, then those that only ask.
    groups: Vec<u32>,
    indexed: usize,
    /// EqualGroups from this place on ask.
    first_asking: usize,
}

impl Sides {
    /// All pairs of groups in which at least one is `asked`. Those are indexed, however few or many they are: their pairs with the others are found by asking
    /// for each of the others, which costs little where little is indexed.
    pub(in crate::search) fn asked(groups: &EqualGroups, is_asked: impl Fn(usize) -> bool) -> Self {
        let (asked, others) = partition(0..groups.len(), is_asked);
        Sides { indexed: asked.len(), first_asking: 0, groups: [asked, others].concat() }
    }

    /// All pairs of one of the `left` and one of the `right`; no group is on both sides.
    pub(in crate::search) fn between(left: Vec<u32>, right: Vec<u32>) -> Self {
        Sides { indexed: left.len(), first_asking: left.len(), groups: [left, right].concat() }
    }

    /// How many groups take part.
    pub(super) fn len(&self) -> usize {
        self.groups.len()
    }

    /// How many of them are indexed: the first ones.
    pub(super) fn indexed(&self) -> usize {
        self.indexed
    }

    /// The places of those that ask; none where nothing is indexed.
    pub(super) fn asking(&self) -> std::ops::Range<usize> {
        let end = if self.indexed == 0 { self.first_asking } else { self.len() };
        self.first_asking..end
    }

    /// The vectors that stand for the groups, by place.
    pub(super) fn first_rows(&self, groups: &EqualGroups) -> Vec<u32> {
        self.groups.iter().map(|group| groups.first(*group as usize) as u32).collect()
    }
}

/// Numbers for which something holds, and the others.
pub(in crate::search) fn partition(
    numbers: std::ops::Range<usize>,
    holds: impl Fn(usize) -> bool,
) -> (Vec<u32>, Vec<u32>) {
    numbers.map(|number| number as u32).partition(|number| holds(*number as usize))
}
