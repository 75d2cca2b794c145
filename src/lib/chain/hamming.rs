//! `hamming` and `hamming_full`: similar signatures, by PLEB or exhaustively.

mod collection;

use std::ops::Range;

use clap::Parser;
use rayon::prelude::*;
use serde::Serialize;

use self::collection::Collection;
use super::flags::SignatureSearch;
use crate::error::{Error, Result};
use crate::executable::values::{at_least_one, at_least_one_u64, share_or_percent};
use crate::executable::{Counts, Executable, duration, grouped};
use crate::files::manifest::StageKind;
use crate::files::sig::Signatures;
use crate::random::DEFAULT_SEED;
use crate::search::{AllPairsMethod, MatchLists, SignaturePair, full, pleb};
use crate::session::Session;
use crate::signature::SignatureSet;

/// Finds every pair of documents with similar signatures
#[derive(Debug, Clone, Parser, Serialize)]
#[command(name = "hamming_full", version, rename_all = "snake_case")]
pub struct HammingFull {
    /// The signatures to search.
    #[command(flatten)]
    #[serde(flatten)]
    pub search: SignatureSearch,
    /// Search method; the result is the same. A sample is always compared with every signature
    #[arg(long, value_name = "METHOD", help_heading = "Search", default_value_t, value_enum)]
    pub method: AllPairsMethod,
}

impl Executable for HammingFull {
    const EXAMPLES: [(&'static str, &'static str); 2] = [
        (
            "Find all pairs of signatures that agree in at least 95 % of their bits",
            "hamming_full --sig_paths sig_paths --threshold 95 --out pairs",
        ),
        (
            "Compare the documents of a sample with all others",
            "hamming_full --sig_paths sig_paths --threshold 80 --sample_list sample --out pairs",
        ),
    ];

    const UNRECORDED: &'static [&'static str] = &["method"];

    /// Compares all signatures, or those of a shard with later ones ([`full::pairs_of_rows`]). Of a sample, a shard compares consecutive documents. Memory:
    /// the signatures, the names and the pairs.
    fn run(&self, session: &Session) -> Result<Counts> {
        let provenance = self.provenance(StageKind::Pairs);
        let (collection, out) = Collection::read(&self.search, provenance, session)?;
        let (set, max) = (&collection.signatures.set, collection.max_distance);
        let Some(sample) = &collection.sample else {
            let rows = |shard| full::rows_of_shard(shard, set.len());
            let rows = collection.shard.map_or(0..set.len(), rows);
            let pairs = full::pairs_of_rows(set, rows, max, self.method, session);
            return collection.write_all(out, pairs);
        };
        let own = collection.share(sample.len());
        session.phase("comparing the sample", Some(own.len() as u64));
        collection.write_sample(out, sample, own, |queries| {
            session.advance(queries.len() as u64);
            queries.par_iter().map(|query| full::matches(set, *query, max, session)).collect()
        })
    }
}

/// Finds pairs of documents with similar signatures by PLEB: sort, compare neighbors, permute bits, repeat
#[derive(Debug, Clone, Parser, Serialize)]
#[command(name = "hamming", version, rename_all = "snake_case")]
pub struct Hamming {
    /// The signatures to search.
    #[command(flatten)]
    #[serde(flatten)]
    pub search: SignatureSearch,
    /// Maximum number of iterations
    #[arg(long, value_name = "N", help_heading = "Search", value_parser = at_least_one_u64)]
    pub iter_count: u64,
    /// Compare each signature with the next N in sort order
    #[arg(long, value_name = "N", help_heading = "Search", value_parser = at_least_one)]
    pub beam: usize,
    /// Random transpositions of bit positions after each iteration, up to about BITS * log2(BITS); 'full' draws a new permutation instead
    #[arg(long, value_name = "N", help_heading = "Search", default_value = "1")]
    pub shift_count: pleb::Shift,
    /// Stop when this share of all signature pairs is found: 0.99, or 99 or 99% for percent. Chao's estimator, per distance, estimates the share
    /// from repeated finds, which takes independent permutations: --shift_count full
    #[arg(long, value_name = "R", help_heading = "Search", value_parser = share_or_percent)]
    pub target_recall: Option<f64>,
    /// Seed of the transpositions
    #[arg(long, value_name = "N", help_heading = "Search", default_value_t = DEFAULT_SEED)]
    pub rnd_seed: u64,
}

impl Executable for Hamming {
    const EXAMPLES: [(&'static str, &'static str); 2] = [
        (
            "Run 100 iterations with a beam of 10",
            "hamming --sig_paths sig_paths --threshold 95 --iter_count 100 --beam 10 --out pairs",
        ),
        (
            "Stop at an estimated recall of 99 %",
            "hamming --sig_paths sig_paths --threshold 95 --iter_count 1000 --beam 10 --shift_count full --target_recall 0.99 --out pairs",
        ),
    ];

