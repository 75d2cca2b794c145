//! Share of the pairs of `hamming_full` that PLEB finds per iteration, and its own estimate.

use super::{Bench, MeasurementParts, Run, Sink, have_same, number};
use crate::chain::hamming::{document_pairs, pairs_in_groups};
use crate::error::Result;
use crate::executable::Step;
use crate::experiment::keys::GridKey::*;
use crate::experiment::keys::{Configuration, GridKey};
use crate::experiment::pipeline::{Pipeline, hamming_full, search};
use crate::files::sig::Signatures;
use crate::search::pleb::{PlebProgress, PlebSettings, pairs};
use crate::search::{AllPairsMethod, Percent, full};
use crate::session::Session;

/// The measurement of configurations of the same signatures and threshold. Pairs are pairs of documents; the estimate covers pairs of signatures,
/// as the column before it.
pub const PARTS: MeasurementParts = MeasurementParts {
    keys: &[Collection, Weighting, MinDf, RndSeed, SigLen, Threshold, Beam, ShiftCount, IterCount],
    columns: "distinct_signatures,all_pairs,found_pairs,found_pairs_pct,found_signature_pairs_pct,estimate_pct",
    run: Run::Together(&[Collection, Weighting, MinDf, RndSeed, SigLen, Threshold], run),
    commands,
};

/// Makes one search per beam and shift, for all numbers of iterations.
fn run(bench: &Bench<'_>, batch: &[Configuration], sink: &mut Sink<'_>) -> Result<()> {
    let first = &batch[0];
    let pipeline = bench.pipeline(first);
    pipeline.vectors(bench.session)?;
    let signatures = pipeline.signatures(first.bits(), bench.session)?;
    let max_distance = first.get::<Percent>(Threshold).max_distance(first.bits());
    let all = full::pairs(&signatures.set, max_distance, AllPairsMethod::Auto, bench.session);
    let in_groups = pairs_in_groups(&signatures, 0..signatures.set.len(), |_| 0);
    let document_pairs = in_groups + document_pairs(&signatures, &all, |_| 0);
    let exhaustive = ExhaustivePairs {
        in_groups,
        document_pairs,
        signature_pairs: all.len(),
        signatures: &signatures,
    };
    for searched in batch.chunk_by(|one, next| have_same(&[Beam, ShiftCount], one, next)) {
        let rows = exhaustive.search(searched, max_distance, bench.session);
        searched.iter().zip(rows).try_for_each(|(configuration, row)| sink(configuration, row))?;
    }
    Ok(())
}

/// All pairs of `hamming_full`.
struct ExhaustivePairs<'a> {
    signatures: &'a Signatures,
    /// Pairs of documents that share a signature, found from the start.
    in_groups: u64,
    document_pairs: u64,
    signature_pairs: usize,
}

impl ExhaustivePairs<'_> {
    /// Searches by PLEB and returns the rows of configurations that differ in their iterations only.
    fn search(
        &self,
        configurations: &[Configuration],
        max_distance: u32,
        session: &Session,
    ) -> Vec<Vec<String>> {
        let first = &configurations[0];
        let iterations: Vec<u64> = configurations.iter().map(|one| one.get(IterCount)).collect();
        let settings = PlebSettings {
            iterations: iterations.iter().copied().max().unwrap_or(0),
            skipped: 0,
            beam: first.get(Beam),
            shift: first.get(ShiftCount),
            seed: first.get(RndSeed),
            target_recall: None,
        };
        let signatures = self.signatures;
        let (mut found, mut known) = (self.in_groups, 0);
        let mut after: Vec<Vec<String>> = Vec::new();
        let report = |progress: PlebProgress<'_>| {
            found += document_pairs(signatures, progress.fresh, |_| 0);
            known += progress.fresh.len();
            after.push(self.row(found, known, progress.estimate));
        };
        pairs(&signatures.set, max_distance, settings, &|_, _| true, session, report);
        iterations.iter().map(|count| after[*count as usize - 1].clone()).collect()
    }

    fn row(&self, found: u64, known: usize, estimate: Option<f64>) -> Vec<String> {
        let share = |part: f64, whole: f64| {
            if whole > 0.0 { number(100.0 * part / whole) } else { String::new() }
        };
        vec![
            self.signatures.set.len().to_string(),
            self.document_pairs.to_string(),
            found.to_string(),
            share(found as f64, self.document_pairs as f64),
            share(known as f64, self.signature_pairs as f64),
            estimate.map_or_else(String::new, |estimate| number(100.0 * estimate)),
        ]
    }
}

fn commands(pipeline: &Pipeline<'_>) -> Vec<String> {
    let configuration = pipeline.configuration;
    let threshold: Percent = configuration.get(Threshold);
    let searched =
        |ending: &str| search(pipeline.sig_paths(configuration.bits()), ending, threshold);
    let all = hamming_full(searched(&format!(".full-{threshold}")));
    let settings = GridKey::OF_PLEB.map(|key| configuration.text(key)).join("-");
    let pleb = pipeline.hamming(searched(&format!(".pleb-{threshold}-{settings}")));
    let mut lines = pipeline.signature_commands();
    lines.extend([all.command_line(), pleb.command_line()]);
    lines
}
