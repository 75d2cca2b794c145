//! Indexed side and query side of the join.

use crate::search::EqualGroups;

/// Groups of vectors in the order of the join. Each query is compared with the indexed groups before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::search) struct JoinSides {
    /// The groups: first the indexed ones, then those that are only queries.
    groups: Vec<u32>,
    indexed: usize,
    /// Position of the first query.
    first_query: usize,
}

impl JoinSides {
    /// Returns the sides for all pairs with at least one `wanted` group. The wanted groups are indexed, and all groups query them: a query costs
    /// little where little is indexed.
    pub(in crate::search) fn with_any(
        groups: &EqualGroups,
        is_wanted: impl Fn(usize) -> bool,
    ) -> Self {
        let (wanted, others) = partition(0..groups.len(), is_wanted);
        JoinSides { indexed: wanted.len(), first_query: 0, groups: [wanted, others].concat() }
    }

    /// Returns the sides for all pairs of a `left` and a `right` group; no group is in both.
    pub(in crate::search) fn between(left: Vec<u32>, right: Vec<u32>) -> Self {
        JoinSides { indexed: left.len(), first_query: left.len(), groups: [left, right].concat() }
    }

    /// Returns the number of groups.
    pub(super) fn len(&self) -> usize {
        self.groups.len()
    }

    /// Returns the number of indexed groups, which come first.
    pub(super) fn indexed(&self) -> usize {
        self.indexed
    }

    /// Returns the positions of the queries; none if nothing is indexed.
    pub(super) fn queries(&self) -> std::ops::Range<usize> {
        let end = if self.indexed == 0 { self.first_query } else { self.len() };
        self.first_query..end
    }

    /// Returns the representatives of the groups, by position.
    pub(super) fn first_rows(&self, groups: &EqualGroups) -> Vec<u32> {
        self.groups.iter().map(|group| groups.first(*group as usize) as u32).collect()
    }
}

/// Splits numbers by a predicate.
pub(in crate::search) fn partition(
    numbers: std::ops::Range<usize>,
    holds: impl Fn(usize) -> bool,
) -> (Vec<u32>, Vec<u32>) {
    numbers.map(|number| number as u32).partition(|number| holds(*number as usize))
}
