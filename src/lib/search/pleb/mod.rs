//! PLEB: similar signatures are neighbors in sort order, for some permutation of their bits.
//!
//! Point Location in Equal Balls (Indyk and Motwani 1998; Charikar 2002), as Ravichandran, Pantel and Hovy (2005) use it, with the
//! thesis' `shift_count`:
//!
//! ```text
//! repeat iter_count times:
//!     sort the signatures lexicographically
//!     compare each with the next `beam` ones
//!     apply `shift_count` random transpositions of bit positions, the same to all signatures
//! ```
//!
//! No bit is moved. The leading permuted bits are gathered from bit planes into sort keys (`order`), and signatures with equal keys are compared
//! by the first position, in permuted order, in which they differ: the same order as if all bits had been moved. The number of times pairs are
//! found again estimates how many were missed (`known`).

mod known;
mod neighbours;
mod order;

use std::fmt;
use std::str::FromStr;

use super::SignaturePair;
use crate::session::Session;
use crate::signature::SignatureSet;
use known::{PairSet, iterations_per_occasion};
use neighbours::neighbours;
use order::{Permutation, SortOrder};

/// Permutation of bit positions after an iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shift {
    /// A number of random transpositions.
    Transpositions(usize),
    /// A new, uniformly drawn permutation: the limit of ever more transpositions.
    Fresh,
}

/// Number of transpositions that is accepted for signatures of any length.
const MAX_TRANSPOSITIONS: usize = 10_000;

impl Shift {
    /// Returns the maximum number of transpositions for signatures of `bits` bits. Half of n·ln n random transpositions mix n positions
    /// (Diaconis and Shahshahani 1981); after n·log₂ n, nearly three times as many, more of them give nothing but another new permutation.
    pub fn max_transpositions(bits: usize) -> usize {
        MAX_TRANSPOSITIONS.max(bits.saturating_mul(bits.max(1).ilog2() as usize))
    }
}

impl FromStr for Shift {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "full" {
            return Ok(Shift::Fresh);
        }
        let wrong = |_| "expected an integer of at least 0, or 'full'".to_string();
        text.parse().map(Shift::Transpositions).map_err(wrong)
    }
}

impl fmt::Display for Shift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shift::Transpositions(count) => write!(f, "{count}"),
            Shift::Fresh => f.write_str("full"),
        }
    }
}

impl serde::Serialize for Shift {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Parameters of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlebSettings {
    /// Maximum number of iterations, including skipped ones.
    pub iterations: u64,
    /// Number of first iterations to skip: only their permutations are applied, without sorting.
    pub skipped: u64,
    /// Neighbors in sort order that each signature is compared with.
    pub beam: usize,
    /// Permutation after each iteration.
    pub shift: Shift,
    /// Seed of the permutations.
    pub seed: u64,
    /// Stop when this estimated share of all pairs is found.
    pub target_recall: Option<f64>,
}

/// Nanoseconds per signature and iteration for sorting. This and the next fit `hamming_95_large` of `scripts/bench.sh full`.
const SORT_NANOS: f64 = 40.0;
/// Nanoseconds per comparison of neighbors.
const COMPARISON_NANOS: f64 = 1.6;
/// Nanoseconds per transposition, and per position of a permutation.
const TRANSPOSITION_NANOS: f64 = 12.0;
/// Other nanoseconds per iteration.
const ITERATION_NANOS: f64 = 20_000.0;

impl PlebSettings {
    /// Estimates the seconds of all iterations over `signatures` signatures of `bits` bits on some threads.
    pub fn expected_seconds(&self, signatures: usize, bits: usize, threads: usize) -> f64 {
        let (count, beam) = (signatures as f64, self.beam.min(signatures) as f64);
        let swaps = match self.shift {
            Shift::Transpositions(swaps) => swaps + bits,
            Shift::Fresh => bits,
        };
        let shared = count * (SORT_NANOS + beam * COMPARISON_NANOS) / threads as f64;
        let nanos = shared + swaps as f64 * TRANSPOSITION_NANOS + ITERATION_NANOS;
        self.iterations.saturating_sub(self.skipped) as f64 * nanos * 1e-9
    }
}

/// State after an iteration.
#[derive(Debug, Clone, Copy)]
pub struct PlebProgress<'a> {
    /// Number of the iteration, from 1.
    pub iteration: u64,
    /// Pairs found for the first time, sorted.
    pub fresh: &'a [SignaturePair],
    /// Estimated share of all pairs of signatures found; `None` before pairs could be found again.
    pub estimate: Option<f64>,
}

