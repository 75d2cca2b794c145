//! Compares the executables with slow, obvious re-implementations that share no code with the library.
//!
//! [`texts`], [`vocabularies`], [`similarities`], [`signatures`], [`levels`], [`measures`] and [`whole`] are the re-implementations; [`collections`] generates small
//! collections; [`stages`], [`searches`], [`comparisons`], [`merged_clusters`], [`randomness`] and [`experiments`] run the executables on them and compare the output.
//! [`cosines`] compares the exact searches of the library with the definition, where executables would be too slow.

mod collections;
mod comparisons;
mod cosines;
mod experiments;
mod levels;
mod measures;
mod merged_clusters;
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

/// Returns a configuration with a fixed seed, so that failures are reproducible. Each case starts executables, so there are few.
fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(2007),
        max_shrink_iters: 400,
        ..ProptestConfig::default()
    }
}
