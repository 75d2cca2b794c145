//! Vectors that are the same in every bit are compared once.

use rustc_hash::FxHashMap;

use super::rows::Rows;
use crate::search::EqualGroups;
use crate::vector::sparse::SparseRows;

/// Groups the vectors of `rows`; those without direction are in no group.
pub(super) fn grouped(rows: &Rows<impl SparseRows>) -> EqualGroups {
    let mut first_with = FxHashMap::<u64, u32>::default();
    first_with.reserve(rows.len());
    let mut firsts: Vec<u32> = Vec::new();
    let mut group_of = vec![EqualGroups::NONE; rows.len()];
    for row in (0..rows.len()).filter(|row| rows.norms[*row] > 0.0) {
        let mut key = rows.fingerprints[row];
        group_of[row] = loop {
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
    }
    EqualGroups::new(firsts.len(), group_of)
}
