//! Error of Hamming similarities as approximations of cosines.
//!
//! Measured over all pairs of a sample document and a document of the collection, as by `compare_results`. Columns with the prefix `near_`
//! cover the pairs at or above both thresholds, as the thesis' tables of near-duplicates.

use std::path::Path;

use rayon::prelude::*;

use super::compared::{SampleComparison, SimilarityRow};
use super::{Bench, MeasurementParts, Run, Sink, cell, number};
use crate::chain::compare::CompareResults;
use crate::chain::flags::SignatureSearch;
use crate::chain::hamming::HammingFull;
use crate::chain::similarity::Similarity;
use crate::error::Result;
use crate::evaluate::{Evaluation, EvaluationSettings, Retrieval, ScorePair, expected_hamming};
use crate::executable::{Step, quoted};
use crate::experiment::keys::GridKey::*;
use crate::experiment::keys::{Configuration, HammingThreshold};
use crate::experiment::pipeline::{Pipeline, compare, with_value};
use crate::files::output::with_suffix;
use crate::search::Percent;

/// The measurement of configurations of the same vectors and hyperplanes.
pub const PARTS: MeasurementParts = MeasurementParts {
    keys: &[Collection, Weighting, MinDf, Sample, RndSeed, SigLen, ThresholdSim, ThresholdHam],
    columns: COLUMNS,
    run: Run::Together(&[Collection, Weighting, MinDf, Sample, RndSeed], run),
    commands,
};

const COLUMNS: &str = "distinct_signatures,threshold_ham_used,documents,pairs,L1,L2,largest_difference,S,S_bins,S_theory,\
S_theory_with_bin_width,L1_calibrated,L1_calibrated_theory,L2_calibrated,largest_difference_calibrated,S_calibrated,\
P,R,F1,P_pairs,R_pairs,F1_pairs,P_calibrated,R_calibrated,F1_calibrated,\
P_pairs_calibrated,R_pairs_calibrated,F1_pairs_calibrated,near_pairs,near_L1,near_L2,near_S";

/// The evaluation that configurations share if they differ in `threshold_ham` only. It is the most expensive part.
struct LengthEvaluation {
    /// The index of the signature length.
    length: usize,
    threshold_sim: f64,
    all: Evaluation,
}

/// The evaluation of one configuration.
struct ThresholdEvaluation {
    /// The index of the shared evaluation.
    shared: usize,
    threshold_ham: f64,
    retrieval: Retrieval,
    near: Evaluation,
}

/// The evaluations of a batch of configurations.
struct BatchEvaluation {
    shared: Vec<LengthEvaluation>,
    own: Vec<ThresholdEvaluation>,
}

fn run(bench: &Bench<'_>, batch: &[Configuration], sink: &mut Sink<'_>) -> Result<()> {
    let mut lengths: Vec<usize> = batch.iter().map(Configuration::bits).collect();
    lengths.sort_unstable();
    lengths.dedup();
    let longest = lengths[lengths.len() - 1];
    let sampled = SampleComparison::read(bench, &batch[0], longest)?;
    let mut evaluation = BatchEvaluation::new(batch, &lengths);
    if batch.iter().any(is_lowest) {
        evaluation.set_lowest(batch, &sampled, &lengths);
    }
    sampled.for_each(&lengths, |row| evaluation.add(row));
    let distinct: Vec<usize> = lengths.iter().map(|bits| sampled.distinct(*bits)).collect();
    for (configuration, one) in batch.iter().zip(&evaluation.own) {
        let shared = &evaluation.shared[one.shared];
        sink(configuration, one.values(shared, distinct[shared.length]))?;
    }
    Ok(())
}

fn is_lowest(configuration: &Configuration) -> bool {
    configuration.get::<HammingThreshold>(ThresholdHam) == HammingThreshold::Lowest
}

