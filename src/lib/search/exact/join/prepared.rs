//! Vectors prepared for comparison.

use super::bound::Prefix;
use super::rows::Rows;
use super::sides::Sides;
use super::{Join, JoinCounts, min_bound};
use crate::search::{EqualGroups, GroupedPairs, UnionFind};
use crate::session::Session;
use crate::shard::Shard;
use crate::vector::sparse::SparseRows;

/// Vectors with terms ordered by frequency, their norms, and groups of those that are equal in every bit.
pub struct Prepared<V> {
    rows: Rows<V>,
    groups: EqualGroups,
}

impl<V: SparseRows> Prepared<V> {
    /// Prepares vectors: one pass over all components, and another if the indexes do not run from frequent to rare terms. Memory: 24 bytes per
    /// vector besides them.
    pub fn new(vectors: V, session: &Session) -> Self {
        session.phase("ordering terms", None);
        let rows = Rows::new(vectors);
        let groups = rows.groups();
        Prepared { rows, groups }
    }

    /// Returns the number of components of all vectors.
    pub fn components(&self) -> usize {
        (0..self.rows.len()).map(|row| self.rows.get(row).0.len()).sum()
    }

    /// Returns the cosine of two vectors with directions in percent, rounded to a millionth.
    pub fn similarity(&self, left: usize, right: usize) -> f64 {
        self.rows.cosine(left, right)
    }

    /// Returns the pairs of vectors, the higher at least `from`, whose rounded cosine in percent reaches `threshold`, which is above 0. A vector
    /// without direction is in no pair. The vectors have fewer than 2³² components in total.
    pub fn pairs(&self, threshold: f64, from: usize, session: &Session) -> GroupedPairs {
        self.search(threshold, from, false, session).0
    }

    /// Returns those of the [`Self::pairs`], from 0 on, that belong to a shard: the pairs within its groups of equal vectors, and with later groups.
    /// Groups are consecutive, with about the same number of common prefix terms per shard.
    pub fn pairs_of_shard(&self, threshold: f64, shard: Shard, session: &Session) -> GroupedPairs {
        if threshold > 100.0 {
            return GroupedPairs::default();
        }
        let own = shard.of_weights(&self.work(threshold));
        let sides = Sides::of_groups(&self.groups, own.clone());
        let (pairs, _) = Join::new(&self.rows, &sides, threshold, session).pairs(session);
        GroupedPairs::new(self.groups.clone(), pairs, 0).within(own)
    }

    /// Returns the work of each group: its prefix terms, and those of later groups that are among them.
    fn work(&self, threshold: f64) -> Vec<u64> {
        let (min, shared) = (min_bound(threshold), self.rows.shared_terms());
        let mut later = vec![0u64; shared as usize];
        let mut work = vec![0; self.groups.len()];
        for (group, work) in work.iter_mut().enumerate().rev() {
            let prefix = Prefix::new(&self.rows, self.groups.first(group), min);
            for term in prefix.filter(|term| term.rank < shared) {
                let later = &mut later[term.rank as usize];
                *work += 1 + *later;
                *later += 1;
            }
        }
        work
    }

    /// Returns the [`Self::pairs`] of a vector before `from` and one from it on. Vectors of one side are not compared.
    pub fn bipartite_pairs(&self, threshold: f64, from: usize, session: &Session) -> GroupedPairs {
        if threshold > 100.0 {
            return Default::default();
        }
        let sides = Sides::bipartite(&self.groups, from);
        let (pairs, _) = Join::new(&self.rows, &sides, threshold, session).pairs(session);
        GroupedPairs::bipartite(self.groups.clone(), pairs, from)
    }

    /// Returns some of the [`Self::pairs`], which connect the same vectors; which ones depends on timing. Takes less time and memory: vectors that
    /// are already connected are not compared.
    pub fn forest(&self, threshold: f64, from: usize, session: &Session) -> GroupedPairs {
        self.search(threshold, from, true, session).0
    }

    /// Returns the work of finding all pairs, and their number, equal vectors included.
    pub fn counts(&self, threshold: f64, session: &Session) -> JoinCounts {
        let (pairs, counts) = self.search(threshold, 0, false, session);
        JoinCounts { pairs: pairs.count(), ..counts }
    }

    /// Finds the pairs of groups of which at least one has a vector from `from` on, by their representatives. Those groups are indexed and come
    /// first; all groups query them.
    fn search(
        &self,
        threshold: f64,
        from: usize,
        is_forest: bool,
        session: &Session,
    ) -> (GroupedPairs, JoinCounts) {
        // Not even equal vectors reach more than 100 percent.
        if threshold > 100.0 {
            return Default::default();
        }
        let sides = Sides::new(&self.groups, from);
        let mut join = Join::new(&self.rows, &sides, threshold, session);
        join.sets = is_forest.then(|| UnionFind::new(self.rows.len()));
        let (pairs, counts) = join.pairs(session);
        (GroupedPairs::new(self.groups.clone(), pairs, from), counts)
    }
}
