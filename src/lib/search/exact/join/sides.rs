//! Indexed side and query side of the join.

use std::ops::Range;

use crate::search::EqualGroups;

/// Groups of vectors in the order of the join, and the part of the indexed ones that each queries.
///
/// Every query looks at indexed groups before it, so each pair is found from one side. The first groups query each other, the other indexed ones
/// only the first, and the rest all indexed groups.
pub(super) struct Sides {
    /// The representatives of the groups.
    pub vectors: Vec<u32>,
    /// The number of groups that query each other.
    mutual: usize,
    /// The number of indexed groups, the mutual ones first.
    pub indexed: usize,
}

impl Sides {
    /// Orders groups for the pairs of vectors of which the higher is at least `from`: groups with such a vector are indexed, all groups query them.
    pub fn new(groups: &EqualGroups, from: usize) -> Self {
        let is_new = |group: &usize| groups.last(*group) >= from;
        let (new, old): (Vec<usize>, Vec<usize>) = (0..groups.len()).partition(is_new);
        Sides {
            vectors: firsts(groups, new.iter().chain(&old)),
            mutual: new.len(),
            indexed: new.len(),
        }
    }

    /// Returns the groups from the first of `own` on, for the pairs of its groups with each other and with later ones.
    pub fn of_groups(groups: &EqualGroups, own: Range<usize>) -> Self {
        let numbers: Vec<usize> = (own.start..groups.len()).collect();
        Sides { vectors: firsts(groups, numbers.iter()), mutual: own.len(), indexed: own.len() }
    }

    /// Orders groups for the pairs of a vector before `from` and one from it on. Groups of one side are compared with those of the other and with
    /// groups that have vectors of both.
    pub fn bipartite(groups: &EqualGroups, from: usize) -> Self {
        let is_new = |group: &usize| groups.last(*group) >= from;
        let is_mixed = |group: &usize| groups.first(*group) < from;
        let (new, old): (Vec<usize>, Vec<usize>) = (0..groups.len()).partition(is_new);
        let (mixed, new): (Vec<usize>, Vec<usize>) = new.into_iter().partition(is_mixed);
        Sides {
            vectors: firsts(groups, mixed.iter().chain(&new).chain(&old)),
            mutual: mixed.len(),
            indexed: mixed.len() + new.len(),
        }
    }

    /// Returns the numbers of the groups that query others.
    pub fn queries(&self) -> Range<usize> {
        match (self.indexed, self.mutual) {
            (0, _) => 0..0,
            (_, 0) => self.indexed..self.vectors.len(),
            _ => 0..self.vectors.len(),
        }
    }

    /// Returns the end of the groups that a group queries.
    pub fn end_of(&self, number: usize) -> usize {
        if number < self.indexed { number.min(self.mutual) } else { self.indexed }
    }
}

fn firsts<'a>(groups: &EqualGroups, numbers: impl Iterator<Item = &'a usize>) -> Vec<u32> {
    numbers.map(|group| groups.first(*group) as u32).collect()
}