impl BatchEvaluation {
    fn new(batch: &[Configuration], lengths: &[usize]) -> Self {
        let mut new = BatchEvaluation { shared: Vec::new(), own: Vec::new() };
        for configuration in batch {
            let bits = configuration.bits();
            let length = lengths.iter().position(|length| *length == bits);
            let length = length.expect("the lengths come from the batch");
            let threshold_sim = configuration.get::<Percent>(ThresholdSim).value();
            let is_same =
                |one: &LengthEvaluation| one.length == length && one.threshold_sim == threshold_sim;
            let place = new.shared.iter().position(is_same).unwrap_or_else(|| {
                new.shared.push(LengthEvaluation::new(length, threshold_sim, bits as u64));
                new.shared.len() - 1
            });
            new.own.push(ThresholdEvaluation::new(configuration, place));
        }
        new
    }

    /// Finds the lowest Hamming similarity of a similar pair where it is the threshold. Without such a pair it is 100.
    fn set_lowest(
        &mut self,
        batch: &[Configuration],
        sampled: &SampleComparison<'_>,
        lengths: &[usize],
    ) {
        let mut lowest = vec![100.0f64; self.shared.len()];
        sampled.for_each(lengths, |row| {
            lowest
                .iter_mut()
                .zip(&self.shared)
                .for_each(|(low, one)| *low = low.min(one.lowest(row)));
        });
        let configured = self.own.iter_mut().zip(batch);
        for (one, _) in configured.filter(|(_, configuration)| is_lowest(configuration)) {
            one.threshold_ham = lowest[one.shared];
        }
    }

    fn add(&mut self, row: &SimilarityRow) {
        let compared = |hamming: &Vec<f64>| {
            let pairs = row.cosines.iter().zip(hamming);
            pairs.map(|(sim, ham)| ScorePair { sim: Some(*sim), ham: Some(*ham) }).collect()
        };
        let by_length: Vec<Vec<ScorePair>> = row.hamming.par_iter().map(compared).collect();
        self.shared.par_iter_mut().for_each(|one| one.all.add_document(&by_length[one.length]));
        let shared = &self.shared;
        self.own.par_iter_mut().for_each(|one| {
            let of = &shared[one.shared];
            one.add(&by_length[of.length], of.threshold_sim);
        });
    }
}

impl LengthEvaluation {
    fn new(length: usize, threshold_sim: f64, bits: u64) -> Self {
        let settings = EvaluationSettings {
            threshold_sim: Some(threshold_sim),
            threshold_ham: None,
            bits: Some(bits),
        };
        LengthEvaluation { length, threshold_sim, all: Evaluation::new(settings) }
    }

    /// Returns the lowest Hamming similarity of a similar document, or 100 without one.
    fn lowest(&self, row: &SimilarityRow) -> f64 {
        let similar = row.cosines.iter().zip(&row.hamming[self.length]);
        let similar = similar.filter(|(cosine, _)| **cosine >= self.threshold_sim);
        similar.map(|(_, hamming)| *hamming).fold(100.0, f64::min)
    }
}

impl ThresholdEvaluation {
    fn new(configuration: &Configuration, shared: usize) -> Self {
        let threshold_ham = match configuration.get(ThresholdHam) {
            HammingThreshold::At(percent) => percent.value(),
            HammingThreshold::Calibrated => {
                expected_hamming(configuration.get::<Percent>(ThresholdSim).value())
            }
            // Set later.
            HammingThreshold::Lowest => 100.0,
        };
        let near = Evaluation::new(EvaluationSettings::default());
        ThresholdEvaluation { shared, threshold_ham, retrieval: Retrieval::default(), near }
    }

    fn add(&mut self, others: &[ScorePair], threshold_sim: f64) {
        self.retrieval.add_document(others, threshold_sim, self.threshold_ham);
        let is_near = |one: &&ScorePair| {
            one.sim.is_some_and(|sim| sim >= threshold_sim)
                && one.ham.is_some_and(|ham| ham >= self.threshold_ham)
        };
        let near: Vec<ScorePair> = others.iter().filter(is_near).copied().collect();
        self.near.add_document(&near);
    }

