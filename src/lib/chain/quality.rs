//! `analyze_rnd_vecs_quality`: statistical tests of the hyperplanes of `create_sigs`.

use clap::{Args, Parser};
use serde::Serialize;

use super::flags::{HyperplaneFlags, no_terms};
use crate::error::Result;
use crate::evaluate::randomness::{self, RandomnessTest, ValueCount, VectorMoments, VectorSample};
use crate::executable::values::at_least_one;
use crate::executable::{Counts, Executable, FlagPath};
use crate::files::output::Publisher;
use crate::files::paths::{self, VecPaths};
use crate::files::verdicts;
use crate::random;
use crate::session::Session;
use crate::signature::{ComponentTally, RandomVectors, VectorSums};

/// Tests the hyperplanes of create_sigs: moments, goodness of fit, balance of signs, angles. Probabilities below 0.001 are reported as suspicious;
/// one in a thousand sound tests is
#[derive(Debug, Clone, Parser, Serialize)]
#[command(name = "analyze_rnd_vecs_quality", version, rename_all = "snake_case")]
pub struct AnalyzeRndVecsQuality {
    /// The number of components.
    #[command(flatten)]
    #[serde(flatten)]
    pub terms: TermCount,
    /// Write the tests to FILE as CSV
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub out: FlagPath,
    /// The hyperplanes to test.
    #[command(flatten)]
    #[serde(flatten)]
    pub hyperplanes: HyperplaneFlags,
    /// Measure the angles of N pairs of hyperplanes, or of all if there are fewer
    #[arg(long, value_name = "N", help_heading = "Tests", default_value = "10000", value_parser = at_least_one)]
    pub pair_count: usize,
}

/// The number of components of a hyperplane. Exactly one of the flags is set.
#[derive(Debug, Clone, Args, Serialize)]
#[command(rename_all = "snake_case")]
#[group(required = true, multiple = false)]
pub struct TermCount {
    /// Number of components of a hyperplane
    #[arg(long, value_name = "N", help_heading = "Input", value_parser = clap::value_parser!(u32).range(1..))]
    pub term_count: Option<u32>,
    /// Use one component per term of the vocabulary of this list of VEC files, from create_vecs
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub vec_paths: Option<FlagPath>,
}

impl Executable for AnalyzeRndVecsQuality {
    const EXAMPLES: [(&'static str, &'static str); 2] = [
        (
            "Test 1,024 hyperplanes over 100,000 terms",
            "analyze_rnd_vecs_quality --sig_len 1024 --term_count 100000 --out quality.csv",
        ),
        (
            "Test the hyperplanes that sign a collection",
            "analyze_rnd_vecs_quality --sig_len 256 --rnd_dist levels --vec_paths vec_paths --out quality.csv",
        ),
    ];

    /// Tests all components in one pass, plus one per round of redrawing. Memory does not grow with the number of components.
    fn run(&self, session: &Session) -> Result<Counts> {
        self.hyperplanes.check()?;
        let reads = self.terms.vec_paths.as_deref().map(paths::list_reads);
        let out = Publisher::new(session, reads.into_iter().flatten()).create(&self.out)?;
        session.phase("drawing hyperplanes", None);
        let vectors = self.hyperplanes.draw(self.terms.count()?, session)?;
        let pairs = pairs(&self.hyperplanes, self.pair_count);
        let tally = ComponentTally::of(&vectors, &pairs, session);
        let balance = self.hyperplanes.below_zero_percent;
        let tests = randomness::tests(&observed(&vectors, &tally, &pairs, balance));
        verdicts::write(out, &tests)?;
        report(&tests, session);
        Ok(Counts::new((vectors.bits() as u64, "hyperplanes"), (tests.len() as u64, "tests")))
    }
}

impl TermCount {
    fn count(&self) -> Result<usize> {
        let Some(list) = &self.vec_paths else {
            return Ok(self.term_count.map_or(1, |count| count as usize));
        };
        let terms = VecPaths::read(list)?.terms;
        if terms > 0 { Ok(terms) } else { Err(no_terms(list)) }
    }
}

/// Returns all pairs of hyperplanes, or `wanted` independently drawn ones if there are more.
fn pairs(hyperplanes: &HyperplaneFlags, wanted: usize) -> Vec<(usize, usize)> {
    let bits = hyperplanes.sig_len;
    let all = bits * (bits - 1) / 2;
    if all > wanted {
        return random::transpositions(hyperplanes.rnd_seed, 0, bits as u32, wanted).collect();
    }
    (0..bits).flat_map(|one| (one + 1..bits).map(move |other| (one, other))).collect()
}

fn observed(
    vectors: &RandomVectors,
    tally: &ComponentTally,
    pairs: &[(usize, usize)],
    balance: Option<f64>,
) -> VectorSample {
    let (unit, terms) = (vectors.unit(), vectors.terms() as f64);
    let level = |(value, probability): (i16, f64)| ValueCount {
        value: f64::from(value) / unit,
        probability,
        count: tally.count(value),
    };
    let length = |vector: usize| (tally.vectors[vector].squares as f64).sqrt();
    let cosine = |((one, other), product): (&(usize, usize), &i64)| {
        *product as f64 / (length(*one) * length(*other))
    };
    let moments = |sums: &VectorSums| VectorMoments {
        mean: sums.sum as f64 / unit / terms,
        mean_square: sums.squares as f64 / (unit * unit) / terms,
        positives: sums.positives,
    };
    VectorSample {
        levels: vectors.distribution().into_iter().map(level).collect(),
        is_normal: matches!(vectors, RandomVectors::Gauss(_)),
        terms: vectors.terms() as u64,
        vectors: tally.vectors.iter().map(moments).collect(),
        cosines: pairs.iter().zip(&tally.products).map(cosine).collect(),
        balance: balance.map(|percent| (percent, vectors.redraws())),
    }
}

/// Reports the tests with an improbable outcome.
fn report(tests: &[RandomnessTest], session: &Session) {
    let suspicious = tests.iter().filter(|test| test.is_suspicious == Some(true));
    let suspicious: Vec<&str> = suspicious.map(|test| test.name).collect();
    if !suspicious.is_empty() {
        let below = randomness::SUSPICIOUS;
        session.info(&format!("suspicious (p < {below}): {}", suspicious.join(", ")));
    }
}
