//! Intervals of measures of pairs: percentile bootstrap over documents.
//!
//! Pairs of one document are not independent: a page that changes a lot has many wrong pairs. So documents are resampled, not pairs. A resample
//! draws as many documents as there are, with replacement; a document drawn twice counts twice, and a pair counts as often as the product of its
//! documents. Measures are computed again from the weighted counts. The interval spans the middle 95 % of the values.
//!
//! Measures are ratios of counts of pairs, so pairs of one class (found by the same methods, judged alike) are counted together: a resample takes
//! one multiplication per pair, whatever the number of methods.

use rand::RngExt;
use rayon::prelude::*;

use crate::random::{Purpose, stream};
use crate::session::Session;

/// Number of resamples by default.
pub const DEFAULT_RESAMPLES: u64 = 1000;

/// Share of the values below an interval, and above it.
const TAIL: f64 = 0.025;

/// Bounds of a measure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PercentileInterval {
    /// The 2.5th percentile.
    pub low: f64,
    /// The 97.5th percentile.
    pub high: f64,
}

/// Pairs of documents, ordered by class.
#[derive(Debug, Clone, Default)]
pub struct ClassedPairs {
    /// Documents of each pair.
    pairs: Vec<(u32, u32)>,
    /// End of each class in the pairs.
    ends: Vec<usize>,
}

impl ClassedPairs {
    /// Groups pairs, given with their classes, which are below `classes`.
    pub fn new(classes: usize, pairs: impl Iterator<Item = (u32, (u32, u32))>) -> Self {
        let mut pairs: Vec<(u32, (u32, u32))> = pairs.collect();
        pairs.sort_unstable();
        let end = |class| pairs.partition_point(|(other, _)| (*other as usize) <= class);
        let ends = (0..classes).map(end).collect();
        ClassedPairs { pairs: pairs.into_iter().map(|(_, pair)| pair).collect(), ends }
    }

    /// Returns the number of pairs of each class.
    pub fn counts(&self) -> Vec<u64> {
        self.sums(|_| 1)
    }

    /// Adds up a value of the pairs of each class.
    fn sums(&self, value: impl Fn(&(u32, u32)) -> u64) -> Vec<u64> {
        let starts = std::iter::once(&0).chain(&self.ends);
        let class =
            |(start, end): (&usize, &usize)| self.pairs[*start..*end].iter().map(&value).sum();
        starts.zip(&self.ends).map(class).collect()
    }
}

/// Resamples of a collection.
#[derive(Debug, Clone, Copy)]
pub struct Resampling {
    /// Number of documents.
    pub documents: usize,
    /// Number of resamples.
    pub resamples: u64,
    /// Seed of the draws.
    pub seed: u64,
}

impl Resampling {
    /// Returns the interval of each measure. `measures` computes all of them, always as many, from the weighted counts of the classes; resamples where
    /// one is undefined are left out of its interval, and there is none if it always is.
    ///
    /// Time: one draw per document and one multiplication per pair for each resample; memory: 4 bytes per document and thread.
    pub fn intervals(
        &self,
        pairs: &ClassedPairs,
        measures: impl Fn(&[u64]) -> Vec<Option<f64>> + Sync,
        session: &Session,
    ) -> Vec<Option<PercentileInterval>> {
        session.phase("resampling documents", Some(self.resamples));
        let resample = |weights: &mut Vec<u32>, index| {
            self.draw(index, weights);
            let weight = |document: u32| u64::from(weights[document as usize]);
            let counts = pairs.sums(|(low, high)| weight(*low) * weight(*high));
            session.advance(1);
            measures(&counts)
        };
        let values: Vec<Vec<Option<f64>>> =
            (0..self.resamples).into_par_iter().map_init(Vec::new, resample).collect();
        let measure = |at: usize| values.iter().filter_map(|values| values[at]).collect();
        let measured = values.first().map_or(0, Vec::len);
        (0..measured).map(|at| interval(measure(at))).collect()
    }

