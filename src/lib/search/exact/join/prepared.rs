//! SparseMatrix that are ready to be compared, however pairs of them are found.

use rayon::prelude::*;

use super::groups::grouped;
use super::rows::Rows;
use super::sides::Sides;
use super::{Join, verify};
use crate::search::exact::measure::SLACK;
use crate::search::pairs::joined;
use crate::search::{EqualGroups, Pair};
use crate::session::Session;
use crate::vector::sparse::SparseRows;

/// SparseMatrix with their terms ordered by frequency, their lengths, and the groups of those that are the same in every bit.
pub struct Prepared<V> {
    rows: Rows<V>,
    groups: EqualGroups,
}

/// Pairs that one thread computes at a time.
const PAIRS_A_TASK: usize = 1 << 14;

/// SparseMatrix that are on their way from memory at a time.
const ROWS_AHEAD: usize = 2;

impl<V: SparseRows> Prepared<V> {
    /// Prepares vectors: a look at all components, and another one where the terms' indexes do not go from frequent to rare. Takes 24 bytes a vector beside them.
    pub fn new(vectors: V, session: &Session) -> Self {
        session.phase("ordering terms", None);
        let rows = Rows::new(vectors);
        let groups = grouped(&rows);
        Prepared { rows, groups }
    }

    /// How many vectors there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The groups of equal vectors; one without direction is in none.
    pub fn groups(&self) -> &EqualGroups {
        &self.groups
    }

    /// The groups alone; the vectors are let go.
    pub fn into_groups(self) -> EqualGroups {
        self.groups
    }

    /// The cosine of two vectors with directions, in per cent, rounded to a millionth.
    pub fn similarity(&self, left: usize, right: usize) -> f64 {
        self.rows.cosine(left, right)
    }

    /// The similarity of two vectors if it is at or above a threshold. Most that are not are told by a few of their rarest terms.
    fn similarity_from(&self, left: usize, right: usize, threshold: f64) -> Option<f64> {
        if !verify::may_reach(&self.rows, left, right, least(threshold)) {
            return None;
        }
        Some(self.similarity(left, right)).filter(|similarity| *similarity >= threshold)
    }

    /// Those of the given pairs of vectors, the lower one first, whose similarity in per cent is at or above a threshold, in the same order. SparseMatrix without
    /// direction are in no pair. Time is proportional to the pairs, memory to what is found.
    pub fn verified(
        &self,
        pairs: &(impl Fn(usize) -> (u32, u32) + Sync),
        count: usize,
        threshold: f64,
        session: &Session,
    ) -> Vec<Pair> {
        session.phase("verifying pairs", Some(count as u64));
        let tasks = (0..count.div_ceil(PAIRS_A_TASK)).into_par_iter().map(|task| {
            let range = task * PAIRS_A_TASK..((task + 1) * PAIRS_A_TASK).min(count);
            session.advance(range.len() as u64);
            self.verified_range(pairs, range, threshold)
        });
        joined(tasks.collect())
    }

    fn verified_range(
        &self,
        pairs: &impl Fn(usize) -> (u32, u32),
        range: std::ops::Range<usize>,
        threshold: f64,
    ) -> Vec<Pair> {
        let mut found = Vec::new();
        for at in range.clone() {
            if at + ROWS_AHEAD < range.end {
                let (low, high) = pairs(at + ROWS_AHEAD);
                self.rows.prefetch(low as usize);
                self.rows.prefetch(high as usize);
            }
            let (low, high) = pairs(at);
            let (left, right) = (low as usize, high as usize);
            if self.rows.norms[left] > 0.0 && self.rows.norms[right] > 0.0 {
                let similarity = self.similarity_from(left, right, threshold);
                found.extend(similarity.map(|similarity| Pair { low, high, similarity }));
            }
        }
        found
    }

    /// The pairs of groups on these sides at or above a threshold in per cent, which is above 0, each told by its first vectors, sorted.
    pub(in crate::search) fn pairs(
        &self,
        threshold: f64,
        sides: &Sides,
        session: &Session,
    ) -> Vec<Pair> {
        let vectors = sides.first_rows(&self.groups);
        Join::new(&self.rows, &vectors, sides, threshold, session).pairs(session)
    }
}

/// What a bound on the cosine must reach, for a threshold in per cent.
pub(super) fn least(threshold: f64) -> f64 {
    (threshold / 100.0 - SLACK).max(0.0)
}