    /// Searches by PLEB and reports the pairs found after every iteration, with a target also their estimated share. A shard does consecutive iterations,
    /// and of those before only the transpositions.
    fn run(&self, session: &Session) -> Result<Counts> {
        if self.target_recall.is_some() && self.search.shards.shard.is_some() {
            return Err(Error::Usage(
                "--target_recall excludes --shard: when to stop depends on the pairs of all iterations".into(),
            ));
        }
        if self.target_recall.is_some() && self.shift_count != pleb::Shift::Fresh {
            return Err(Error::Usage(
                "--target_recall needs --shift_count full: transpositions leave most bits in place, so the same pairs are found again and the recall is overestimated".into(),
            ));
        }
        let provenance = self.provenance(StageKind::Pairs);
        let (collection, out) = Collection::read(&self.search, provenance, session)?;
        let set = &collection.signatures.set;
        self.check_shift(set.bits())?;
        self.announce(set, session);
        let in_sample = collection.in_sample.as_ref();
        let is_query =
            |signature: u32| in_sample.is_none_or(|counts| counts[signature as usize] > 0);
        let wanted = |one: u32, other: u32| is_query(one) || is_query(other);
        let others = |signature| collection.others(signature);
        let own = collection.share(set.len());
        let mut known = pairs_in_groups(&collection.signatures, own, others);
        let report = |progress: pleb::PlebProgress<'_>| {
            known += document_pairs(&collection.signatures, progress.fresh, others);
            let estimate = self.target_recall.map(|_| estimate(progress.estimate));
            let (iteration, estimate) = (progress.iteration, estimate.unwrap_or_default());
            session.info(&format!("iteration {iteration}: {known} pairs found{estimate}"));
        };
        let max = collection.max_distance;
        let pairs = pleb::pairs(set, max, self.settings(), &wanted, session, report);
        let Some(sample) = &collection.sample else { return collection.write_all(out, pairs) };
        let rows = MatchLists::new(set.len(), &pairs);
        collection.write_sample(out, sample, 0..sample.len(), |queries| {
            queries.iter().map(|query| rows.get(*query).to_vec()).collect()
        })
    }
}

/// Seconds from which on the expected time is announced.
const LONG: f64 = 60.0;

impl Hamming {
    /// Refuses more transpositions than mix the positions of a signature.
    fn check_shift(&self, bits: usize) -> Result<()> {
        let max = pleb::Shift::max_transpositions(bits);
        match self.shift_count {
            pleb::Shift::Transpositions(count) if count > max => Err(Error::Usage(format!(
                "--shift_count: expected at most {max} for {bits} bits, found {count}; 'full' draws a new permutation, which more cannot outdo"
            ))),
            _ => Ok(()),
        }
    }

    /// Announces a search that takes long.
    fn announce(&self, set: &SignatureSet, session: &Session) {
        let threads = session.install(rayon::current_num_threads);
        let seconds = self.settings().expected_seconds(set.len(), set.bits(), threads);
        if seconds >= LONG {
            let own = self.iterations();
            let counts = [own.end - own.start, set.len() as u64].map(grouped);
            let most = if self.target_recall.is_some() { "at most " } else { "" };
            session.info(&format!(
                "{} iterations over {} signatures: {most}about {}",
                counts[0],
                counts[1],
                duration(seconds)
            ));
        }
    }

    /// Returns the iterations to do.
    fn iterations(&self) -> Range<u64> {
        self.search.shards.shard.map_or(0..self.iter_count, |shard| shard.range(self.iter_count))
    }

    fn settings(&self) -> pleb::PlebSettings {
        let own = self.iterations();
        pleb::PlebSettings {
            iterations: own.end,
            skipped: own.start,
            beam: self.beam,
            shift: self.shift_count,
            seed: self.rnd_seed,
            target_recall: self.target_recall,
        }
    }
}

/// Formats the estimated share of pairs found.
fn estimate(share: Option<f64>) -> String {
    match share {
        Some(share) => format!(", an estimated {:.2} % of all", 100.0 * share),
        None => ", too few to estimate their share".into(),
    }
}

/// Returns the number of document pairs with a query that pairs of signatures stand for. `others` counts a signature's documents that are no
/// queries.
pub fn document_pairs(
    signatures: &Signatures,
    pairs: &[SignaturePair],
    others: impl Fn(usize) -> u64,
) -> u64 {
    let of_pair = |pair: &SignaturePair| {
        let (low, high) = (pair.low as usize, pair.high as usize);
        signatures.size(low) * signatures.size(high) - others(low) * others(high)
    };
    pairs.iter().map(of_pair).sum()
}

/// Returns the number of document pairs with a query that share one of some signatures. `others` counts a signature's documents that are no queries.
pub fn pairs_in_groups(
    signatures: &Signatures,
    range: Range<usize>,
    others: impl Fn(usize) -> u64,
) -> u64 {
    let pairs = |size: u64| size * size.saturating_sub(1) / 2;
    let of_group = |signature| pairs(signatures.size(signature)) - pairs(others(signature));
    range.map(of_group).sum()
}
