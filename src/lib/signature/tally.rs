//! Counts and sums over the components of hyperplanes, in one pass.
//!
//! All sums are integers, so they do not depend on the number of threads. Memory per thread: 24 bytes per hyperplane, 8 bytes per pair, and a table
//! of a quarter of a megabyte.

use std::ops::Range;

use rayon::prelude::*;

use super::RandomVectors;
use crate::session::Session;

/// Number of 16-bit values.
const VALUES: usize = 1 << 16;
/// Offset of a value in the table.
const MIDDLE: i32 = 1 << 15;
/// Terms between two reports of progress.
const TERMS_PER_STEP: usize = 1024;

/// Sums over the components of one hyperplane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VectorSums {
    /// Sum of the components.
    pub sum: i64,
    /// Sum of their squares; for 2³² components of 16 bits, 62 bits suffice.
    pub squares: i64,
    /// Number of positive components.
    pub positives: u64,
}

/// Counts and sums over all components.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComponentTally {
    counts: Vec<u64>,
    /// Sums per hyperplane.
    pub vectors: Vec<VectorSums>,
    /// Dot product of each requested pair.
    pub products: Vec<i64>,
}

impl ComponentTally {
    /// Counts all components, and computes the dot products of these pairs.
    pub fn of(vectors: &RandomVectors, pairs: &[(usize, usize)], session: &Session) -> Self {
        session.phase("counting components", Some(vectors.terms() as u64));
        // One table per thread, not per task: with many pairs they are large.
        let threads = rayon::current_num_threads();
        let share = vectors.terms().div_ceil(threads).max(1);
        let range = |thread: usize| thread * share..((thread + 1) * share).min(vectors.terms());
        let ranges: Vec<Range<usize>> = (0..threads).map(range).collect();
        let empty = || ComponentTally::empty(vectors.bits(), pairs.len());
        let tally = |terms: Range<usize>| {
            let mut tally = empty();
            tally.add(vectors, pairs, terms, session);
            tally
        };
        ranges.into_par_iter().map(tally).reduce_with(ComponentTally::plus).unwrap_or_else(empty)
    }

    fn empty(bits: usize, pairs: usize) -> Self {
        let vectors = vec![VectorSums::default(); bits];
        ComponentTally { counts: vec![0; VALUES], vectors, products: vec![0; pairs] }
    }

    fn add(
        &mut self,
        vectors: &RandomVectors,
        pairs: &[(usize, usize)],
        terms: Range<usize>,
        session: &Session,
    ) {
        let mut row = vec![0; vectors.bits()];
        for term in terms {
            vectors.row(term, &mut row);
            self.add_row(&row);
            let wide = |vector: usize| i64::from(row[vector]);
            for (product, (one, other)) in self.products.iter_mut().zip(pairs) {
                *product += wide(*one) * wide(*other);
            }
            if (term + 1).is_multiple_of(TERMS_PER_STEP) {
                session.advance(TERMS_PER_STEP as u64);
            }
        }
    }

    fn add_row(&mut self, row: &[i16]) {
        for (sums, component) in self.vectors.iter_mut().zip(row) {
            let value = i64::from(*component);
            sums.sum += value;
            sums.squares += value * value;
            sums.positives += u64::from(value > 0);
            self.counts[(i32::from(*component) + MIDDLE) as usize] += 1;
        }
    }

    fn plus(mut self, other: ComponentTally) -> Self {
        self.counts.iter_mut().zip(other.counts).for_each(|(count, more)| *count += more);
        self.products.iter_mut().zip(other.products).for_each(|(sum, more)| *sum += more);
        for (sums, more) in self.vectors.iter_mut().zip(other.vectors) {
            sums.sum += more.sum;
            sums.squares += more.squares;
            sums.positives += more.positives;
        }
        self
    }

    /// Returns the number of components with a value.
    pub fn count(&self, value: i16) -> u64 {
        self.counts[(i32::from(value) + MIDDLE) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::cpu::Cpu;
    use crate::signature::{Hyperplanes, Levels};

    #[test]
    fn sums_match_the_components() {
        let pairs = [(0, 3), (2, 1)];
        let gauss = RandomVectors::Gauss(Hyperplanes::balanced(9, 4, 37, 30.0).unwrap());
        let levels = RandomVectors::Levels(Levels::new(9, 4, 37, Cpu::best()), 37);
        for vectors in [gauss, levels] {
            let tally = ComponentTally::of(&vectors, &pairs, &Session::silent());
            let mut rows = [[0; 4]; 37];
            rows.iter_mut().enumerate().for_each(|(term, row)| vectors.row(term, row));
            for vector in 0..4 {
                let values = rows.iter().map(|row| i64::from(row[vector]));
                let expected = VectorSums {
                    sum: values.clone().sum(),
                    squares: values.clone().map(|value| value * value).sum(),
                    positives: values.filter(|value| *value > 0).count() as u64,
                };
                assert_eq!(tally.vectors[vector], expected);
            }
            let product = |(one, other): (usize, usize)| {
                rows.iter().map(|row| i64::from(row[one]) * i64::from(row[other])).sum::<i64>()
            };
            assert_eq!(tally.products, pairs.map(product));
            let all: Vec<i16> = rows.concat();
            for value in [-3, -1, 1, 3, all[0], all[1]] {
                let expected = all.iter().filter(|other| **other == value).count();
                assert_eq!(tally.count(value), expected as u64);
            }
        }
    }
}
