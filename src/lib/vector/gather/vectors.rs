//! Document vectors in the order of reading.

use super::SLAB_CAPACITY;
use crate::vector::sparse::{SparseRows, renumber};

/// Vectors of documents, one per row: indexes, and weights in steps of 1/1024 (see [`word_weight`](crate::vector::word_weight)). Memory: 6 bytes per
/// component and 16 per row. Rows are stored in the order of reading, and addressed in document order.
#[derive(Debug, Clone, Default)]
pub struct WordVectors {
    pub(super) slabs: Vec<RowSlab>,
    /// Location of each row.
    pub(super) ranges: Vec<RowRange>,
    pub(super) cols: usize,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct RowRange {
    pub slab: u32,
    pub length: u32,
    pub start: usize,
}

/// Consecutive rows in a large allocation that never moves.
#[derive(Debug, Clone)]
pub(super) struct RowSlab {
    pub indexes: Vec<u32>,
    pub weights: Vec<u16>,
    /// Start of each row, and the end of the last one.
    pub ends: Vec<usize>,
}

impl RowSlab {
    /// Creates a slab for at least this many components; an empty one for 0.
    pub fn with_capacity(components: usize) -> Self {
        let capacity = if components == 0 { 0 } else { components.max(SLAB_CAPACITY) };
        let (indexes, weights) = (Vec::with_capacity(capacity), Vec::with_capacity(capacity));
        RowSlab { indexes, weights, ends: vec![0] }
    }

    pub fn fits(&self, components: usize) -> bool {
        self.indexes.capacity() - self.indexes.len() >= components
    }

    pub fn renumber(&mut self, new: &[u32]) {
        renumber(&self.ends, &mut self.indexes, &mut self.weights, new);
    }
}

impl WordVectors {
    /// Creates vectors from consecutive rows that end at `ends`. Returns `None` if the lengths disagree, or if a row's indexes do not ascend or are
    /// not below `cols`.
    pub fn new(cols: usize, ends: &[u64], indexes: Vec<u32>, weights: Vec<u16>) -> Option<Self> {
        let all: Vec<usize> = std::iter::once(0).chain(ends.iter().map(|e| *e as usize)).collect();
        let fits = all.is_sorted() && all[all.len() - 1] == indexes.len();
        if !fits || indexes.len() != weights.len() {
            return None;
        }
        let range = |row: &[usize]| {
            let length = u32::try_from(row[1] - row[0]).ok()?;
            let indexes = &indexes[row[0]..row[1]];
            let is_right = indexes.is_sorted_by(|a, b| a < b)
                && indexes.last().is_none_or(|last| (*last as usize) < cols);
            is_right.then_some(RowRange { slab: 0, length, start: row[0] })
        };
        let ranges = all.windows(2).map(range).collect::<Option<_>>()?;
        Some(WordVectors { slabs: vec![RowSlab { indexes, weights, ends: all }], ranges, cols })
    }

    /// Returns the number of components.
    pub fn components(&self) -> usize {
        self.ranges.iter().map(|range| range.length as usize).sum()
    }

    /// Keeps the first rows only. The memory of the others stays in use.
    pub fn truncate(&mut self, rows: usize) {
        self.ranges.truncate(rows);
    }

    /// Appends the rows of `other`. All indexes are below `cols`, and stay.
    pub(super) fn followed_by(mut self, other: Self, cols: usize) -> Self {
        let before = self.slabs.len() as u32;
        let moved = |range: RowRange| RowRange { slab: before + range.slab, ..range };
        self.slabs.extend(other.slabs);
        self.ranges.extend(other.ranges.into_iter().map(moved));
        WordVectors { cols, ..self }
    }
}

impl SparseRows for WordVectors {
    type Weight = u16;

    fn rows(&self) -> usize {
        self.ranges.len()
    }

    fn cols(&self) -> usize {
        self.cols
    }

    #[inline]
    fn row(&self, number: usize) -> (&[u32], &[u16]) {
        let RowRange { slab, length, start } = self.ranges[number];
        let (slab, range) = (&self.slabs[slab as usize], start..start + length as usize);
        (&slab.indexes[range.clone()], &slab.weights[range])
    }

    fn renumber(&mut self, new: &[u32]) {
        self.slabs.iter_mut().for_each(|slab| slab.renumber(new));
    }
}

impl PartialEq for WordVectors {
    fn eq(&self, other: &Self) -> bool {
        let is_same = |row| self.row(row) == other.row(row);
        (self.rows(), self.cols) == (other.rows(), other.cols) && (0..self.rows()).all(is_same)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inconsistent_rows_are_refused() {
        let made = |cols, ends: &[u64], indexes: &[u32], weights: &[u16]| {
            WordVectors::new(cols, ends, indexes.to_vec(), weights.to_vec())
        };
        let right = made(5, &[0, 2, 3], &[1, 4, 0], &[7, 8, 9]).unwrap();
        assert_eq!((right.rows(), right.cols(), right.components()), (3, 5, 3));
        assert_eq!(right.row(1), (&[1, 4][..], &[7, 8][..]));
        assert!(made(4, &[0, 2, 3], &[1, 4, 0], &[7, 8, 9]).is_none(), "an index too large");
        assert!(made(5, &[0, 3, 3], &[1, 4, 0], &[7, 8, 9]).is_none(), "not ascending");
        assert!(made(5, &[0, 2, 2], &[1, 4, 0], &[7, 8, 9]).is_none(), "not all");
        assert!(made(5, &[2, 0, 3], &[1, 4, 0], &[7, 8, 9]).is_none(), "ends before it begins");
        assert!(made(5, &[0, 2, 3], &[1, 4, 0], &[7, 8]).is_none(), "a weight is missing");
        assert!(made(0, &[], &[], &[]).is_some());
    }
}
