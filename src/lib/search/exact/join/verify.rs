//! Early termination: an upper bound on the cosine of two vectors that shrinks term by term.

use super::bound::SUFFIX_MARGIN;
use super::rows::Rows;
use crate::vector::sparse::{SparseRows, Weight};

/// Cursor over a vector from its rarest term on.
struct Cursor<'a, W> {
    ranks: &'a [u32],
    weights: &'a [W],
    /// Number of remaining terms.
    remaining: usize,
    /// Upper bound on the squared norm of the remaining components.
    squared_suffix: f64,
}

impl<'a, W: Weight> Cursor<'a, W> {
    fn new(rows: &'a Rows<impl SparseRows<Weight = W>>, row: usize) -> Self {
        let (ranks, weights) = rows.get(row);
        let squared_suffix = rows.norms[row] * rows.norms[row] * (1.0 + SUFFIX_MARGIN);
        Cursor { ranks, weights, remaining: ranks.len(), squared_suffix }
    }

    fn current(&self) -> Option<(u32, f64)> {
        let at = self.remaining.checked_sub(1)?;
        Some((self.ranks[at], f64::from(self.weights[at].value())))
    }

    /// Steps past a term of this value if `steps`.
    fn advance(&mut self, steps: bool, value: f64) {
        self.remaining -= usize::from(steps);
        self.squared_suffix -= if steps { value * value } else { 0.0 };
    }
}

/// Returns whether the cosine of two vectors may be at least `min`. Both are read from their rarest terms on, until the products so far plus the
/// product of the suffix norms stay below. Dissimilar vectors differ in their rare terms and are ruled out soon.
///
/// Which cursor advances is as good as random; it is computed without a branch, which would be mispredicted half of the time.
pub(super) fn may_reach(rows: &Rows<impl SparseRows>, left: usize, right: usize, min: f64) -> bool {
    let mut missing = min * rows.norms[left] * rows.norms[right];
    let (mut left, mut right) = (Cursor::new(rows, left), Cursor::new(rows, right));
    while let (Some((left_rank, l)), Some((right_rank, r))) = (left.current(), right.current()) {
        left.advance(left_rank >= right_rank, l);
        right.advance(right_rank >= left_rank, r);
        missing -= if left_rank == right_rank { l * r } else { 0.0 };
        let attainable = left.squared_suffix.max(0.0) * right.squared_suffix.max(0.0);
        if missing > 0.0 && missing * missing > attainable {
            return false;
        }
    }
    missing <= 0.0
}
