//! Dot products of one vector with many others.

use super::rows::Rows;
use crate::bits::cpu::Cpu;
use crate::bits::lookup::LookupDot;
use crate::vector::sparse::{SparseRows, Weight};

/// The components of one vector by rank, 0 elsewhere.
#[derive(Debug, Default)]
pub(super) struct DenseVector<W> {
    components: Vec<W>,
}

impl<W: Weight> DenseVector<W> {
    /// Calls `work` with this set to a row. Memory: one component per term.
    pub(super) fn with<V: SparseRows<Weight = W>>(
        &mut self,
        rows: &Rows<V>,
        row: usize,
        work: impl FnOnce(&Self),
    ) {
        // Lookups need an element after the last.
        self.components.resize(rows.terms() + 1, W::default());
        let (ranks, weights) = rows.get(row);
        for (rank, weight) in ranks.iter().zip(weights) {
            self.components[*rank as usize] = *weight;
        }
        work(self);
        ranks.iter().for_each(|rank| self.components[*rank as usize] = W::default());
    }

    /// Returns the dot product with a row, in no particular order of additions.
    #[inline]
    pub(super) fn dot(&self, (ranks, weights): (&[u32], &[W]), cpu: Cpu) -> f64 {
        W::dot(LookupDot { table: &self.components, indexes: ranks, components: weights }, cpu)
    }
}
