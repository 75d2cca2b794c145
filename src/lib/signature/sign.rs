//! From a sparse vector to bits.

use std::ops::Range;

use rayon::prelude::*;

use super::{BITS_IN_WORD, Hyperplanes};

/// Some neighbouring random vectors in memory, laid out term by term: the components of one term stand together, because a
/// document needs just the rows of its terms.
pub struct Block<'a> {
    /// Which bits of the signature these vectors give.
    pub bits: Range<usize>,
    /// One row a term, each with one component a bit.
    pub rows: &'a [f32],
}

impl Block<'_> {
    fn row(&self, term: usize) -> &[f32] {
        let width = self.bits.len();
        &self.rows[term * width..(term + 1) * width]
    }

    /// All rows of the random vectors, made in parallel, or `None` if there is not so much memory.
    pub fn rows_of(planes: &Hyperplanes) -> Option<Vec<f32>> {
        let size = planes.terms().checked_mul(planes.bits())?;
        let mut rows = Vec::new();
        rows.try_reserve_exact(size).ok()?;
        rows.resize(size, 0.0);
        rows.par_chunks_mut(planes.bits())
            .enumerate()
            .for_each(|(term, row)| planes.row(term, row));
        Some(rows)
    }
}

/// Sets the block's bits in a signature (`words`, which are 0 there before): bit `j` is 1 where the dot product of
/// the vector and random vector `j` is at least 0. The sum runs over ascending indexes in 32-bit numbers, each component first multiplied by
/// `scale` in 64 bits; nothing about the machine, the threads or the blocks changes its order.
pub fn sign(block: &Block<'_>, indexes: &[u32], values: &[f32], scale: f64, words: &mut [u64]) {
    let mut sums = vec![0.0f32; block.bits.len()];
    for (index, value) in indexes.iter().zip(values) {
        let weight = (f64::from(*value) * scale) as f32;
        for (sum, component) in sums.iter_mut().zip(block.row(*index as usize)) {
            *sum += weight * component;
        }
    }
    for (bit, sum) in block.bits.clone().zip(sums) {
        let position = BITS_IN_WORD - 1 - bit % BITS_IN_WORD;
        words[bit / BITS_IN_WORD] |= u64::from(sum >= 0.0) << position;
    }
}
