//! Measures of every method, from classes of pairs.

use rustc_hash::FxHashMap;

use super::judge::Verdicts;
use super::union::{FoundPair, ListSet};
use crate::evaluate::f_measure;
use crate::evaluate::resampling::ClassedPairs;

/// Number of measures of a method.
pub(super) const MEASURES: usize = 7;

/// Recall among the union, precision by string similarity and by cosine, F; precision, recall and F by the truth. `None` where undefined.
pub(super) type MethodMeasures = [Option<f64>; MEASURES];

/// Pairs that count alike: found by the same lists, with the same verdicts.
type PairClass = (ListSet, Verdicts);

/// Pairs by class, and what is computed from their counts.
pub(super) struct Measured {
    pub pairs: ClassedPairs,
    classes: Vec<PairClass>,
    methods: usize,
    has_truth: bool,
    beta: f64,
}

impl Measured {
    /// Classifies the pairs of `methods` lists, and of the truth after them if there is one.
    pub fn new(
        pairs: &[FoundPair],
        verdicts: &[Verdicts],
        methods: usize,
        has_truth: bool,
        beta: f64,
    ) -> Self {
        let (mut numbers, mut classes) = (FxHashMap::default(), Vec::new());
        let mut number = |class: PairClass| {
            *numbers.entry(class).or_insert_with(|| {
                classes.push(class);
                classes.len() as u32 - 1
            })
        };
        let classed = pairs
            .iter()
            .zip(verdicts)
            .map(|(pair, verdicts)| (number((pair.lists, *verdicts)), pair.pair));
        let classed: Vec<_> = classed.collect();
        let pairs = ClassedPairs::new(classes.len(), classed.into_iter());
        Measured { pairs, classes, methods, has_truth, beta }
    }

    /// Returns the measures of all methods, one after the other, from the counts of the classes.
    pub fn measures(&self, counts: &[u64]) -> Vec<Option<f64>> {
        (0..self.methods).flat_map(|method| self.measures_of(method, counts)).collect()
    }

    /// Returns the measures of a method.
    fn measures_of(&self, method: usize, counts: &[u64]) -> MethodMeasures {
        let (own, all) = (1 << method, (1 << self.methods) - 1);
        let sum = |counts_for: &dyn Fn(ListSet, &Verdicts) -> bool| {
            let classes = self.classes.iter().zip(counts);
            classes
                .filter(|((lists, verdicts), _)| counts_for(*lists, verdicts))
                .map(|(_, count)| count)
                .sum::<u64>()
        };
        let has = |lists: ListSet, wanted: ListSet| lists & wanted == wanted;
        let found = sum(&|lists, _| has(lists, own));
        let recall = ratio(found, sum(&|lists, _| lists & all != 0));
        let string =
            |wanted: &[Option<bool>]| sum(&|_, v| has(v.judged, own) && wanted.contains(&v.string));
        let string = ratio(string(&[Some(true)]), string(&[Some(true), Some(false)]));
        let cosine =
            ratio(sum(&|_, v| has(v.judged, own) && v.cosine), sum(&|_, v| has(v.judged, own)));
        let truth = 1 << self.methods;
        let hits = sum(&|lists, _| has(lists, own | truth));
        let by_truth = |whole: u64| ratio(hits, whole).filter(|_| self.has_truth);
        let (precision_truth, recall_truth) =
            (by_truth(found), by_truth(sum(&|lists, _| has(lists, truth))));
        let f_truth = f_measure(precision_truth, recall_truth, self.beta);
        let f = f_measure(string, recall, self.beta);
        [recall, string, cosine, f, precision_truth, recall_truth, f_truth]
    }
}

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two methods and the truth: (lists, judged, string, cosine) of five pairs.
    const PAIRS: [(ListSet, ListSet, Option<bool>, bool); 5] = [
        (0b111, 0b11, Some(true), true),
        (0b001, 0b01, Some(false), true),
        (0b011, 0b10, None, false),
        (0b001, 0b00, None, false),
        (0b100, 0b00, None, false),
    ];

    fn measured(beta: f64, has_truth: bool) -> Vec<Option<f64>> {
        let pairs: Vec<_> = (0..)
            .zip(PAIRS)
            .map(|(n, pair)| FoundPair { pair: (n, n + 1), lists: pair.0 })
            .collect();
        let verdicts: Vec<_> = PAIRS
            .iter()
            .map(|(_, judged, string, cosine)| Verdicts {
                judged: *judged,
                string: *string,
                cosine: *cosine,
            })
            .collect();
        let measured = Measured::new(&pairs, &verdicts, 2, has_truth, beta);
        measured.measures(&measured.pairs.counts())
    }

    #[test]
    fn measures_are_those_computed_by_hand() {
        // First method: 4 pairs of 4; judged 2, one string-similar, both by cosine; truth: one of its 4, one of 2.
        let first = [
            Some(1.0),
            Some(0.5),
            Some(1.0),
            Some(2.0 / 3.0),
            Some(0.25),
            Some(0.5),
            Some(1.0 / 3.0),
        ];
        // Second: 2 pairs of 4; one decided and right; one of two by cosine; truth: one of its 2, one of 2.
        let second =
            [Some(0.5), Some(1.0), Some(0.5), Some(2.0 / 3.0), Some(0.5), Some(0.5), Some(0.5)];
        assert_eq!(measured(1.0, true), [first, second].concat());
    }

    #[test]
    fn beta_favours_recall_and_no_truth_no_value() {
        let found = measured(2.0, false);
        // (4 + 1)·0.5·1/(4·0.5 + 1)
        assert_eq!(found[3], Some(2.5 / 3.0));
        assert_eq!(found[4..7], [None; 3]);
    }

    #[test]
    fn nothing_found_is_undefined() {
        let measured = Measured::new(&[], &[], 1, true, 1.0);
        assert_eq!(measured.measures(&measured.pairs.counts()), [None; MEASURES]);
    }
}
