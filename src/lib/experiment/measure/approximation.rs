//! How well Hamming similarities approximate cosines.
//!
//! Measured over all pairs of a sample document and a document of the collection, as `compare_results` does. Columns that begin with `near_` are
//! measured over the pairs at or above both thresholds, as the thesis does in its tables of near-duplicates.

use std::path::Path;

use rayon::prelude::*;

use super::compared::{Row, Sampled};
use super::{Bench, Script, Sink, cell, number};
use crate::error::Result;
use crate::evaluate::{Compared, Evaluation, Settings, expected_hamming};
use crate::experiment::keys::{Configuration, HammingThreshold, Key};
use crate::experiment::step::{Searched, Step, quoted};
use crate::files::output::with_suffix;
use crate::search::Percent;

/// The columns of the result.
pub const COLUMNS: [&str; 32] = [
    "distinct_signatures",
    "threshold_ham_used",
    "documents",
    "pairs",
    "L1",
    "L2",
    "largest_difference",
    "S",
    "S_bins",
    "S_theory",
    "S_theory_with_bin_width",
    "L1_calibrated",
    "L1_calibrated_theory",
    "L2_calibrated",
    "largest_difference_calibrated",
    "S_calibrated",
    "P",
    "R",
    "F1",
    "P_pairs",
    "R_pairs",
    "F1_pairs",
    "P_calibrated",
    "R_calibrated",
    "F1_calibrated",
    "P_pairs_calibrated",
    "R_pairs_calibrated",
    "F1_pairs_calibrated",
    "near_pairs",
    "near_L1",
    "near_L2",
    "near_S",
];

/// Columns that do not come from the summary of all pairs under their own names.
const OWN: usize = 2;
const NEAR: [(&str, &str); 4] =
    [("near_pairs", "pairs_both"), ("near_L1", "L1"), ("near_L2", "L2"), ("near_S", "S")];

/// A configuration while it is measured.
struct Measured {
    /// Its place among the lengths of signatures.
    length: usize,
    threshold_sim: f64,
    threshold_ham: f64,
    all: Evaluation,
    near: Evaluation,
}

/// Measures configurations of the same vectors and random vectors.
pub fn run(bench: &Bench<'_>, batch: &[Configuration], sink: &mut Sink<'_>) -> Result<()> {
    let mut lengths: Vec<usize> = batch.iter().map(Configuration::bits).collect();
    lengths.sort_unstable();
    lengths.dedup();
    let longest = lengths[lengths.len() - 1];
    let sampled = Sampled::read(bench, &batch[0], longest)?;
    let mut measured = begin(&sampled, batch, &lengths);
    sampled.for_each(&lengths, |row| {
        measured.par_iter_mut().for_each(|one| one.add(row));
    });
    for (configuration, one) in batch.iter().zip(&measured) {
        let distinct = sampled.distinct(configuration.bits());
        sink(configuration, one.values(distinct))?;
    }
    Ok(())
}

fn begin(sampled: &Sampled, batch: &[Configuration], lengths: &[usize]) -> Vec<Measured> {
    let mut measured: Vec<Measured> =
        batch.iter().map(|configuration| Measured::new(configuration, lengths)).collect();
    let is_lowest = |one: &Configuration| one.threshold_ham() == HammingThreshold::Lowest;
    if batch.iter().any(is_lowest) {
        let mut lowest = vec![100.0f64; batch.len()];
        sampled.for_each(lengths, |row| {
            lowest.iter_mut().zip(&measured).for_each(|(low, one)| *low = low.min(one.lowest(row)));
        });
        for ((configuration, one), low) in batch.iter().zip(&mut measured).zip(lowest) {
            if is_lowest(configuration) {
                one.set_threshold(configuration, low);
            }
        }
    }
    measured
}

impl Measured {
    fn new(configuration: &Configuration, lengths: &[usize]) -> Self {
        let threshold_sim = configuration.threshold_sim().value();
        let threshold_ham = match configuration.threshold_ham() {
            HammingThreshold::At(percent) => percent.value(),
            HammingThreshold::Calibrated => expected_hamming(threshold_sim),
            // Until it is known.
            HammingThreshold::Lowest => 100.0,
        };
        let bits = configuration.bits();
        let length = lengths.iter().position(|length| *length == bits);
        let length = length.expect("the lengths are those of the batch");
        let all = Evaluation::new(Settings::default());
        let near = all.clone();
        let mut one = Measured { length, threshold_sim, threshold_ham, all, near };
        one.set_threshold(configuration, threshold_ham);
        one
    }

    fn set_threshold(&mut self, configuration: &Configuration, threshold_ham: f64) {
        let (threshold_sim, bits) = (self.threshold_sim, Some(configuration.bits() as u64));
        let settings = Settings {
            threshold_sim: Some(threshold_sim),
            threshold_ham: Some(threshold_ham),
            bits,
        };
        self.threshold_ham = threshold_ham;
        self.all = Evaluation::new(settings);
        self.near = Evaluation::new(Settings { bits, ..Settings::default() });
    }

