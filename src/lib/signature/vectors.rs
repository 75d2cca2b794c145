//! The random vectors themselves, of either kind, for those who look at them instead of signing with them.

use super::{Hyperplanes, Levels, normal};
use crate::error::Result;
use crate::session::Session;

/// How random vectors are drawn; what `create_sigs` is told about them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RandomSource {
    /// Where they come from.
    pub seed: u64,
    /// How many there are: one a bit of a signature.
    pub bits: usize,
    /// What their components are.
    pub components: Components,
}

/// Distribution of the components of random hyperplanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Distribution {
    /// Standard normal numbers
    #[default]
    Gauss,
    /// -3, -1, 1 and 3: many times faster, less accurate for vectors of few terms, which are counted
    Levels,
}

/// What the components of random vectors are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Components {
    /// Normal numbers.
    Gauss {
        /// Draw a vector again until more than this share of its components is positive, and negative.
        below_zero_percent: Option<f64>,
    },
    /// −3, −1, 1 and 3.
    Levels,
}

impl RandomSource {
    /// The vectors over a vocabulary of `terms` terms: the ones that sign, component by component.
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

/// Random vectors, made again whenever they are needed.
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
    /// The number of vectors.
    pub fn bits(&self) -> usize {
        self.bits
    }

    /// The number of components of a vector.
    pub fn terms(&self) -> usize {
        self.terms
    }

    /// Component `term` of every vector, as whole numbers (so many of them are one: [`unit`](Self::unit)), into `row`, which has room for all. None is 0.
    pub fn row(&self, term: usize, row: &mut [i16]) {
        match &self.kind {
            Kind::Gauss(planes) => planes.row(term, row),
            Kind::Levels(levels) => {
                let drawn = levels.row(term as u32);
                row.iter_mut().zip(drawn).for_each(|(place, value)| *place = value.into());
            }
        }
    }

    /// What a component of 1 is as a whole number.
    pub fn unit(&self) -> f64 {
        match self.kind {
            Kind::Gauss(_) => normal::ONE,
            Kind::Levels(_) => 1.0,
        }
    }

    /// The values that a component can have, ascending, with their probabilities.
    pub fn distribution(&self) -> Vec<(i16, f64)> {
        match self.kind {
            Kind::Gauss(_) => normal::distribution(),
            Kind::Levels(_) => [-3, -1, 1, 3].into_iter().zip(LEVELS).collect(),
        }
    }

    /// How many draws were thrown away because they were not balanced.
    pub fn redraws(&self) -> u64 {
        match &self.kind {
            Kind::Gauss(planes) => planes.redraws(),
            Kind::Levels(_) => 0,
        }
    }
}

/// The probabilities of the four levels.
const LEVELS: [f64; 4] = [1.0 / 16.0, 7.0 / 16.0, 7.0 / 16.0, 1.0 / 16.0];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::cpu::Cpu;

    #[test]
    fn rows_are_those_that_sign() {
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
    fn distributions_are_symmetric_and_whole() {
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
