//! The random vectors: components from N(0,1), drawn term by term.
//!
//! The component of vector `j` at term `t` is made ([`normal`]) of the `j`-th sixteen bits of the stream named by (seed, term `t`). So any
//! part of the matrix can be made alone, and a shorter signature is the beginning of a longer one.
//!
//! The thesis scales every random vector to length one. The sign of a dot product does not change when a vector is made longer
//! or shorter, so this is not carried out: the bits are the same.

use rand::Rng;
use rayon::prelude::*;

use super::normal;
use crate::error::{Error, Result};
use crate::random::{self, Purpose};

/// How often a vector is drawn again before its demand counts as one that cannot be met.
const MOST_ROUNDS: u64 = 1000;
/// Terms that one task of the balance count takes.
const TERMS_A_TASK: usize = 1024;

/// The random vectors of a signature, one a bit.
#[derive(Debug, Clone)]
pub struct Hyperplanes {
    seed: u64,
    terms: usize,
    /// In which round each vector was drawn; 0 unless it was drawn again.
    rounds: Vec<u64>,
    /// The rounds that occur, ascending.
    used_rounds: Vec<u64>,
}

impl Hyperplanes {
    /// The vectors for `bits` bits over a vocabulary of `terms` terms.
    pub fn new(seed: u64, bits: usize, terms: usize) -> Self {
        Hyperplanes { seed, terms, rounds: vec![0; bits], used_rounds: vec![0] }
    }

    /// As [`new`](Self::new), but a vector is drawn again until more than `percent` % of its components are positive and
    /// more than `percent` % negative.
    pub fn balanced(seed: u64, bits: usize, terms: usize, percent: f64) -> Result<Self> {
        let mut planes = Hyperplanes::new(seed, bits, terms);
        let mut pending: Vec<usize> = if terms == 0 { Vec::new() } else { (0..bits).collect() };
        for round in 0.. {
            let positives = planes.count_positives(round);
            let enough = |count: u64| count as f64 * 100.0 > percent * terms as f64;
            pending
                .retain(|bit| !(enough(positives[*bit]) && enough(terms as u64 - positives[*bit])));
            if pending.is_empty() {
                break;
            }
            if round == MOST_ROUNDS {
                return Err(Error::Message(format!(
                    "below_zero_percent {percent}: no such random vector of {terms} components in {MOST_ROUNDS} draws"
                )));
            }
            pending.iter().for_each(|bit| planes.rounds[*bit] = round + 1);
        }
        planes.used_rounds = planes.rounds.clone();
        planes.used_rounds.sort_unstable();
        planes.used_rounds.dedup();
        Ok(planes)
    }

    /// The number of vectors.
    pub fn bits(&self) -> usize {
        self.rounds.len()
    }

    /// The number of components of a vector.
    pub fn terms(&self) -> usize {
        self.terms
    }

    /// How many draws were thrown away because they were not balanced.
    pub fn redraws(&self) -> u64 {
        self.rounds.iter().sum()
    }

    /// Component `term` of every vector in units of 1/4096 ([`normal::ONE`]), into `row`, which has room for all.
    pub fn row(&self, term: usize, row: &mut [i16]) {
        if let [round] = self.used_rounds[..] {
            return self.draw(round, term, row);
        }
        let mut drawn = vec![0; row.len()];
        for round in &self.used_rounds {
            self.draw(*round, term, &mut drawn);
            for (bit, value) in
                drawn.iter().enumerate().filter(|(bit, _)| self.rounds[*bit] == *round)
            {
                row[bit] = *value;
            }
        }
    }

    fn draw(&self, round: u64, term: usize, row: &mut [i16]) {
        let mut generator = random::stream(self.seed, Purpose::Hyperplanes, round, term as u64);
        generator.fill_bytes(bytemuck::cast_slice_mut(row));
        normal::from_bits(row);
    }

    /// For every vector of one round, how many of its components are positive.
    fn count_positives(&self, round: u64) -> Vec<u64> {
        let none = || vec![0u64; self.bits()];
        let count = |mut counts: Vec<u64>, terms: &[usize]| {
            let mut row = vec![0; self.bits()];
            for term in terms {
                self.draw(round, *term, &mut row);
                counts.iter_mut().zip(&row).for_each(|(c, value)| *c += u64::from(*value > 0));
            }
            counts
        };
        let add = |mut left: Vec<u64>, right: Vec<u64>| {
            left.iter_mut().zip(right).for_each(|(l, r)| *l += r);
            left
        };
        let terms: Vec<usize> = (0..self.terms).collect();
        terms.par_chunks(TERMS_A_TASK).fold(none, count).reduce(none, add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shorter_signature_begins_a_longer_one() {
        let (mut short, mut long) = ([0; 8], [0; 64]);
        Hyperplanes::new(1, 8, 10).row(3, &mut short);
        Hyperplanes::new(1, 64, 10).row(3, &mut long);
        assert_eq!(short, long[..8]);
    }

    #[test]
    fn balance_is_reached_by_drawing_again() {
        let (bits, terms, percent) = (64, 20, 40.0);
        let planes = Hyperplanes::balanced(5, bits, terms, percent).unwrap();
        let mut positives = vec![0; bits];
        let mut row = vec![0; bits];
        for term in 0..terms {
            planes.row(term, &mut row);
            row.iter().zip(&mut positives).for_each(|(v, p)| *p += usize::from(*v > 0));
        }
        assert!(positives.iter().all(|p| (9..=11).contains(p)), "{positives:?}");
        assert!(planes.used_rounds.len() > 1, "the demand was met at once and tests nothing");
    }

    #[test]
    fn a_demand_that_cannot_be_met_is_an_error() {
        assert!(Hyperplanes::balanced(5, 4, 1, 10.0).is_err());
    }

    #[test]
    fn no_terms_need_no_balance() {
        assert_eq!(Hyperplanes::balanced(5, 4, 0, 10.0).unwrap().bits(), 4);
    }
}
