//! Joint frequencies of cosines and Hamming similarities: the scatter plot of all pairs, in bins, so that millions of points can be drawn.
//!
//! The bins are in a file next to the table, named after it and the configuration: `cosine,hamming,pairs`, the lower ends of bins of one
//! percent each. Empty bins are omitted.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::compared::SampleComparison;
use super::{Bench, MeasurementParts, Run, number};
use crate::error::Result;
use crate::evaluate::expected_hamming;
use crate::executable::Step;
use crate::experiment::keys::Configuration;
use crate::experiment::keys::GridKey::*;
use crate::experiment::pipeline::{Pipeline, compare};
use crate::files::output::{Publisher, with_suffix};
use crate::session::Session;

/// The measurement.
pub const PARTS: MeasurementParts = MeasurementParts {
    keys: &[Collection, Weighting, MinDf, Sample, RndSeed, SigLen],
    columns: "documents,pairs,cosine_mean,hamming_mean,hamming_least,share_below_45,correlation,mean_distance_from_curve",
    run: Run::Alone(run),
    commands,
};

/// The thesis found hardly any Hamming similarity below.
const THESIS_MINIMUM: f64 = 45.0;

fn run(bench: &Bench<'_>, configuration: &Configuration) -> Result<Vec<String>> {
    let bits = configuration.bits();
    let sampled = SampleComparison::read(bench, configuration, bits)?;
    let mut scatter = Scatter::default();
    sampled.for_each(&[bits], |row| {
        scatter.documents += 1;
        row.cosines.iter().zip(&row.hamming[0]).for_each(|(c, h)| scatter.add(*c, *h));
    });
    scatter.write(&bins_file(bench, configuration), bench.session)?;
    Ok(scatter.values())
}

/// Returns the file of a configuration's bins.
fn bins_file(bench: &Bench<'_>, configuration: &Configuration) -> PathBuf {
    let stem = bench.table.with_extension("");
    with_suffix(&stem, &format!("-{}.csv", configuration.values().join("-")))
}

/// Sums over all pairs.
#[derive(Default)]
struct Scatter {
    documents: u64,
    bins: BTreeMap<(u8, u8), u64>,
    pairs: u64,
    below: u64,
    least: Option<f64>,
    /// Sums of c, h, c², h², ch and |h − curve|.
    sums: [f64; 6],
}

impl Scatter {
    fn add(&mut self, cosine: f64, hamming: f64) {
        const LAST: f64 = 99.0;
        let bin = |value: f64| value.clamp(0.0, LAST).floor() as u8;
        *self.bins.entry((bin(cosine), bin(hamming))).or_insert(0) += 1;
        self.pairs += 1;
        self.below += u64::from(hamming < THESIS_MINIMUM);
        self.least = Some(self.least.map_or(hamming, |least| least.min(hamming)));
        let from_curve = (hamming - expected_hamming(cosine)).abs();
        let terms =
            [cosine, hamming, cosine * cosine, hamming * hamming, cosine * hamming, from_curve];
        self.sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
    }

    fn values(&self) -> Vec<String> {
        let mut values = vec![self.documents.to_string(), self.pairs.to_string()];
        let Some(least) = self.least else { return values };
        let [c, h, cc, hh, ch, from_curve] = self.sums.map(|sum| sum / self.pairs as f64);
        let spread = ((cc - c * c) * (hh - h * h)).sqrt();
        let correlation = if spread > 0.0 { number((ch - c * h) / spread) } else { String::new() };
        let below = 100.0 * self.below as f64 / self.pairs as f64;
        values.extend([c, h, least, below].map(number));
        values.extend([correlation, number(from_curve)]);
        values
    }

    fn write(&self, path: &Path, session: &Session) -> Result<()> {
        let mut out = Publisher::of_no_input(session).create(path)?;
        out.write(b"cosine,hamming,pairs\n")?;
        for ((cosine, hamming), pairs) in &self.bins {
            out.write(format!("{cosine},{hamming},{pairs}\n").as_bytes())?;
        }
        out.finish()
    }
}

fn commands(pipeline: &Pipeline<'_>) -> Vec<String> {
    let (mut lines, sim, ham) = pipeline.sample_searches();
    let out = with_suffix(&ham.search.out, ".cmp");
    lines.push(compare(&sim.out, &ham.search.out, &out, None).command_line());
    lines
}
