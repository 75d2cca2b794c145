//! Dot products of one vector with many others.

use super::rows::Rows;
use crate::vector::sparse::{SparseRows, Weight};

/// The components of one vector by rank, 0 elsewhere: a dot product needs one lookup per component of the other vector, where merging two
/// sorted lists needs a comparison, hard to predict, per component of both.
#[derive(Debug, Default)]
pub(super) struct DenseVector {
    components: Vec<f32>,
}

/// Independent sums: an addition need not wait for the one before.
const LANES: usize = 4;

impl DenseVector {
    /// Calls `work` with this set to a row. Memory: 4 bytes per term.
    pub(super) fn with<V: SparseRows>(
        &mut self,
        rows: &Rows<V>,
        row: usize,
        work: impl FnOnce(&Self),
    ) {
        self.components.resize(rows.terms(), 0.0);
        let (ranks, weights) = rows.get(row);
        for (rank, weight) in ranks.iter().zip(weights) {
            self.components[*rank as usize] = weight.value();
        }
        work(self);
        ranks.iter().for_each(|rank| self.components[*rank as usize] = 0.0);
    }

    /// Returns the dot product with a row, in no particular order of additions.
    #[inline]
    pub(super) fn dot<W: Weight>(&self, (ranks, weights): (&[u32], &[W])) -> f64 {
        let product = |rank: u32, weight: W| {
            f64::from(self.components[rank as usize]) * f64::from(weight.value())
        };
        let (ranks, weights) = (ranks.chunks_exact(LANES), weights.chunks_exact(LANES));
        let rest = ranks.remainder().iter().zip(weights.remainder());
        let rest: f64 = rest.map(|(rank, weight)| product(*rank, *weight)).sum();
        let mut sums = [0.0; LANES];
        for (ranks, weights) in ranks.zip(weights) {
            for lane in 0..LANES {
                sums[lane] += product(ranks[lane], weights[lane]);
            }
        }
        sums.iter().sum::<f64>() + rest
    }
}