    fn values(&self, shared: &LengthEvaluation, distinct: usize) -> Vec<String> {
        let all = shared.all.with_retrieval(self.threshold_ham, &self.retrieval).measures();
        let near = self.near.measures();
        let mut values = vec![distinct.to_string(), number(self.threshold_ham)];
        for column in COLUMNS.split(',').skip(values.len()) {
            let (measures, name) =
                column.strip_prefix("near_").map_or((&all, column), |n| (&near, n));
            values.push(cell(measures, if name == "pairs" { "pairs_both" } else { name }));
        }
        values
    }
}

/// Returns the command lines that give a configuration's numbers: all pairs compared, and those at or above both thresholds.
fn commands(pipeline: &Pipeline<'_>) -> Vec<String> {
    let configuration = pipeline.configuration;
    let (mut lines, sim, ham) = pipeline.sample_searches();
    let at_sim: Percent = configuration.get(ThresholdSim);
    let at_ham = configuration.text(ThresholdHam);
    let ending = format!("-{at_sim}-{at_ham}");
    let compared = with_suffix(&ham.search.out, ".cmp");
    let sig_len = Some(configuration.bits());
    let compare_all = |summary| CompareResults {
        sig_len,
        ..compare(&sim.out, &ham.search.out, &compared, summary)
    };
    // The value of `compare_results`, and that of the search.
    let (used, searched) = match configuration.get(ThresholdHam) {
        HammingThreshold::At(percent) => (percent.to_string(), percent.to_string()),
        HammingThreshold::Calibrated => {
            let expected = expected_hamming(at_sim.value()).to_string();
            (expected.clone(), expected)
        }
        HammingThreshold::Lowest => {
            let file = quoted(&with_suffix(&compared, &format!("{ending}.threshold")));
            lines.push(compare_all(None).command_line());
            lines.push(lowest_command(at_sim, &compared, &file));
            // A search takes decimal thresholds; this one may be a rounded fraction, so the search asks for slightly less.
            let below = format!("\"$(awk '{{ printf \"%.6f\", $1 - 0.000001 }}' {file})\"");
            (format!("\"$(cat {file})\""), below)
        }
    };
    let compare_all = CompareResults {
        threshold_sim: Some(at_sim),
        threshold_ham: Some(Percent::default()),
        ..compare_all(Some(with_suffix(&compared, &format!("{ending}.csv"))))
    };
    lines.push(with_value(&compare_all.command_line(), "threshold_ham", &used));
    let sim_out = with_suffix(&sim.out, &format!("-{at_sim}"));
    let ham_out = with_suffix(&ham.search.out, &ending);
    let sim = Similarity { out: (&sim_out).into(), threshold: at_sim, ..sim };
    let ham =
        HammingFull { search: SignatureSearch { out: (&ham_out).into(), ..ham.search }, ..ham };
    lines.push(sim.command_line());
    lines.push(with_value(&ham.command_line(), "threshold", &searched));
    let compared = with_suffix(&ham_out, ".cmp");
    let summary = Some(with_suffix(&compared, ".csv"));
    let compare_near =
        CompareResults { sig_len, ..compare(&sim_out, &ham_out, &compared, summary) };
    lines.push(compare_near.command_line());
    lines
}

/// Returns the command that finds the lowest Hamming similarity of a similar pair in a comparison.
fn lowest_command(threshold: Percent, compared: &Path, file: &str) -> String {
    let is_pair = "NF == 3 && $2 ~ /^[0-9]/ && $3 ~ /^[0-9]/";
    let program = format!(
        "{is_pair} && $2 >= {threshold} && $3 + 0 < low + 0 {{ low = $3 }} END {{ print low }}"
    );
    format!("awk -v low=100 '{program}' {} >{file}", quoted(compared))
}
