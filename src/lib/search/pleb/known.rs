//! The pairs that were met, how often, and what that says of those that were not.
//!
//! Each iteration catches every pair with some probability, much as a trap catches animals: how many were caught once and how many twice
//! tells how many were never. The estimator is Chao's for incidence data in its bias-corrected form (Chao 1987, *Biometrics* 43,
//! 783–791; Chiu, Wang, Walther and Chao 2014, *Biometrics* 70, 671–682): with `t` iterations, `Q1` pairs met in exactly one of them and `Q2` in exactly
//! two, about `(t − 1)/t · Q1(Q1 − 1) / (2(Q2 + 1))` were never met. It is exact in expectation where all pairs are as easy to catch and too
//! small where they are not; pairs at one distance nearly are, so it is taken for each distance by itself (neighbouring ones together where
//! pairs are few) and added up.
//!
//! What is counted must not be alike. After few transpositions the order is almost the last one and meets the same pairs again, which says
//! nothing. So iterations are taken together into occasions, long enough that nine of ten positions have changed meanwhile; `t`, `Q1`
//! and `Q2` count occasions. With a fresh order each time, every iteration is one. What is left of the likeness makes the estimate of what is
//! missing a little too low.

use super::super::SignaturePair;
use super::Shift;

/// The share of positions that may stay as they are during an occasion.
const UNCHANGED: f64 = 0.1;

/// Iterations that make an occasion for signatures of `bits` bits.
pub(super) fn iterations_an_occasion(shift: Shift, bits: usize) -> u64 {
    let Shift::Transpositions(count) = shift else { return 1 };
    // A transposition leaves a position alone with probability 1 − 2/bits.
    let stays = (1.0 - 2.0 / bits as f64).max(0.0).powf(count as f64);
    if stays >= 1.0 { u64::MAX } else { (UNCHANGED.ln() / stays.ln()).ceil().max(1.0) as u64 }
}

/// Pairs met twice that a stratum needs for its estimate to be steady; distances are taken together until there are so many.
const LEAST_TWICE: u64 = 30;

/// A pair and how often it was met: sixteen bytes.
#[derive(Debug, Clone, Copy)]
struct Met {
    key: u64,
    distance: u32,
    /// Occasions on which it was met.
    times: u16,
    /// The last of them.
    last: u16,
}

impl Met {
    fn pair(&self) -> SignaturePair {
        let (low, high) = ((self.key >> 32) as u32, self.key as u32);
        SignaturePair { low, high, distance: self.distance }
    }
}

/// All pairs met so far, sorted.
#[derive(Debug)]
pub(super) struct Known {
    /// Iterations that make an occasion.
    an_occasion: u64,
    iterations: u64,
    /// How many pairs there are in all, by the occasions that are over.
    estimate: Option<f64>,
    met: Vec<Met>,
}

impl Known {
    pub(super) fn new(iterations_an_occasion: u64) -> Self {
        let an_occasion = iterations_an_occasion.max(1);
        Known { an_occasion, iterations: 0, estimate: None, met: Vec::new() }
    }

    /// Adds the pairs of one iteration, sorted, each once. Returns those that were not known.
    pub(super) fn add(&mut self, pairs: Vec<SignaturePair>) -> Vec<SignaturePair> {
        let occasion = self.occasion();
        let mut fresh = Vec::new();
        let mut at = 0;
        for pair in pairs {
            while self.met.get(at).is_some_and(|met| met.key < pair.key()) {
                at += 1;
            }
            match self.met.get_mut(at) {
                Some(met) if met.key == pair.key() => {
                    met.times = met.times.saturating_add(u16::from(met.last != occasion));
                    met.last = occasion;
                }
                _ => fresh.push(pair),
            }
        }
        self.insert(&fresh, occasion);
        self.iterations += 1;
        if self.iterations.is_multiple_of(self.an_occasion) {
            self.estimate_all();
        }
        fresh
    }

    /// The number of the occasion that is on. Beyond what fits, nothing more is counted.
    fn occasion(&self) -> u16 {
        u16::try_from(self.iterations / self.an_occasion).unwrap_or(u16::MAX)
    }

    /// Merges pairs that are not known yet, from the back, so that nothing is moved twice.
    fn insert(&mut self, fresh: &[SignaturePair], last: u16) {
        let mut old = self.met.len();
        let as_met =
            |pair: &SignaturePair| Met { key: pair.key(), distance: pair.distance, times: 1, last };
        self.met.extend(fresh.iter().map(as_met));
        let mut place = self.met.len();
        for pair in fresh.iter().rev() {
            while old > 0 && self.met[old - 1].key > pair.key() {
                (old, place) = (old - 1, place - 1);
                self.met[place] = self.met[old];
            }
            place -= 1;
            self.met[place] = as_met(pair);
        }
    }

    /// The share of all pairs that are known, or `None` before anything could be met on two occasions.
    pub(super) fn estimated_share(&self) -> Option<f64> {
        let known = self.met.len() as f64;
        self.estimate.map(|all| known / all.max(known))
    }

