//! How long a stage takes, with reading and writing its files.

use std::path::PathBuf;
use std::time::Instant;

use super::pleb::step as pleb_step;
use super::{Bench, Script, number};
use crate::error::Result;
use crate::experiment::keys::{Configuration, Key};
use crate::experiment::stages::{Folders, sig_paths, signing, to_vectors, vec_paths};
use crate::experiment::step::{Searched, Step};
use crate::files::output::with_suffix;

/// The columns of the result.
pub const COLUMNS: [&str; 4] = ["seconds", "read", "wrote", "what"];

/// Measures a configuration. What the stage needs is there before it starts.
pub fn run(bench: &Bench<'_>, configuration: &Configuration) -> Result<Vec<String>> {
    let step = step(bench.stages.folders, configuration);
    bench.stages.vectors(configuration)?;
    if matches!(step, Step::HammingFull(_) | Step::Hamming { .. }) {
        bench.stages.keep_signatures(configuration)?;
    }
    let start = Instant::now();
    let counts = step.run(bench.stages.session)?;
    let seconds = start.elapsed().as_secs_f64();
    let (wrote, what) = counts.written;
    Ok(vec![number(seconds), counts.read.0.to_string(), wrote.to_string(), what.to_string()])
}

/// The stage to time.
fn step(folders: &Folders, configuration: &Configuration) -> Step {
    let method = configuration.text(Key::Method);
    let threshold = configuration.threshold();
    let searched = |paths: PathBuf| Searched {
        out: with_suffix(&paths, &format!(".{method}-{threshold}")),
        paths,
        threshold,
        sample: None,
    };
    let bits = configuration.bits();
    let signed = || searched(sig_paths(folders, configuration, bits));
    match method {
        "create_sigs" => signing(folders, configuration, bits),
        "similarity" => Step::Similarity(searched(vec_paths(folders, configuration))),
        "hamming_full" => Step::HammingFull(signed()),
        "hamming" => pleb_step(signed(), configuration),
        _ => {
            let mut steps = to_vectors(folders, configuration).into_iter().map(|made| made.step);
            let is_it = |step: &Step| step.command().starts_with(method);
            steps.find(is_it).expect("methods are checked when the experiment is read")
        }
    }
}

/// The command lines: what comes before, and the stage itself.
pub fn commands(script: &Script<'_>) -> Vec<String> {
    let (mut lines, _) = script.to_signatures();
    lines.push(step(script.folders, script.configuration).command());
    lines
}