/// Returns the pairs at most `max` apart that the search finds, sorted. `wanted` filters pairs; `report` is called after each iteration.
pub fn pairs(
    set: &SignatureSet,
    max: u32,
    settings: PlebSettings,
    wanted: &(dyn Fn(u32, u32) -> bool + Sync),
    session: &Session,
    mut report: impl FnMut(PlebProgress<'_>),
) -> Vec<SignaturePair> {
    let own = settings.skipped..settings.iterations;
    session.phase("PLEB iterations", Some(own.end.saturating_sub(own.start)));
    if own.is_empty() {
        return Vec::new();
    }
    let mut permutation = Permutation::identity(set.bits());
    permutation.shuffle_all(settings, own.start);
    let mut order = SortOrder::new(set);
    let mut known = PairSet::new(iterations_per_occasion(settings.shift, set.bits()));
    for iteration in own {
        let numbers = order.sorted(set, &permutation);
        let found = neighbours(set, numbers, max, settings.beam, wanted, session.cpu());
        let fresh = known.add(found);
        let estimate = known.estimated_share();
        report(PlebProgress { iteration: iteration + 1, fresh: &fresh, estimate });
        session.advance(1);
        if settings.target_recall.is_some_and(|target| estimate.is_some_and(|e| e >= target)) {
            break;
        }
        permutation.shuffle(settings, iteration);
    }
    known.into_pairs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::cpu::Cpu;
    use crate::search::{AllPairsMethod, full};
    use crate::session::Session;
    use rand::rngs::ChaCha8Rng;
    use rand::{Rng, RngExt, SeedableRng};

    const BITS: usize = 256;

    /// Returns random signatures, every other one a copy of the one before with 1 to 24 bits flipped.
    fn planted(seed: u64, count: usize) -> SignatureSet {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        let mut set = SignatureSet::new(BITS);
        for _ in 0..count / 2 {
            let mut words: [u64; BITS / 64] = std::array::from_fn(|_| generator.next_u64());
            set.push(&words);
            for _ in 0..generator.random_range(1..25) {
                let bit = generator.random_range(0..BITS);
                words[bit / 64] ^= 1 << (bit % 64);
            }
            set.push(&words);
        }
        set
    }

    /// Returns the estimated and the true share of pairs found after each iteration.
    fn shares(set: &SignatureSet, shift: Shift, iterations: u64) -> Vec<(Option<f64>, f64)> {
        let all = full::pairs(set, 24, AllPairsMethod::Auto, &Session::silent()).len() as f64;
        let settings =
            PlebSettings { iterations, skipped: 0, beam: 4, shift, seed: 5, target_recall: None };
        let (mut known, mut shares) = (0, Vec::new());
        pairs(set, 24, settings, &|_, _| true, &Session::silent(), |progress| {
            known += progress.fresh.len();
            shares.push((progress.estimate, known as f64 / all));
        });
        shares
    }

    /// With ten thousand planted pairs, the standard error of the estimate is well below 1 % from the third iteration on.
    #[test]
    fn the_estimate_is_near_the_truth_with_new_permutations() {
        for seed in 1..4 {
            let shares = shares(&planted(seed, 20_000), Shift::Fresh, 8);
            assert_eq!(shares[0].0, None);
            for (iteration, (estimate, truth)) in shares.into_iter().enumerate().skip(2) {
                let estimate = estimate.unwrap();
                assert!(
                    (estimate - truth).abs() < 0.02,
                    "seed {seed}, iteration {}: {estimate} instead of {truth}",
                    iteration + 1
                );
            }
        }
    }

    #[test]
    fn the_estimate_is_not_far_above_the_truth_with_transpositions() {
        let shares = shares(&planted(1, 20_000), Shift::Transpositions(60), 40);
        assert!(shares.iter().filter_map(|(e, _)| *e).count() > 20);
        for (estimate, truth) in shares {
            assert!(estimate.is_none_or(|e| (e - truth).abs() < 0.05), "{estimate:?} {truth}");
        }
    }

    #[test]
    fn expected_time_grows_with_every_parameter() {
        let settings = |iterations, beam, swaps| {
            let shift = Shift::Transpositions(swaps);
            PlebSettings { iterations, skipped: 0, beam, shift, seed: 1, target_recall: None }
        };
        let seconds = settings(100, 10, 70).expected_seconds(5000, 256, 2);
        assert!((0.001..1.0).contains(&seconds), "{seconds}");
        assert!(settings(200, 10, 70).expected_seconds(5000, 256, 2) > seconds);
        assert!(settings(100, 20, 70).expected_seconds(5000, 256, 2) > seconds);
        assert!(settings(100, 10, 170).expected_seconds(5000, 256, 2) > seconds);
        assert!(settings(100, 10, 70).expected_seconds(9000, 256, 2) > seconds);
        assert!(settings(100, 10, 70).expected_seconds(5000, 256, 1) > seconds);
        let all = settings(1, 5000, 0).expected_seconds(5000, 256, 1);
        assert_eq!(settings(1, usize::MAX, 0).expected_seconds(5000, 256, 1), all);
    }

    #[test]
    fn iterations_in_parts_find_the_same_pairs() {
        let set = planted(7, 600);
        for shift in [Shift::Transpositions(0), Shift::Transpositions(9), Shift::Fresh] {
            let found = |own: std::ops::Range<u64>| {
                let (iterations, skipped) = (own.end, own.start);
                let settings = PlebSettings {
                    iterations,
                    skipped,
                    beam: 2,
                    shift,
                    seed: 3,
                    target_recall: None,
                };
                pairs(&set, 24, settings, &|_, _| true, &Session::silent(), |_| {})
            };
            let mut parts =
                [found(0..0), found(0..2), found(2..3), found(3..9), found(9..9)].concat();
            parts.sort_unstable_by_key(SignaturePair::key);
            parts.dedup();
            assert_eq!(parts, found(0..9), "{shift:?}");
        }
    }

    #[test]
    fn all_instruction_sets_find_the_same_pairs() {
        let set = planted(9, 3000);
        for max in [0, 12, 24, 100, 256] {
            let settings = PlebSettings {
                iterations: 3,
                skipped: 0,
                beam: 5,
                shift: Shift::Transpositions(30),
                seed: 1,
                target_recall: None,
            };
            let found = |cpu| {
                pairs(&set, max, settings, &|_, _| true, &Session::silent().with_cpu(cpu), |_| {})
            };
            let plain = found(Cpu::SCALAR);
            assert!(Cpu::available().all(|cpu| found(cpu) == plain), "{max}");
        }
    }
}
