//! Judgement of pairs by their texts: string similarity and cosine.
//!
//! A method with more pairs than `--max_judged` is judged on a sample of them. Every pair has a random number, and the sample of a method is its pairs
//! with the smallest numbers: a uniform sample, and methods that found the same pairs share most of their samples, so few are judged twice.

use std::sync::atomic::{AtomicU64, Ordering};

use rand::Rng;
use rayon::prelude::*;
use twox_hash::XxHash3_64;

use super::cosines::Cosines;
use super::union::{FoundPair, ListSet};
use crate::evaluate::string_similarity::is_similar;
use crate::random::{Purpose, stream};
use crate::session::Session;

/// Verdicts on a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Verdicts {
    /// The methods in whose sample it is.
    pub judged: ListSet,
    /// Whether the string similarity reaches its threshold; `None` if that is unknown.
    pub string: Option<bool>,
    /// Whether the cosine reaches its threshold.
    pub cosine: bool,
}

/// Thresholds and sample size.
#[derive(Debug, Clone, Copy)]
pub(super) struct Judge {
    pub similarity: f64,
    pub cosine: f64,
    /// Maximum number of pairs per method.
    pub max_judged: usize,
    pub seed: u64,
}

/// Pairs that a thread judges before it reports progress.
const PAIRS_PER_TASK: usize = 64;

impl Judge {
    /// Returns for each pair the methods, below `methods`, that are judged by it.
    pub fn sample(&self, pairs: &[FoundPair], methods: usize) -> Vec<ListSet> {
        let key = stream(self.seed, Purpose::JudgedPairs, 0, 0).next_u64();
        let priority = |pair: &FoundPair| {
            let number = (u64::from(pair.pair.0) << 32) | u64::from(pair.pair.1);
            XxHash3_64::oneshot_with_seed(key, &number.to_le_bytes())
        };
        let priorities: Vec<u64> = pairs.par_iter().map(priority).collect();
        let mut judged = vec![0; pairs.len()];
        for method in 0..methods {
            let bit = 1 << method;
            let own = || (0..pairs.len()).filter(|at| pairs[*at].lists & bit != 0);
            let limit = self.limit(own().map(|at| priorities[at]).collect());
            own().filter(|at| priorities[*at] <= limit).for_each(|at| judged[at] |= bit);
        }
        judged
    }

    /// Returns the largest priority of a sample of the pairs with these.
    fn limit(&self, mut priorities: Vec<u64>) -> u64 {
        if priorities.len() <= self.max_judged {
            return u64::MAX;
        }
        *priorities.select_nth_unstable(self.max_judged - 1).1
    }

    /// Judges the pairs of all samples. Says how many could not be judged.
    pub fn judge(
        &self,
        pairs: &[FoundPair],
        sampled: &[ListSet],
        texts: &[impl AsRef<str> + Sync],
        cosines: &Cosines,
        session: &Session,
    ) -> Vec<Verdicts> {
        let undecided = AtomicU64::new(0);
        session.phase("judging pairs", Some(pairs.len() as u64));
        let text = |document: u32| texts[document as usize].as_ref();
        let verdicts = |(pair, judged): (&FoundPair, &ListSet)| {
            if *judged == 0 {
                return Verdicts::default();
            }
            let (low, high) = pair.pair;
            let string = is_similar(text(low), text(high), self.similarity);
            undecided.fetch_add(u64::from(string.is_none()), Ordering::Relaxed);
            let cosine = cosines.cosine(low, high, text) >= self.cosine;
            Verdicts { judged: *judged, string, cosine }
        };
        let chunks = pairs.par_chunks(PAIRS_PER_TASK).zip(sampled.par_chunks(PAIRS_PER_TASK));
        let all = chunks.flat_map_iter(|(pairs, sampled)| {
            let judged: Vec<Verdicts> = pairs.iter().zip(sampled).map(verdicts).collect();
            session.advance(judged.len() as u64);
            judged
        });
        let all = all.collect();
        if undecided.load(Ordering::Relaxed) > 0 {
            let count = undecided.into_inner();
            session.info(&format!(
                "{count} pairs of long texts take too long to compare: left out of precision_string"
            ));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(max_judged: usize) -> Judge {
        Judge { similarity: 0.8, cosine: 0.8, max_judged, seed: 1 }
    }

    #[test]
    fn samples_are_uniform_and_shared() {
        let pair =
            |n: u32| FoundPair { pair: (n, n + 1), lists: if n < 5000 { 0b11 } else { 0b10 } };
        let pairs: Vec<FoundPair> = (0..10_000).map(pair).collect();
        let sampled = judge(1000).sample(&pairs, 2);
        let count = |bits: ListSet| sampled.iter().filter(|set| **set & bits == bits).count();
        assert_eq!((count(0b01), count(0b10)), (1000, 1000));
        let low = sampled[..5000].iter().filter(|set| **set & 0b10 != 0).count();
        assert!((400..600).contains(&low), "{low}");
        // All pairs that both have and the second samples are in the sample of the first.
        assert_eq!(count(0b11), low);
        assert!(judge(5000).sample(&pairs, 1)[..5000].iter().all(|set| *set == 1));
    }
}