    /// The lowest Hamming similarity of a similar document; 100 without one.
    fn lowest(&self, row: &Row) -> f64 {
        let similar = row.cosines.iter().zip(&row.hamming[self.length]);
        let similar = similar.filter(|(cosine, _)| **cosine >= self.threshold_sim);
        similar.map(|(_, hamming)| *hamming).fold(100.0, f64::min)
    }

    fn add(&mut self, row: &Row) {
        let pairs = row.cosines.iter().zip(&row.hamming[self.length]);
        let compared = |(sim, ham): (&f64, &f64)| Compared { sim: Some(*sim), ham: Some(*ham) };
        let all: Vec<Compared> = pairs.map(compared).collect();
        self.all.add_document(&all);
        let at_or_above = |value: Option<f64>, threshold| value.filter(|value| *value >= threshold);
        let near = all.iter().map(|one| Compared {
            sim: at_or_above(one.sim, self.threshold_sim),
            ham: at_or_above(one.ham, self.threshold_ham),
        });
        self.near.add_document(&near.collect::<Vec<_>>());
    }

    fn values(&self, distinct: usize) -> Vec<String> {
        let (all, near) = (self.all.summary(), self.near.summary());
        let mut values = vec![distinct.to_string(), number(self.threshold_ham)];
        for column in &COLUMNS[OWN..COLUMNS.len() - NEAR.len()] {
            values.push(cell(&all, if *column == "pairs" { "pairs_both" } else { column }));
        }
        values.extend(NEAR.map(|(_, name)| cell(&near, name)));
        values
    }
}

/// The command lines that give a configuration's numbers: all pairs compared, and those at or above both thresholds.
pub fn commands(script: &Script<'_>) -> Vec<String> {
    let configuration = script.configuration;
    let (mut lines, sim, ham) = script.to_results();
    let (at_sim, at_ham) = (configuration.threshold_sim(), configuration.text(Key::ThresholdHam));
    let ending = format!("-{at_sim}-{at_ham}");
    let compared = with_suffix(&ham.out, ".cmp");
    let compare = compare_command(&sim.out, &ham.out, &compared, configuration);
    let (used, searched) = match configuration.threshold_ham() {
        HammingThreshold::At(percent) => (percent.to_string(), percent.to_string()),
        HammingThreshold::Calibrated => {
            let expected = expected_hamming(at_sim.value()).to_string();
            (expected.clone(), expected)
        }
        HammingThreshold::Lowest => {
            let file = quoted(&with_suffix(&compared, &format!("{ending}.threshold")));
            lines.push(compare.clone());
            lines.push(lowest_command(at_sim, &compared, &file));
            // A search takes thresholds as they are written; this one may be a rounded fraction, so it is asked for a little less.
            let below = format!("\"$(awk '{{ printf \"%.6f\", $1 - 0.000001 }}' {file})\"");
            (format!("\"$(cat {file})\""), below)
        }
    };
    let summary = quoted(&with_suffix(&compared, &format!("{ending}.csv")));
    lines.push(format!(
        "{compare} --threshold_sim {at_sim} --threshold_ham {used} --summary {summary}"
    ));
    let near = |searched: &Searched| Searched {
        out: with_suffix(&searched.out, &ending),
        threshold: at_sim,
        ..searched.clone()
    };
    let (sim, ham) = (near(&sim), near(&ham));
    lines.push(Step::Similarity(sim.clone()).command());
    lines.push(ham.command_at("hamming_full", "sig_paths", &searched));
    let compared = with_suffix(&ham.out, ".cmp");
    let compare = compare_command(&sim.out, &ham.out, &compared, configuration);
    lines.push(format!("{compare} --summary {}", quoted(&with_suffix(&compared, ".csv"))));
    lines
}

fn compare_command(sim: &Path, ham: &Path, out: &Path, configuration: &Configuration) -> String {
    let (sim, ham, out) = (quoted(sim), quoted(ham), quoted(out));
    let bits = configuration.bits();
    format!("compare_results --sim {sim} --ham {ham} --out {out} --sig_len {bits}")
}

/// Finds the lowest Hamming similarity of a similar pair in a comparison.
fn lowest_command(threshold: Percent, compared: &Path, file: &str) -> String {
    let is_pair = "NF == 3 && $2 ~ /^[0-9]/ && $3 ~ /^[0-9]/";
    let program = format!(
        "{is_pair} && $2 >= {threshold} && $3 + 0 < low + 0 {{ low = $3 }} END {{ print low }}"
    );
    format!("awk -v low=100 '{program}' {} >{file}", quoted(compared))
}
