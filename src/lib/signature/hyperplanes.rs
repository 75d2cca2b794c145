//! Hyperplanes with components from N(0,1), drawn term by term.
//!
//! Component `t` of hyperplane `j` is computed ([`normal`]) from the `j`-th sixteen bits of the random stream of (seed, term `t`). So any part of
//! the matrix can be drawn alone, and a shorter signature is a prefix of a longer one.
//!
//! The thesis scales every hyperplane vector to length one. Scaling does not change the sign of a dot product, so it is omitted: the bits are the
//! same.

use rand::Rng;
use rayon::prelude::*;

use super::normal;
use crate::error::{Error, Result};
use crate::random::{self, Purpose};

/// Maximum number of draws of a balanced hyperplane.
const MAX_ROUNDS: u64 = 1000;
/// Terms per task of the balance count.
const TERMS_PER_TASK: usize = 1024;

/// Hyperplanes of a signature, one per bit.
#[derive(Debug, Clone)]
pub struct Hyperplanes {
    seed: u64,
    terms: usize,
    /// Round in which each hyperplane was drawn; 0 unless it was redrawn.
    rounds: Vec<u64>,
    /// Distinct rounds, ascending.
    used_rounds: Vec<u64>,
}

impl Hyperplanes {
    /// Returns the hyperplanes for `bits` bits over a vocabulary of `terms` terms.
    pub fn new(seed: u64, bits: usize, terms: usize) -> Self {
        Hyperplanes { seed, terms, rounds: vec![0; bits], used_rounds: vec![0] }
    }

    /// Returns hyperplanes as [`new`](Self::new) does, each redrawn until more than `percent` % of its components are positive and more than
    /// `percent` % negative.
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
            if round == MAX_ROUNDS {
                return Err(Error::Message(format!(
                    "below_zero_percent {percent}: no such random vector of {terms} components in {MAX_ROUNDS} draws"
                )));
            }
            pending.iter().for_each(|bit| planes.rounds[*bit] = round + 1);
        }
        planes.used_rounds = planes.rounds.clone();
        planes.used_rounds.sort_unstable();
        planes.used_rounds.dedup();
        Ok(planes)
    }

    /// Returns the number of hyperplanes.
    pub fn bits(&self) -> usize {
        self.rounds.len()
    }

    /// Returns the number of components of a hyperplane.
    pub fn terms(&self) -> usize {
        self.terms
    }

    /// Returns the number of discarded draws.
    pub fn redraws(&self) -> u64 {
        self.rounds.iter().sum()
    }

    /// Writes component `term` of every hyperplane to `row`, in units of 1/4096 ([`normal::ONE`]).
    pub fn row(&self, term: usize, row: &mut [i16]) {
        if let [round] = self.used_rounds[..] {
            return self.draw(round, term, row);
        }
        let mut drawn = vec![0; row.len()];
        for round in &self.used_rounds {
            self.draw(*round, term, &mut drawn);
            let places = row.iter_mut().zip(&drawn).zip(&self.rounds);
            let of_round = places.filter(|(_, drawn_in)| *drawn_in == round);
            of_round.for_each(|((place, value), _)| *place = *value);
        }
    }

    fn draw(&self, round: u64, term: usize, row: &mut [i16]) {
        let mut generator = random::stream(self.seed, Purpose::Hyperplanes, round, term as u64);
        generator.fill_bytes(bytemuck::cast_slice_mut(row));
        normal::from_bits(row);
    }

    /// Counts the positive components of every hyperplane of one round.
    fn count_positives(&self, round: u64) -> Vec<u64> {
        let none = || vec![0u64; self.bits()];
        let count = |mut counts: Vec<u64>, first: usize| {
            let mut row = vec![0; self.bits()];
            for term in first..self.terms.min(first + TERMS_PER_TASK) {
                self.draw(round, term, &mut row);
                counts.iter_mut().zip(&row).for_each(|(c, value)| *c += u64::from(*value > 0));
            }
            counts
        };
        let add = |mut left: Vec<u64>, right: Vec<u64>| {
            left.iter_mut().zip(right).for_each(|(l, r)| *l += r);
            left
        };
        let tasks = (0..self.terms.div_ceil(TERMS_PER_TASK)).into_par_iter();
        tasks.map(|task| task * TERMS_PER_TASK).fold(none, count).reduce(none, add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shorter_signature_is_a_prefix_of_a_longer_one() {
        let (mut short, mut long) = ([0; 8], [0; 64]);
        Hyperplanes::new(1, 8, 10).row(3, &mut short);
        Hyperplanes::new(1, 64, 10).row(3, &mut long);
        assert_eq!(short, long[..8]);
    }

    #[test]
    fn balance_is_reached_by_redrawing() {
        let (bits, terms, percent) = (64, 20, 40.0);
        let planes = Hyperplanes::balanced(5, bits, terms, percent).unwrap();
        let mut positives = vec![0; bits];
        let mut row = vec![0; bits];
        for term in 0..terms {
            planes.row(term, &mut row);
            row.iter().zip(&mut positives).for_each(|(v, p)| *p += usize::from(*v > 0));
        }
        assert!(positives.iter().all(|p| (9..=11).contains(p)), "{positives:?}");
        assert!(planes.used_rounds.len() > 1, "the first draw was balanced and tests nothing");
    }

    #[test]
    fn an_impossible_balance_is_an_error_and_no_terms_need_none() {
        assert!(Hyperplanes::balanced(5, 4, 1, 10.0).is_err());
        assert_eq!(Hyperplanes::balanced(5, 4, 0, 10.0).unwrap().bits(), 4);
    }
}