    /// Draws documents: sets how often each occurs in a resample.
    fn draw(&self, index: u64, weights: &mut Vec<u32>) {
        weights.clear();
        weights.resize(self.documents, 0);
        let mut generator = stream(self.seed, Purpose::Resamples, 0, index);
        for _ in 0..self.documents {
            weights[generator.random_range(0..self.documents)] += 1;
        }
    }
}

/// Returns the interval of some values: their percentiles, interpolated between neighbours.
fn interval(mut values: Vec<f64>) -> Option<PercentileInterval> {
    values.sort_unstable_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    let percentile = |share: f64| {
        let place = share * last as f64;
        let (below, part) = (place as usize, place.fract());
        values[below] + part * (values[(below + 1).min(last)] - values[below])
    };
    Some(PercentileInterval { low: percentile(TAIL), high: percentile(1.0 - TAIL) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the share of pairs of class 1.
    fn share(counts: &[u64]) -> Vec<Option<f64>> {
        let all: u64 = counts.iter().sum();
        vec![(all > 0).then(|| counts[1] as f64 / all as f64)]
    }

    fn resampling(documents: usize) -> Resampling {
        Resampling { documents, resamples: 200, seed: 7 }
    }

    proptest! {
        #[test]
        fn intervals_are_those_of_weighted_pairs(
            pairs in prop::collection::vec((0..3u32, (0..9u32, 0..9u32)), 0..40), seed: u64,
        ) {
            let resampling = Resampling { documents: 9, resamples: 30, seed };
            let classed = ClassedPairs::new(3, pairs.iter().copied());
            let mut values = Vec::new();
            for index in 0..30 {
                let mut weights = Vec::new();
                resampling.draw(index, &mut weights);
                prop_assert_eq!(weights.iter().sum::<u32>(), 9);
                let mut counts = [0; 3];
                for (class, (low, high)) in &pairs {
                    let product = weights[*low as usize] * weights[*high as usize];
                    counts[*class as usize] += u64::from(product);
                }
                values.extend(share(&counts)[0]);
            }
            let found = resampling.intervals(&classed, share, &Session::silent());
            prop_assert_eq!(found, vec![interval(values)]);
        }
    }

    #[test]
    fn percentiles_are_interpolated() {
        let values = (0..=100).rev().map(f64::from).collect();
        assert_eq!(interval(values), Some(PercentileInterval { low: 2.5, high: 97.5 }));
        assert_eq!(interval(vec![0.5]), Some(PercentileInterval { low: 0.5, high: 0.5 }));
        assert_eq!(interval(Vec::new()), None);
    }

    #[test]
    fn intervals_do_not_depend_on_threads() {
        let pairs = (0..5000u32).map(|n| (n % 2, (n % 97, (n * 31) % 89)));
        let pairs = ClassedPairs::new(2, pairs);
        assert_eq!(pairs.counts(), [2500, 2500]);
        let on = |threads| {
            let session = Session::silent().with_threads(threads).unwrap();
            session.install(|| resampling(97).intervals(&pairs, share, &session))
        };
        assert_eq!(on(1), on(3));
    }

    #[test]
    fn dependent_pairs_widen_the_interval() {
        let width = |pairs: &ClassedPairs, documents| {
            let found = resampling(documents).intervals(pairs, share, &Session::silent());
            found[0].map(|interval| interval.high - interval.low).unwrap()
        };
        // A hundred pairs of different documents, and a hundred pairs of twenty.
        let apart = ClassedPairs::new(2, (0..100).map(|n| (n % 2, (2 * n, 2 * n + 1))));
        let dependent = ClassedPairs::new(2, (0..100).map(|n| (n / 10 % 2, (n / 10, 10 + n % 10))));
        let (apart, dependent) = (width(&apart, 200), width(&dependent, 20));
        assert!(dependent > 1.5 * apart, "{dependent} {apart}");
    }

    #[test]
    fn a_measure_that_is_never_defined_has_no_interval() {
        let found = resampling(5).intervals(
            &ClassedPairs::new(2, std::iter::empty()),
            share,
            &Session::silent(),
        );
        assert_eq!(found, [None]);
    }
}
