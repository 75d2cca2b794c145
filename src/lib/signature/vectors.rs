//! Hyperplanes of either distribution, row by row, for analysis instead of signing.

use super::{Hyperplanes, Levels, normal};

/// Distribution of the components of random hyperplanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Distribution {
    /// Standard normal numbers
    #[default]
    Gauss,
    /// -3, -1, 1 and 3: many times faster; biased for vectors of few terms, which are counted, and for pairs that differ in one or two terms
    Levels,
}

/// Hyperplanes that sign, generated on demand.
pub enum RandomVectors {
    /// Hyperplanes with normal components.
    Gauss(Hyperplanes),
    /// Hyperplanes with small integer components, and the number of components of each.
    Levels(Levels, usize),
}

impl RandomVectors {
    /// Returns the number of hyperplanes.
    pub fn bits(&self) -> usize {
        match self {
            RandomVectors::Gauss(planes) => planes.bits(),
            RandomVectors::Levels(levels, _) => levels.bits(),
        }
    }

    /// Returns the number of components of a hyperplane.
    pub fn terms(&self) -> usize {
        match self {
            RandomVectors::Gauss(planes) => planes.terms(),
            RandomVectors::Levels(_, terms) => *terms,
        }
    }

    /// Writes component `term` of every hyperplane to `row`, in multiples of 1/[`unit`](Self::unit). None is 0.
    pub fn row(&self, term: usize, row: &mut [i16]) {
        match self {
            RandomVectors::Gauss(planes) => planes.row(term, row),
            RandomVectors::Levels(levels, _) => {
                let drawn = levels.row(term as u32);
                row.iter_mut().zip(drawn).for_each(|(place, value)| *place = value.into());
            }
        }
    }

    /// Returns the stored value of a component of 1.
    pub fn unit(&self) -> f64 {
        match self {
            RandomVectors::Gauss(_) => normal::ONE,
            RandomVectors::Levels(..) => 1.0,
        }
    }

    /// Returns the values of a component, ascending, with their probabilities.
    pub fn distribution(&self) -> Vec<(i16, f64)> {
        match self {
            RandomVectors::Gauss(_) => normal::distribution(),
            RandomVectors::Levels(..) => [-3, -1, 1, 3].into_iter().zip(LEVELS).collect(),
        }
    }

    /// Returns the number of discarded draws.
    pub fn redraws(&self) -> u64 {
        match self {
            RandomVectors::Gauss(planes) => planes.redraws(),
            RandomVectors::Levels(..) => 0,
        }
    }
}

/// Probabilities of the four levels.
const LEVELS: [f64; 4] = [1.0 / 16.0, 7.0 / 16.0, 7.0 / 16.0, 1.0 / 16.0];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::cpu::Cpu;

    #[test]
    fn distributions_are_symmetric_and_sum_to_one() {
        let gauss = RandomVectors::Gauss(Hyperplanes::new(1, 4, 1));
        let levels = RandomVectors::Levels(Levels::new(1, 4, 1, Cpu::best()), 1);
        for values in [gauss, levels].map(|vectors| vectors.distribution()) {
            assert!(values.is_sorted_by_key(|(value, _)| *value));
            assert_eq!(values.iter().map(|(_, share)| share).sum::<f64>(), 1.0);
            let mirrored = values.iter().rev().map(|(value, share)| (-value, *share));
            assert!(mirrored.eq(values.iter().copied()));
        }
    }
}
