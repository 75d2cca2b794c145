//! Whether two vectors may reach the threshold, told as early as possible.

use super::bound::REST_MARGIN;
use super::rows::Rows;
use crate::vector::sparse::{SparseRows, Weight};

/// One of the two vectors, walked from its rarest term on.
struct Walk<'a, W> {
    ranks: &'a [u32],
    weights: &'a [W],
    /// Terms that are left.
    left: usize,
    /// At least the square of the length of what is left.
    rest: f64,
}

impl<'a, W: Weight> Walk<'a, W> {
    fn new(rows: &'a Rows<impl SparseRows<Weight = W>>, row: usize) -> Self {
        let (ranks, weights) = rows.get(row);
        let rest = rows.norms[row] * rows.norms[row] * (1.0 + REST_MARGIN);
        Walk { ranks, weights, left: ranks.len(), rest }
    }

    fn current(&self) -> Option<(u32, f64)> {
        let at = self.left.checked_sub(1)?;
        Some((self.ranks[at], f64::from(self.weights[at].value())))
    }

    /// Goes on behind a term of this value, or stays.
    fn advance(&mut self, goes: bool, value: f64) {
        self.left -= usize::from(goes);
        self.rest -= if goes { value * value } else { 0.0 };
    }
}

/// Whether the cosine of two vectors may be `least` or more: walks both from their rarest terms on and stops as soon as what was found and
/// the product of what is left of the two stay below. SparseMatrix that are not similar differ in their rare terms and are left soon.
///
/// Which of the two goes on is as good as random: it is computed without a branch, which a processor would guess wrongly half of the time.
pub(super) fn may_reach(
    rows: &Rows<impl SparseRows>,
    left: usize,
    right: usize,
    least: f64,
) -> bool {
    let mut missing = least * rows.norms[left] * rows.norms[right];
    let (mut left, mut right) = (Walk::new(rows, left), Walk::new(rows, right));
    while let (Some((left_rank, l)), Some((right_rank, r))) = (left.current(), right.current()) {
        left.advance(left_rank >= right_rank, l);
        right.advance(right_rank >= left_rank, r);
        missing -= if left_rank == right_rank { l * r } else { 0.0 };
        let attainable = left.rest.max(0.0) * right.rest.max(0.0);
        if missing > 0.0 && missing * missing > attainable {
            return false;
        }
    }
    missing <= 0.0
}
