//! From the sum over common terms to a similarity.

use crate::search::SimilarityMeasure;

impl SimilarityMeasure {
    /// Returns the factor of a component in the sum over common terms.
    pub(super) fn component(self, value: f32) -> f32 {
        if self == SimilarityMeasure::Cosine { value } else { 1.0 }
    }

    /// Returns a factor of the other vector's size; a smaller sum over common terms is below `threshold`, in percent. Saves a division
    /// per pair.
    pub(super) fn floor(self, threshold: f64, size: f64) -> f64 {
        match self {
            _ if threshold <= 0.0 => f64::NEG_INFINITY,
            SimilarityMeasure::Cosine => min_bound(threshold) * size,
            _ => f64::MIN_POSITIVE,
        }
    }

    /// Returns the similarity in percent, rounded to [`STEPS_PER_PERCENT`]. The number that is printed, compared with a threshold and read
    /// back is the same, whatever the last bits of the sum.
    pub(super) fn similarity(self, common: f64, size: f64, other_size: f64) -> f64 {
        let share = match self {
            SimilarityMeasure::Cosine => common / (size * other_size),
            SimilarityMeasure::Jaccard => common / (size + other_size - common),
            SimilarityMeasure::Dice => 2.0 * common / (size + other_size),
            SimilarityMeasure::Overlap => common / size.min(other_size),
        };
        // Adding 0 turns the negative zero into the ordinary one.
        (share * 100.0 * STEPS_PER_PERCENT).round() / STEPS_PER_PERCENT + 0.0
    }
}

/// Margin by which an upper bound on the cosine of a matching pair may fall below the threshold.
///
/// A pair matches if its computed cosine, rounded to 10⁻⁸, reaches the threshold; rounding adds at most 5·10⁻⁹. The computed cosine is a sum
/// of n products over two roots of sums of n squares. In 64 bits its error is at most n·2⁻⁵³ plus twice n/2·2⁻⁵³, because Σ|x||y| is at most
/// the product of the norms. Indexes have 32 bits, so n < 2³² and the total is below 10⁻⁶. A bound computed in 64 bits from the same values
/// is within another 10⁻⁶, a step in 32 bits within 2·10⁻⁷; values stored in fewer bits are rounded up. The sum is well below this margin,
/// and the margin is too small to admit a noticeable number of pairs.
const SLACK: f64 = 1e-5;

/// Returns the minimum of an upper bound on the cosine, for a threshold in percent.
pub(super) fn min_bound(threshold: f64) -> f64 {
    (threshold / 100.0 - SLACK).max(0.0)
}

/// Similarities are multiples of one millionth of a percent.
pub(super) const STEPS_PER_PERCENT: f64 = 1e6;
