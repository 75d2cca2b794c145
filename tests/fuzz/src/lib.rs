//! Bodies of the fuzz targets: functions of bytes that panic if the library breaks a promise.
//!
//! `fuzz_targets/` runs them with random input, `tests/corpus_replay.rs` of the main crate with the kept corpus.

mod clusters;
mod comparisons;
mod containers;
mod content;
mod cosines;
mod decimals;
mod documents;
mod experiments;
mod extract;
mod index;
mod kernels;
mod manifests;
mod markup;
mod names;
mod ngrams;
mod pairs;
mod pipeline;
mod prints;
mod scratch;
mod searches;
mod tokens;

/// Body of a target.
pub type Target = fn(&[u8]);

/// All targets by name, the most exposed parsers first.
pub const TARGETS: &[(&str, Target)] = &[
    ("documents", documents::check),
    ("extract", extract::check),
    ("containers", containers::check),
    ("markup", markup::check),
    ("pairs", pairs::check),
    ("pipeline", pipeline::check),
    ("prints", prints::check),
    ("index", index::check),
    ("ngrams", ngrams::check),
    ("manifests", manifests::check),
    ("experiments", experiments::check),
    ("names", names::check),
    ("decimals", decimals::check),
    ("tokens", tokens::check),
    ("kernels", kernels::check),
    ("cosines", cosines::check),
    ("searches", searches::check),
    ("clusters", clusters::check),
    ("comparisons", comparisons::check),
];

/// Runs a target.
pub fn run(name: &str, data: &[u8]) {
    let (_, target) = TARGETS.iter().find(|(known, _)| *known == name).expect("a known target");
    target(data);
}
