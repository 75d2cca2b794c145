//! The rarest terms of a vector, and how much of it comes after each.

use super::rows::Rows;
use crate::vector::sparse::{SparseRows, Weight};

/// What is added to the square of a rest, as a share of the whole square, so that no rest comes out too short.
///
/// A rest is the whole minus what came before. The whole is a sum of n squares, within n·2⁻⁵³ of itself, and each of n subtractions is off by 2⁻⁵³ of the
/// whole at most: together, with n < 2³², below 2·2³²·2⁻⁵³ = 9.6·10⁻⁷.
pub(super) const REST_MARGIN: f64 = 1e-6;

/// The terms from the rarest on, for as long as that term and all after it are together at least as long as the threshold: two vectors as
/// similar as that have a term in common here, since what comes later gives at most the product of the two rests.
pub(super) struct Prefix<'a, W> {
    ranks: std::iter::Rev<std::slice::Iter<'a, u32>>,
    weights: std::iter::Rev<std::slice::Iter<'a, W>>,
    scale: f64,
    rest_squared: f64,
    least_squared: f64,
}

/// A term of a prefix in a vector of length one.
pub(super) struct Reach {
    pub(super) rank: u32,
    /// The size of the component.
    pub(super) weight: f64,
    /// At least the length of what comes after, but for the last of 32 bits.
    pub(super) rest: f64,
}

impl<'a, W: Weight> Prefix<'a, W> {
    /// The prefix of a vector that has a direction, for a cosine of at least `least`.
    pub(super) fn new<V>(rows: &'a Rows<V>, row: usize, least: f64) -> Self
    where
        V: SparseRows<Weight = W>,
    {
        let (ranks, weights) = rows.get(row);
        Prefix {
            ranks: ranks.iter().rev(),
            weights: weights.iter().rev(),
            scale: 1.0 / rows.norms[row],
            rest_squared: 1.0 + REST_MARGIN,
            least_squared: least * least,
        }
    }
}

impl<W: Weight> Iterator for Prefix<'_, W> {
    type Item = Reach;

    #[inline]
    fn next(&mut self) -> Option<Reach> {
        if self.rest_squared < self.least_squared {
            return None;
        }
        let rank = *self.ranks.next()?;
        let weight = f64::from(self.weights.next()?.value().abs()) * self.scale;
        self.rest_squared -= weight * weight;
        // A root of 32 bits takes a third of the time.
        let rest = (self.rest_squared as f32).max(0.0).sqrt();
        Some(Reach { rank, weight, rest: rest.into() })
    }
}
