//! Vectors that are the same in every bit are compared once.

use rustc_hash::FxHashMap;

use super::rows::Rows;

/// Groups of equal vectors, in the order of their first ones; those without direction are in none.
pub(super) struct Groups {
    /// The vectors by group, those of a group ascending.
    members: Vec<u32>,
    /// Where each group starts; one more than groups.
    starts: Vec<usize>,
}

impl Groups {
    /// Groups the vectors of `rows`.
    pub(super) fn new(rows: &Rows) -> Self {
        let mut first_with = FxHashMap::<u64, u32>::default();
        let mut firsts: Vec<u32> = Vec::new();
        let mut grouped: Vec<(u32, u32)> = Vec::new();
        for row in (0..rows.len()).filter(|row| rows.norms[*row] > 0.0) {
            let mut key = rows.fingerprints[row];
            let group = loop {
                match first_with.get(&key) {
                    Some(group) if rows.are_equal(firsts[*group as usize] as usize, row) => {
                        break *group;
                    }
                    // Different vectors with one fingerprint: the next is free or leads to the right one.
                    Some(_) => key = key.wrapping_add(1),
                    None => {
                        first_with.insert(key, firsts.len() as u32);
                        firsts.push(row as u32);
                        break firsts.len() as u32 - 1;
                    }
                }
            };
            grouped.push((group, row as u32));
        }
        Groups::from_sorted(firsts.len(), grouped)
    }

    fn from_sorted(groups: usize, mut grouped: Vec<(u32, u32)>) -> Self {
        grouped.sort_unstable();
        let mut starts = vec![0; groups + 1];
        grouped.iter().for_each(|(group, _)| starts[*group as usize + 1] += 1);
        for group in 0..groups {
            starts[group + 1] += starts[group];
        }
        Groups { members: grouped.into_iter().map(|(_, row)| row).collect(), starts }
    }

    /// How many groups there are.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The vectors of a group, ascending.
    pub(super) fn members(&self, group: usize) -> &[u32] {
        &self.members[self.starts[group]..self.starts[group + 1]]
    }

    /// The vector that stands for a group.
    pub(super) fn first(&self, group: usize) -> usize {
        self.members[self.starts[group]] as usize
    }
}
