//! Pairs found so far, how often each was found, and an estimate of the pairs that were not.
//!
//! Each iteration finds every pair with some probability, as a trap catches animals: the numbers of pairs found once and twice tell how many were
//! missed. The estimator is Chao's for incidence data in its bias-corrected form (Chao 1987, *Biometrics* 43, 783–791; Chiu, Wang, Walther and
//! Chao 2014, *Biometrics* 70, 671–682): with `t` iterations, `Q1` pairs found in exactly one and `Q2` in exactly two, about
//! `(t − 1)/t · Q1(Q1 − 1) / (2(Q2 + 1))` were missed. It is unbiased if all pairs are equally easy to find and too small if not; pairs at one
//! distance nearly are, so it is computed per distance (neighboring ones pooled if pairs are few) and summed.
//!
//! The samples must be independent. After few transpositions the order is almost the last one and finds the same pairs again. So iterations are
//! pooled into occasions, long enough that nine of ten positions have changed; `t`, `Q1` and `Q2` count occasions. With a new permutation each
//! time, every iteration is an occasion. The remaining dependence makes the estimate of missed pairs a little too low.

use super::super::SignaturePair;
use super::Shift;

/// Share of positions that may stay unchanged during an occasion.
const UNCHANGED: f64 = 0.1;

/// Returns the number of iterations per occasion for signatures of `bits` bits.
pub(super) fn iterations_per_occasion(shift: Shift, bits: usize) -> u64 {
    let Shift::Transpositions(count) = shift else { return 1 };
    // A transposition leaves a position unchanged with probability 1 − 2/bits.
    let stays = (1.0 - 2.0 / bits as f64).max(0.0).powf(count as f64);
    if stays >= 1.0 { u64::MAX } else { (UNCHANGED.ln() / stays.ln()).ceil().max(1.0) as u64 }
}

/// Pairs found twice that a stratum needs for a stable estimate; distances are pooled until there are as many.
const MIN_TWICE: u64 = 30;

/// Pair with the number of times it was found, in sixteen bytes.
#[derive(Debug, Clone, Copy)]
struct FoundPair {
    key: u64,
    distance: u32,
    /// Number of occasions on which it was found.
    times: u16,
    /// Last of these occasions.
    last: u16,
}

impl FoundPair {
    fn pair(&self) -> SignaturePair {
        let (low, high) = ((self.key >> 32) as u32, self.key as u32);
        SignaturePair { low, high, distance: self.distance }
    }
}

/// Pairs found so far, sorted.
#[derive(Debug)]
pub(super) struct PairSet {
    /// Iterations per occasion.
    iterations_per_occasion: u64,
    iterations: u64,
    /// Estimated number of all pairs, after the last complete occasion.
    estimate: Option<f64>,
    found: Vec<FoundPair>,
}

impl PairSet {
    pub(super) fn new(iterations_per_occasion: u64) -> Self {
        let iterations_per_occasion = iterations_per_occasion.max(1);
        PairSet { iterations_per_occasion, iterations: 0, estimate: None, found: Vec::new() }
    }

    /// Adds the pairs of one iteration, sorted and distinct. Returns the new ones.
    pub(super) fn add(&mut self, pairs: Vec<SignaturePair>) -> Vec<SignaturePair> {
        let occasion = self.occasion();
        let mut fresh = Vec::new();
        let mut at = 0;
        for pair in pairs {
            while self.found.get(at).is_some_and(|found| found.key < pair.key()) {
                at += 1;
            }
            match self.found.get_mut(at) {
                Some(found) if found.key == pair.key() => {
                    found.times = found.times.saturating_add(u16::from(found.last != occasion));
                    found.last = occasion;
                }
                _ => fresh.push(pair),
            }
        }
        self.insert(&fresh, occasion);
        self.iterations += 1;
        if self.iterations.is_multiple_of(self.iterations_per_occasion) {
            self.estimate_all();
        }
        fresh
    }

    /// Returns the number of the current occasion; it saturates.
    fn occasion(&self) -> u16 {
        u16::try_from(self.iterations / self.iterations_per_occasion).unwrap_or(u16::MAX)
    }

    /// Merges new pairs from the back, so that nothing is moved twice.
    fn insert(&mut self, fresh: &[SignaturePair], last: u16) {
        let mut old = self.found.len();
        let found_now = |pair: &SignaturePair| FoundPair {
            key: pair.key(),
            distance: pair.distance,
            times: 1,
            last,
        };
        self.found.extend(fresh.iter().map(found_now));
        let mut place = self.found.len();
        for pair in fresh.iter().rev() {
            while old > 0 && self.found[old - 1].key > pair.key() {
                (old, place) = (old - 1, place - 1);
                self.found[place] = self.found[old];
            }
            place -= 1;
            self.found[place] = found_now(pair);
        }
    }

