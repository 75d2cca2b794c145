//! Disjoint sets that several threads may unite.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Disjoint sets: every member points to another of its set, the representative to itself.
///
/// Only the pointers are shared, and a member that is no representative never becomes one again, so relaxed operations suffice.
pub struct UnionFind {
    parents: Vec<AtomicU32>,
}

impl UnionFind {
    /// Creates singleton sets.
    pub fn new(members: usize) -> Self {
        assert!(u32::try_from(members).is_ok(), "numbers of members fit 32 bits");
        UnionFind { parents: (0..members as u32).map(AtomicU32::new).collect() }
    }

    /// Adds a singleton set.
    pub fn add(&mut self) {
        let member = u32::try_from(self.parents.len()).expect("numbers of members fit 32 bits");
        self.parents.push(AtomicU32::new(member));
    }

    fn parent(&self, member: u32) -> u32 {
        self.parents[member as usize].load(Relaxed)
    }

    /// Returns the representative of a member's set. Path halving makes the next search half as long.
    pub fn find(&self, member: u32) -> u32 {
        let mut at = member;
        loop {
            let parent = self.parent(at);
            let grandparent = self.parent(parent);
            if parent == grandparent {
                return parent;
            }
            self.parents[at as usize].store(grandparent, Relaxed);
            at = grandparent;
        }
    }

    /// Links the set of one representative to another. Not for sets that other threads unite.
    pub fn link(&self, representative: u32, parent: u32) {
        self.parents[representative as usize].store(parent, Relaxed);
    }

    /// Unites the sets of two members. Returns whether they were different.
    pub fn unite(&self, one: u32, other: u32) -> bool {
        loop {
            let (one, other) = (self.find(one), self.find(other));
            if one == other {
                return false;
            }
            // Links lead to lower numbers, so they never form a circle.
            let (low, high) = (one.min(other), one.max(other));
            if self.parents[high as usize].compare_exchange(high, low, Relaxed, Relaxed).is_ok() {
                return true;
            }
        }
    }

    /// Returns the representative of each member.
    pub fn representatives(self) -> Vec<u32> {
        (0..self.parents.len() as u32).map(|member| self.find(member)).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rayon::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn threads_unite_what_one_thread_unites(pairs in prop::collection::vec((0..200u32, 0..200u32), 0..400)) {
            let (sets, parallel) = (UnionFind::new(200), UnionFind::new(200));
            let united = pairs.iter().filter(|(one, other)| sets.unite(*one, *other)).count();
            let united_in_parallel = pairs.par_iter().filter(|(one, other)| parallel.unite(*one, *other)).count();
            prop_assert_eq!(united, united_in_parallel);
            prop_assert_eq!(sets.representatives(), parallel.representatives());
        }
    }
}
