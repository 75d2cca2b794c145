//! Vectors of documents as they were gathered.

use super::SLAB;
use crate::vector::sparse::{SparseRows, renumber};

/// The vectors of documents, one a row: indexes, and weights in steps of 1/1024 (see [`word_weight`](crate::vector::word_weight)). Memory: 6 bytes a component and 16
/// a row. Rows stand where they were put when their documents were read, and not in their order.
#[derive(Debug, Clone, Default)]
pub struct WordVectors {
    pub(super) slabs: Vec<Slab>,
    /// Where each row stands.
    pub(super) places: Vec<Place>,
    pub(super) cols: usize,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub slab: u32,
    pub length: u32,
    pub start: usize,
}

/// Some rows, one after the other, in memory that is taken in large pieces and never moved.
#[derive(Debug, Clone)]
pub(super) struct Slab {
    pub indexes: Vec<u32>,
    pub weights: Vec<u16>,
    /// Where rows begin, and where the last one ends.
    pub ends: Vec<usize>,
}

impl Slab {
    /// For at least so many components, and more if there are any.
    pub fn with_room_for(components: usize) -> Self {
        let room = if components == 0 { 0 } else { components.max(SLAB) };
        let (indexes, weights) = (Vec::with_capacity(room), Vec::with_capacity(room));
        Slab { indexes, weights, ends: vec![0] }
    }

    pub fn has_room_for(&self, components: usize) -> bool {
        self.indexes.capacity() - self.indexes.len() >= components
    }

    pub fn renumber(&mut self, new: &[u32]) {
        renumber(&self.ends, &mut self.indexes, &mut self.weights, new);
    }
}

impl WordVectors {
    /// Rows one after the other, of which the first ends at the first of `ends`, and so on. `None` if they do not fit, or if a row's indexes do not
    /// ascend or are not below `cols`.
    pub fn new(cols: usize, ends: &[u64], indexes: Vec<u32>, weights: Vec<u16>) -> Option<Self> {
        let all: Vec<usize> = std::iter::once(0).chain(ends.iter().map(|e| *e as usize)).collect();
        let fits = all.is_sorted() && all[all.len() - 1] == indexes.len();
        if !fits || indexes.len() != weights.len() {
            return None;
        }
        let place = |row: &[usize]| {
            let length = u32::try_from(row[1] - row[0]).ok()?;
            let indexes = &indexes[row[0]..row[1]];
            let is_right = indexes.is_sorted_by(|a, b| a < b)
                && indexes.last().is_none_or(|last| (*last as usize) < cols);
            is_right.then_some(Place { slab: 0, length, start: row[0] })
        };
        let places = all.windows(2).map(place).collect::<Option<_>>()?;
        Some(WordVectors { slabs: vec![Slab { indexes, weights, ends: all }], places, cols })
    }

    /// How many components there are.
    pub fn components(&self) -> usize {
        self.slabs.iter().map(|slab| slab.indexes.len()).sum()
    }

    /// These rows and then others; indexes are not changed, and all below `cols`.
    pub(super) fn followed_by(mut self, other: Self, cols: usize) -> Self {
        let before = self.slabs.len() as u32;
        let moved = |place: Place| Place { slab: before + place.slab, ..place };
        self.slabs.extend(other.slabs);
        self.places.extend(other.places.into_iter().map(moved));
        WordVectors { cols, ..self }
    }
}

impl SparseRows for WordVectors {
    type Weight = u16;

    fn rows(&self) -> usize {
        self.places.len()
    }

    fn cols(&self) -> usize {
        self.cols
    }

    #[inline]
    fn row(&self, number: usize) -> (&[u32], &[u16]) {
        let Place { slab, length, start } = self.places[number];
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
    fn what_does_not_fit_is_refused() {
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
