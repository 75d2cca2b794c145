//! The prefix of a vector: its rarest terms, each with its suffix norm.

use super::rows::Rows;
use crate::vector::sparse::{SparseRows, Weight};

/// Margin on a squared suffix norm, as a share of the squared norm, so that no suffix norm is too small.
///
/// A squared suffix norm is the squared norm minus the squares before. The squared norm is a sum of n squares with a relative error of at most
/// n·2⁻⁵³, and each of n subtractions is off by at most 2⁻⁵³ of it: together, with n < 2³², below 2·2³²·2⁻⁵³ = 9.6·10⁻⁷.
pub(super) const SUFFIX_MARGIN: f64 = 1e-6;

/// Iterator over the terms from the rarest on, while the norm of the term and all after it is at least the threshold. Two vectors that reach the
/// threshold share a prefix term, since later terms contribute at most the product of the two suffix norms.
pub(super) struct Prefix<'a, W> {
    ranks: std::iter::Rev<std::slice::Iter<'a, u32>>,
    weights: std::iter::Rev<std::slice::Iter<'a, W>>,
    scale: f64,
    squared_suffix: f64,
    squared_min: f64,
}

/// Term of a prefix, in a vector of norm one.
pub(super) struct PrefixTerm {
    pub(super) rank: u32,
    /// Absolute value of the component.
    pub(super) weight: f64,
    /// Upper bound on the norm of the components after it, up to the last of 32 bits.
    pub(super) suffix_norm: f64,
}

impl<'a, W: Weight> Prefix<'a, W> {
    /// Returns the prefix of a vector that has a direction, for a cosine of at least `min`.
    pub(super) fn new<V>(rows: &'a Rows<V>, row: usize, min: f64) -> Self
    where
        V: SparseRows<Weight = W>,
    {
        let (ranks, weights) = rows.get(row);
        Prefix {
            ranks: ranks.iter().rev(),
            weights: weights.iter().rev(),
            scale: 1.0 / rows.norms[row],
            squared_suffix: 1.0 + SUFFIX_MARGIN,
            squared_min: min * min,
        }
    }
}

/// Terms of two vectors that [`may_reach`] reads.
const MAX_MERGED_TERMS: usize = 48;

/// Returns whether two vectors may reach a cosine of `min`, by their rarest terms: cheaper than a dot product if they do not.
pub(super) fn may_reach<V: SparseRows>(
    rows: &Rows<V>,
    (left, right): (usize, usize),
    min: f64,
) -> bool {
    let [mut left, mut right] = [left, right].map(|row| Prefix::new(rows, row, 0.0));
    let (mut one, mut other) = (left.next(), right.next());
    let (mut sum, mut norms) = (0.0, (1.0, 1.0));
    for _ in 0..MAX_MERGED_TERMS {
        let (Some(left_term), Some(right_term)) = (&one, &other) else { break };
        let order = left_term.rank.cmp(&right_term.rank);
        if order.is_eq() {
            sum += left_term.weight * right_term.weight;
        }
        if order.is_ge() {
            norms.0 = left_term.suffix_norm;
            one = left.next();
        }
        if order.is_le() {
            norms.1 = right_term.suffix_norm;
            other = right.next();
        }
        if sum + norms.0 * norms.1 < min {
            return false;
        }
    }
    true
}

impl<W: Weight> Iterator for Prefix<'_, W> {
    type Item = PrefixTerm;

    #[inline]
    fn next(&mut self) -> Option<PrefixTerm> {
        if self.squared_suffix < self.squared_min {
            return None;
        }
        let rank = *self.ranks.next()?;
        let weight = f64::from(self.weights.next()?.value().abs()) * self.scale;
        self.squared_suffix -= weight * weight;
        // A root in 32 bits takes a third of the time.
        let suffix_norm = (self.squared_suffix as f32).max(0.0).sqrt();
        Some(PrefixTerm { rank, weight, suffix_norm: suffix_norm.into() })
    }
}
