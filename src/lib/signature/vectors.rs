//! Hyperplanes of either distribution, row by row, for analysis instead of signing.

use super::{Hyperplanes, Levels, normal};
use crate::error::Result;
use crate::session::Session;

/// Parameters of hyperplanes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RandomSource {
    /// Seed of the generator.
    pub seed: u64,
    /// Number of hyperplanes: one per bit of a signature.
    pub bits: usize,
    /// Distribution of the components.
    pub components: Components,
}

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

/// Distribution of the components with its parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Components {
    /// Standard normal numbers.
    Gauss {
        /// Redraw a hyperplane until more than this percentage of its components is positive, and of its components negative.
        below_zero_percent: Option<f64>,
    },
    /// −3, −1, 1 and 3.
    Levels,
}

impl RandomSource {
    /// Draws the hyperplanes over a vocabulary of `terms` terms: those that sign.
    pub fn draw(&self, terms: usize, session: &Session) -> Result<RandomVectors> {
        let kind = match self.components {
            Components::Gauss { below_zero_percent: Some(percent) } => {
                Kind::Gauss(Hyperplanes::balanced(self.seed, self.bits, terms, percent)?)
            }
            Components::Gauss { below_zero_percent: None } => {
                Kind::Gauss(Hyperplanes::new(self.seed, self.bits, terms))
            }
            Components::Levels => {
                Kind::Levels(Levels::new(self.seed, self.bits, terms, session.cpu()))
            }
        };
        Ok(RandomVectors { kind, bits: self.bits, terms })
    }
}

/// Hyperplanes, generated on demand.
pub struct RandomVectors {
    kind: Kind,
    bits: usize,
    terms: usize,
}

enum Kind {
    Gauss(Hyperplanes),
    Levels(Levels),
}

impl RandomVectors {
    /// Returns the number of hyperplanes.
    pub fn bits(&self) -> usize {
        self.bits
    }

    /// Returns the number of components of a hyperplane.
    pub fn terms(&self) -> usize {
        self.terms
    }

    /// Writes component `term` of every hyperplane to `row`, in multiples of 1/[`unit`](Self::unit). None is 0.
    pub fn row(&self, term: usize, row: &mut [i16]) {
        match &self.kind {
            Kind::Gauss(planes) => planes.row(term, row),
            Kind::Levels(levels) => {
                let drawn = levels.row(term as u32);
                row.iter_mut().zip(drawn).for_each(|(place, value)| *place = value.into());
            }
        }
    }

    /// Returns the stored value of a component of 1.
    pub fn unit(&self) -> f64 {
        match self.kind {
            Kind::Gauss(_) => normal::ONE,
            Kind::Levels(_) => 1.0,
        }
    }

    /// Returns the values of a component, ascending, with their probabilities.
    pub fn distribution(&self) -> Vec<(i16, f64)> {
        match self.kind {
            Kind::Gauss(_) => normal::distribution(),
            Kind::Levels(_) => [-3, -1, 1, 3].into_iter().zip(LEVELS).collect(),
        }
    }

    /// Returns the number of discarded draws.
    pub fn redraws(&self) -> u64 {
        match &self.kind {
            Kind::Gauss(planes) => planes.redraws(),
            Kind::Levels(_) => 0,
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
    fn rows_match_those_that_sign() {
        let gauss = Components::Gauss { below_zero_percent: None };
        let mut row = [0; 8];
        let source = RandomSource { seed: 3, bits: 8, components: gauss };
        source.draw(5, &Session::silent()).unwrap().row(4, &mut row);
        let mut expected = [0; 8];
        Hyperplanes::new(3, 8, 5).row(4, &mut expected);
        assert_eq!(row, expected);
        let source = RandomSource { components: Components::Levels, ..source };
        source.draw(5, &Session::silent()).unwrap().row(4, &mut row);
        assert_eq!(
            row.to_vec(),
            Levels::new(3, 8, 5, Cpu::best())
                .row(4)
                .iter()
                .map(|v| i16::from(*v))
                .collect::<Vec<_>>()
        );
    }

    #[test]
    fn distributions_are_symmetric_and_sum_to_one() {
        for components in [Components::Gauss { below_zero_percent: None }, Components::Levels] {
            let source = RandomSource { seed: 1, bits: 4, components };
            let values = source.draw(1, &Session::silent()).unwrap().distribution();
            assert!(values.is_sorted_by_key(|(value, _)| *value));
            assert_eq!(values.iter().map(|(_, share)| share).sum::<f64>(), 1.0);
            let mirrored: Vec<_> =
                values.iter().rev().map(|(value, share)| (-value, *share)).collect();
            assert_eq!(values, mirrored);
        }
    }
}
