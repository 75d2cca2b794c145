//! Pictures of how often each cosine goes with each Hamming similarity.

use super::super::source::Source;
use super::super::table::Rows;
use super::Body;
use crate::evaluate::expected_hamming;
use crate::experiment::Measure;
use crate::plot::Axis;
use crate::plot::density::{Bin, Density};

/// Straight lines that the curve is made of.
const STEPS: u32 = 50;

/// Adds a picture for each collection, weighting and length of an experiment, but not of those in `others`.
pub fn pictures(source: &Source, experiment: &str, others: &Rows<'_>, body: &mut Body) {
    let rows = source.rows(experiment, Measure::Density);
    for (collection, weighting, part) in rows.by("collection", "weighting") {
        for bits in part.distinct("sig_len") {
            let like = others.with("collection", collection).with("weighting", weighting);
            if !like.with("sig_len", bits).is_empty() {
                continue;
            }
            let bins = source.bins(experiment, |row| {
                let own = [("collection", collection), ("weighting", weighting), ("sig_len", bits)];
                own.iter().all(|(name, value)| row.text(name) == *value)
            });
            if !bins.is_empty() {
                let seeds = part.with("sig_len", bits).distinct("rnd_seed").len();
                let title = title(&format!("{collection}, {weighting}, {bits} bits"), &bins, seeds);
                let name = format!("density-{collection}-{weighting}-{bits}");
                body.picture(name, &title, density(&title, bins).draw());
            }
        }
    }
}

fn title(what: &str, bins: &[Bin], seeds: usize) -> String {
    let pairs: u64 = bins.iter().map(|bin| bin.count).sum();
    let pairs = super::super::markdown::with_places(pairs as f64, 0);
    let seeds = if seeds > 1 { format!(" of {seeds} seeds") } else { String::new() };
    format!("{what}: Hamming similarity over cosine, {pairs} pairs{seeds}")
}

fn density(title: &str, bins: Vec<Bin>) -> Density {
    let least = bins.iter().map(|bin| bin.y).fold(50.0, f64::min);
    let low = (least / 10.0).floor() * 10.0;
    // Equal steps of the angle: the curve is steep near a cosine of 1.
    let cosines = (0..=STEPS).map(|step| {
        100.0 * libm::sin(std::f64::consts::FRAC_PI_2 * f64::from(step) / f64::from(STEPS))
    });
    Density {
        title: title.to_string(),
        x: Axis::linear("cosine c (%)", 0.0, 100.0),
        y: Axis::linear("Hamming similarity h (%)", low, 100.0),
        side: 1.0,
        bins,
        curve: cosines.map(|cosine| (cosine, expected_hamming(cosine))).collect(),
        curve_name: "h = 1 − arccos(c)/π".into(),
        counted: "pairs in a bin of 1 % × 1 %".into(),
    }
}
