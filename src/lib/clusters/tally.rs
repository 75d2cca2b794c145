//! Exact sums of similarities: the same in any order and grouping.

use super::{Cohesion, CohesionBasis};

/// Steps of a similarity in percent: cosines are rounded to a millionth of a percent.
const STEPS_PER_PERCENT: f64 = 1e6;
/// Similarity of exact duplicates in percent.
pub(super) const IDENTICAL: f64 = 100.0;

/// Count, sum and minimum of similarities, each rounded to a millionth of a percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SimilarityTally {
    smallest: u64,
    sum: u128,
    /// The number of pairs.
    pub count: u64,
}

impl Default for SimilarityTally {
    fn default() -> Self {
        SimilarityTally { smallest: u64::MAX, sum: 0, count: 0 }
    }
}

impl SimilarityTally {
    /// Returns the tally of `count` pairs of which the smallest and the mean are known.
    pub fn of_cohesion(cohesion: &Cohesion, count: u64) -> Self {
        let mut tally = SimilarityTally::default();
        tally.add(cohesion.mean, count);
        SimilarityTally { smallest: tally.smallest.min(steps(cohesion.smallest)), ..tally }
    }

    /// Adds `count` pairs of one similarity.
    pub fn add(&mut self, similarity: f64, count: u64) {
        if count > 0 {
            let steps = steps(similarity);
            self.smallest = self.smallest.min(steps);
            self.sum += u128::from(steps) * u128::from(count);
            self.count += count;
        }
    }

    pub fn merge(self, other: SimilarityTally) -> SimilarityTally {
        SimilarityTally {
            smallest: self.smallest.min(other.smallest),
            sum: self.sum + other.sum,
            count: self.count + other.count,
        }
    }

    pub fn cohesion(self, basis: CohesionBasis) -> Cohesion {
        let smallest = self.smallest as f64 / STEPS_PER_PERCENT;
        let mean = self.sum as f64 / self.count as f64 / STEPS_PER_PERCENT;
        // Rounding must not move the mean below the smallest value or above 100.
        Cohesion { smallest, mean: mean.max(smallest).min(IDENTICAL), basis }
    }
}

fn steps(similarity: f64) -> u64 {
    (similarity * STEPS_PER_PERCENT).round() as u64
}
