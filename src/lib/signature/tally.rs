//! What can be counted and summed up about random vectors in one pass over their components.
//!
//! All sums are of whole numbers, so they do not depend on how the work was shared out. Memory, for each thread: 24 bytes a vector, 8 bytes a pair
//! and a table of a quarter of a megabyte.

use std::ops::Range;

use rayon::prelude::*;

use super::RandomVectors;
use crate::session::Session;

/// The values that 16 bits can hold.
const VALUES: usize = 1 << 16;
/// What is added to a value to get its place in the table.
const MIDDLE: i32 = 1 << 15;
/// Terms between two reports of progress.
const TERMS_A_STEP: usize = 1024;

/// Sums over the components of one vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VectorSums {
    /// Of the components.
    pub sum: i64,
    /// Of their squares; for 2³² components of 16 bits, 62 bits are enough.
    pub squares: i64,
    /// How many are above 0.
    pub positives: u64,
}

/// What was counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComponentTally {
    counts: Vec<u64>,
    /// One a vector.
    pub vectors: Vec<VectorSums>,
    /// The dot product of each pair of vectors that was asked for.
    pub products: Vec<i64>,
}

impl ComponentTally {
    /// Looks at all components, and at these pairs of vectors.
    pub fn of(vectors: &RandomVectors, pairs: &[(usize, usize)], session: &Session) -> Self {
        session.phase("looking at random vectors", Some(vectors.terms() as u64));
        // One table a thread, not one a task: with many pairs they are large.
        let threads = rayon::current_num_threads();
        let share = vectors.terms().div_ceil(threads).max(1);
        let range = |thread: usize| thread * share..((thread + 1) * share).min(vectors.terms());
        let ranges: Vec<Range<usize>> = (0..threads).map(range).collect();
        let nothing = || ComponentTally::nothing(vectors.bits(), pairs.len());
        let tally = |terms: Range<usize>| {
            let mut tally = nothing();
            tally.add(vectors, pairs, terms, session);
            tally
        };
        ranges.into_par_iter().map(tally).reduce_with(ComponentTally::plus).unwrap_or_else(nothing)
    }

    fn nothing(bits: usize, pairs: usize) -> Self {
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
            if (term + 1).is_multiple_of(TERMS_A_STEP) {
                session.advance(TERMS_A_STEP as u64);
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

    /// How often a value came.
    pub fn count(&self, value: i16) -> u64 {
        self.counts[(i32::from(value) + MIDDLE) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Session;
    use crate::signature::{Components, RandomSource};

    #[test]
    fn sums_are_those_of_the_components() {
        let pairs = [(0, 3), (2, 1)];
        for components in [Components::Gauss { below_zero_percent: Some(30.0) }, Components::Levels]
        {
            let source = RandomSource { seed: 9, bits: 4, components };
            let vectors = source.draw(37, &Session::silent()).unwrap();
            let tally = ComponentTally::of(&vectors, &pairs, &Session::silent());
            let rows: Vec<[i16; 4]> = (0..37)
                .map(|term| {
                    let mut row = [0; 4];
                    vectors.row(term, &mut row);
                    row
                })
                .collect();
            for vector in 0..4 {
                let values: Vec<i64> = rows.iter().map(|row| row[vector].into()).collect();
                let expected = VectorSums {
                    sum: values.iter().sum(),
                    squares: values.iter().map(|value| value * value).sum(),
                    positives: values.iter().filter(|value| **value > 0).count() as u64,
                };
                assert_eq!(tally.vectors[vector], expected);
            }
            let product = |(one, other): &(usize, usize)| {
                rows.iter().map(|row| i64::from(row[*one]) * i64::from(row[*other])).sum::<i64>()
            };
            assert_eq!(tally.products, pairs.iter().map(product).collect::<Vec<_>>());
            let all: Vec<i16> = rows.concat();
            for value in [-3, -1, 1, 3, all[0], all[1]] {
                let expected = all.iter().filter(|other| **other == value).count();
                assert_eq!(tally.count(value), expected as u64);
            }
        }
    }
}