    /// Returns the estimated share of pairs found; `None` before the second occasion.
    pub(super) fn estimated_share(&self) -> Option<f64> {
        let known = self.found.len() as f64;
        self.estimate.map(|all| known / all.max(known))
    }

    /// Estimates the number of all pairs at the end of an occasion.
    fn estimate_all(&mut self) {
        let occasions = self.iterations / self.iterations_per_occasion;
        if occasions < 2 || self.found.is_empty() {
            return;
        }
        let longest = self.found.iter().map(|found| found.distance).max().unwrap_or(0);
        let mut counts = vec![(0u64, 0u64); longest as usize + 1];
        for found in &self.found {
            let (once, twice) = &mut counts[found.distance as usize];
            *once += u64::from(found.times == 1);
            *twice += u64::from(found.times == 2);
        }
        let (mut missing, mut once, mut twice) = (0.0, 0, 0);
        for (distance, (q1, q2)) in counts.iter().enumerate() {
            (once, twice) = (once + q1, twice + q2);
            if twice >= MIN_TWICE || distance == longest as usize {
                missing += missed(occasions, once, twice);
                (once, twice) = (0, 0);
            }
        }
        self.estimate = Some(self.found.len() as f64 + missing);
    }

    /// Returns all pairs, sorted.
    pub(super) fn into_pairs(self) -> Vec<SignaturePair> {
        self.found.iter().map(FoundPair::pair).collect()
    }
}

/// Returns the number of missed pairs by Chao's estimator.
fn missed(occasions: u64, once: u64, twice: u64) -> f64 {
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
        fn pairs_are_sorted_and_counted(
            iterations in prop::collection::vec(prop::collection::btree_set((0u32..9, 9u32..14), 0..20), 0..6),
        ) {
            let mut known = PairSet::new(1);
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
            let counted: Vec<_> = known.found.iter().map(|m| ((m.pair().low, m.pair().high), m.times)).collect();
            prop_assert_eq!(counted, times.into_iter().collect::<Vec<_>>());
            prop_assert!(known.into_pairs().iter().all(|p| p.distance == p.low + p.high));
        }
    }

    #[test]
    fn chaos_estimator_has_known_values() {
        // (t − 1)/t · Q1(Q1 − 1) / (2(Q2 + 1))
        assert_eq!(missed(2, 10, 4), 0.5 * 90.0 / 10.0);
        assert_eq!(missed(5, 0, 7), 0.0);
        assert_eq!(missed(5, 1, 0), 0.0);
    }

    #[test]
    fn there_is_no_estimate_before_the_second_occasion() {
        let mut known = PairSet::new(1);
        assert_eq!(known.estimated_share(), None);
        known.add(vec![SignaturePair::new(0, 1, 3)]);
        assert_eq!(known.estimated_share(), None);
        known.add(vec![SignaturePair::new(0, 1, 3)]);
        assert_eq!(known.estimated_share(), Some(1.0));
        let mut empty = PairSet::new(1);
        empty.add(vec![]);
        empty.add(vec![]);
        assert_eq!(empty.estimated_share(), None);
    }

    #[test]
    fn finds_on_the_same_occasion_count_once() {
        let mut known = PairSet::new(2);
        for _ in 0..3 {
            known.add(vec![SignaturePair::new(0, 1, 3), SignaturePair::new(0, 2, 3)]);
            assert_eq!(known.estimated_share(), None);
        }
        assert_eq!(known.found[0].times, 2);
        known.add(vec![SignaturePair::new(0, 1, 3)]);
        assert_eq!((known.found[0].times, known.found[1].times), (2, 2));
        assert_eq!(known.estimated_share(), Some(1.0));
    }

    #[test]
    fn occasions_are_longer_if_less_changes() {
        assert_eq!(iterations_per_occasion(Shift::Fresh, 1024), 1);
        assert_eq!(iterations_per_occasion(Shift::Transpositions(0), 1024), u64::MAX);
        // 0.1 = (1 − 2/1024)^(70 · 16.8)
        assert_eq!(iterations_per_occasion(Shift::Transpositions(70), 1024), 17);
        assert_eq!(iterations_per_occasion(Shift::Transpositions(5000), 1024), 1);
        assert_eq!(iterations_per_occasion(Shift::Transpositions(1), 2), 1);
    }
}