    /// Estimates how many pairs there are, at the end of an occasion.
    fn estimate_all(&mut self) {
        let occasions = self.iterations / self.an_occasion;
        if occasions < 2 || self.met.is_empty() {
            return;
        }
        let longest = self.met.iter().map(|met| met.distance).max().unwrap_or(0);
        let mut counts = vec![(0u64, 0u64); longest as usize + 1];
        for met in &self.met {
            let (once, twice) = &mut counts[met.distance as usize];
            *once += u64::from(met.times == 1);
            *twice += u64::from(met.times == 2);
        }
        let (mut missing, mut once, mut twice) = (0.0, 0, 0);
        for (distance, (q1, q2)) in counts.iter().enumerate() {
            (once, twice) = (once + q1, twice + q2);
            if twice >= LEAST_TWICE || distance == longest as usize {
                missing += never(occasions, once, twice);
                (once, twice) = (0, 0);
            }
        }
        self.estimate = Some(self.met.len() as f64 + missing);
    }

    /// All pairs, sorted.
    pub(super) fn into_pairs(self) -> Vec<SignaturePair> {
        self.met.iter().map(Met::pair).collect()
    }
}

/// How many were never met, by Chao's estimator.
fn never(occasions: u64, once: u64, twice: u64) -> f64 {
    let (t, q1, q2) = (occasions as f64, once as f64, twice as f64);
    (t - 1.0) / t * (q1 * (q1 - 1.0)) / (2.0 * (q2 + 1.0))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pairs_are_kept_sorted_and_counted(
            iterations in prop::collection::vec(prop::collection::btree_set((0u32..9, 9u32..14), 0..20), 0..6),
        ) {
            let mut known = Known::new(1);
            let mut times: BTreeMap<(u32, u32), u16> = BTreeMap::new();
            for pairs in &iterations {
                let fresh = known.add(
                    pairs.iter().map(|(low, high)| SignaturePair::new(*low, *high, low + high)).collect(),
                );
                let expected: Vec<(u32, u32)> =
                    pairs.iter().filter(|pair| !times.contains_key(pair)).copied().collect();
                prop_assert_eq!(fresh.iter().map(|p| (p.low, p.high)).collect::<Vec<_>>(), expected);
                pairs.iter().for_each(|pair| *times.entry(*pair).or_default() += 1);
            }
            let counted: Vec<_> = known.met.iter().map(|m| ((m.pair().low, m.pair().high), m.times)).collect();
            prop_assert_eq!(counted, times.into_iter().collect::<Vec<_>>());
            prop_assert!(known.into_pairs().iter().all(|p| p.distance == p.low + p.high));
        }
    }

    #[test]
    fn chaos_estimator_has_known_values() {
        // (t − 1)/t · Q1(Q1 − 1) / (2(Q2 + 1))
        assert_eq!(never(2, 10, 4), 0.5 * 90.0 / 10.0);
        assert_eq!(never(5, 0, 7), 0.0);
        assert_eq!(never(5, 1, 0), 0.0);
    }

    #[test]
    fn nothing_is_estimated_before_pairs_could_be_met_again() {
        let mut known = Known::new(1);
        assert_eq!(known.estimated_share(), None);
        known.add(vec![SignaturePair::new(0, 1, 3)]);
        assert_eq!(known.estimated_share(), None);
        known.add(vec![SignaturePair::new(0, 1, 3)]);
        assert_eq!(known.estimated_share(), Some(1.0));
        let mut empty = Known::new(1);
        empty.add(vec![]);
        empty.add(vec![]);
        assert_eq!(empty.estimated_share(), None);
    }

    #[test]
    fn meeting_again_on_the_same_occasion_says_nothing() {
        let mut known = Known::new(2);
        for _ in 0..3 {
            known.add(vec![SignaturePair::new(0, 1, 3), SignaturePair::new(0, 2, 3)]);
            assert_eq!(known.estimated_share(), None);
        }
        assert_eq!(known.met[0].times, 2);
        known.add(vec![SignaturePair::new(0, 1, 3)]);
        assert_eq!((known.met[0].times, known.met[1].times), (2, 2));
        assert_eq!(known.estimated_share(), Some(1.0));
    }

    #[test]
    fn occasions_are_longer_where_less_changes() {
        assert_eq!(iterations_an_occasion(Shift::Fresh, 1024), 1);
        assert_eq!(iterations_an_occasion(Shift::Transpositions(0), 1024), u64::MAX);
        // 0.1 = (1 − 2/1024)^(70 · 16.8)
        assert_eq!(iterations_an_occasion(Shift::Transpositions(70), 1024), 17);
        assert_eq!(iterations_an_occasion(Shift::Transpositions(5000), 1024), 1);
        assert_eq!(iterations_an_occasion(Shift::Transpositions(1), 2), 1);
    }
}
