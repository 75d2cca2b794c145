//! Dot products of one vector with many others.

use super::rows::Rows;
use crate::vector::sparse::{SparseRows, Weight};

/// The components of one vector by rank, 0 elsewhere: a dot product needs one lookup per component of the other vector, where merging two
/// sorted lists needs a comparison, hard to predict, per component of both.
#[derive(Debug, Default)]
pub(super) struct DenseVector<W> {
    components: Vec<W>,
}

/// Independent sums: an addition need not wait for the one before.
const LANES: usize = 4;

impl<W: Weight> DenseVector<W> {
    /// Calls `work` with this set to a row. Memory: one component per term.
    pub(super) fn with<V: SparseRows<Weight = W>>(
        &mut self,
        rows: &Rows<V>,
        row: usize,
        work: impl FnOnce(&Self),
    ) {
        self.components.resize(rows.terms(), W::default());
        let (ranks, weights) = rows.get(row);
        for (rank, weight) in ranks.iter().zip(weights) {
            self.components[*rank as usize] = *weight;
        }
        work(self);
        ranks.iter().for_each(|rank| self.components[*rank as usize] = W::default());
    }

    /// Returns the dot product with a row, in no particular order of additions.
    #[inline]
    pub(super) fn dot(&self, (ranks, weights): (&[u32], &[W])) -> f64 {
        let product = |rank: u32, weight: W| self.components[rank as usize].product(weight);
        let (ranks, weights) = (ranks.chunks_exact(LANES), weights.chunks_exact(LANES));
        let rest = ranks.remainder().iter().zip(weights.remainder());
        let mut sums = [W::Sum::default(); LANES];
        for (lane, (rank, weight)) in rest.enumerate() {
            sums[lane] += product(*rank, *weight);
        }
        for (ranks, weights) in ranks.zip(weights) {
            for lane in 0..LANES {
                sums[lane] += product(ranks[lane], weights[lane]);
            }
        }
        sums.into_iter().map(W::total).sum()
    }
}
