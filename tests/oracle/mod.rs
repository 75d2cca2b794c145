//! Slow, obvious re-implementations that share no code with the library, against the executables.
//!
//! [`texts`], [`vocabularies`], [`similarities`], [`signatures`], [`levels`], [`measures`] and [`whole`] are the re-implementations; [`collections`] invents small
//! collections; [`stages`], [`searches`], [`comparisons`], [`randomness`] and [`experiments`] run the executables on them and compare what they write.

mod collections;
mod comparisons;
mod experiments;
mod levels;
mod measures;
mod randomness;
mod searches;
mod signatures;
mod similarities;
mod stages;
mod texts;
mod vocabularies;
mod whole;

use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

/// So many cases, the same in every run: each starts executables, and a failure must come back.
fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(2007),
        max_shrink_iters: 400,
        ..ProptestConfig::default()
    }
}
