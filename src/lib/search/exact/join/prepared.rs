//! Vectors prepared for comparison, by any search method.

use rayon::prelude::*;

use super::rows::Rows;
use super::sides::JoinSides;
use super::{Join, verify};
use crate::search::exact::measure::min_bound;
use crate::search::pairs::concatenate;
use crate::search::{EqualGroups, Pair};
use crate::session::Session;
use crate::vector::sparse::SparseRows;

/// Vectors with terms ordered by frequency, their norms, and groups of those that are equal in every bit.
pub struct Prepared<V> {
    rows: Rows<V>,
    groups: EqualGroups,
}

/// Pairs per task.
const PAIRS_PER_TASK: usize = 1 << 14;

/// Distance in pairs at which rows are prefetched.
const PREFETCH_DISTANCE: usize = 2;

impl<V: SparseRows> Prepared<V> {
    /// Prepares vectors: one pass over all components, and another if the indexes do not run from frequent to rare terms. Memory: 24 bytes per
    /// vector besides them.
    pub fn new(vectors: V, session: &Session) -> Self {
        session.phase("ordering terms", None);
        let rows = Rows::new(vectors);
        let groups = rows.groups();
        Prepared { rows, groups }
    }

    /// Returns the number of vectors.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the groups of equal vectors; a vector without direction is in none.
    pub fn groups(&self) -> &EqualGroups {
        &self.groups
    }

    /// Returns the groups and drops the vectors.
    pub fn into_groups(self) -> EqualGroups {
        self.groups
    }

    /// Returns the cosine of two vectors with directions in percent, rounded to a millionth.
    pub fn similarity(&self, left: usize, right: usize) -> f64 {
        self.rows.cosine(left, right)
    }

    /// Returns the similarity of two vectors if it reaches a threshold. A few of their rarest terms rule out most that do not.
    fn similarity_from(&self, left: usize, right: usize, threshold: f64) -> Option<f64> {
        if !verify::may_reach(&self.rows, left, right, min_bound(threshold)) {
            return None;
        }
        Some(self.similarity(left, right)).filter(|similarity| *similarity >= threshold)
    }

    /// Returns those of `count` pairs of vectors, the lower number first, whose similarity in percent reaches a threshold, in the same order. A
    /// vector without direction is in no pair. Time is proportional to the pairs, memory to the pairs found.
    pub fn verified(
        &self,
        pairs: &(impl Fn(usize) -> (u32, u32) + Sync),
        count: usize,
        threshold: f64,
        session: &Session,
    ) -> Vec<Pair> {
        session.phase("verifying pairs", Some(count as u64));
        let tasks = (0..count.div_ceil(PAIRS_PER_TASK)).into_par_iter().map(|task| {
            let range = task * PAIRS_PER_TASK..((task + 1) * PAIRS_PER_TASK).min(count);
            session.advance(range.len() as u64);
            self.verified_range(pairs, range, threshold)
        });
        concatenate(tasks.collect())
    }

    fn verified_range(
        &self,
        pairs: &impl Fn(usize) -> (u32, u32),
        range: std::ops::Range<usize>,
        threshold: f64,
    ) -> Vec<Pair> {
        let mut found = Vec::new();
        for at in range.clone() {
            if at + PREFETCH_DISTANCE < range.end {
                let (low, high) = pairs(at + PREFETCH_DISTANCE);
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

    /// Returns the pairs of groups on these sides that reach a threshold in percent, which is above 0, as pairs of representatives, sorted.
    pub(in crate::search) fn pairs(
        &self,
        threshold: f64,
        sides: &JoinSides,
        session: &Session,
    ) -> Vec<Pair> {
        let vectors = sides.first_rows(&self.groups);
        Join::new(&self.rows, &vectors, sides, threshold, session).pairs(session)
    }
}
