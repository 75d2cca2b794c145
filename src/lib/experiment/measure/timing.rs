//! Time of one stage, including reading and writing its files.

use std::time::Instant;

use super::{Bench, MeasurementParts, Run, number};
use crate::error::Result;
use crate::executable::Step;
use crate::experiment::keys::Configuration;
use crate::experiment::keys::GridKey::*;
use crate::experiment::pipeline::{Pipeline, hamming_full, search, similarity};
use crate::search::Percent;

/// The measurement.
pub const PARTS: MeasurementParts = MeasurementParts {
    keys: &[
        Collection, Weighting, MinDf, RndSeed, SigLen, Threshold, Method, Beam, ShiftCount,
        IterCount,
    ],
    columns: "seconds,read,wrote,what",
    run: Run::Alone(run),
    commands,
};

/// Measures a configuration. The input of the stage exists before the clock starts.
fn run(bench: &Bench<'_>, configuration: &Configuration) -> Result<Vec<String>> {
    let pipeline = bench.pipeline(configuration);
    let step = timed(&pipeline);
    pipeline.vectors(bench.session)?;
    if step.name().starts_with("hamming") {
        pipeline.keep_signatures(bench.session)?;
    }
    let start = Instant::now();
    let counts = step.execute(bench.session)?;
    let seconds = start.elapsed().as_secs_f64();
    let (wrote, what) = counts.written;
    Ok(vec![number(seconds), counts.read.0.to_string(), wrote.to_string(), what.to_string()])
}

/// Returns the stage to time.
fn timed(pipeline: &Pipeline<'_>) -> Box<dyn Step> {
    let configuration = pipeline.configuration;
    let (method, bits) = (configuration.text(Method), configuration.bits());
    let threshold: Percent = configuration.get(Threshold);
    let ending = format!(".{method}-{threshold}");
    let signatures = || search(pipeline.sig_paths(bits), &ending, threshold);
    match method {
        "create_sigs" => Box::new(pipeline.create_sigs(bits)),
        "similarity" => Box::new(similarity(pipeline.vec_paths(), &ending, threshold)),
        "hamming_full" => Box::new(hamming_full(signatures())),
        "hamming" => Box::new(pipeline.hamming(signatures())),
        _ => {
            let mut steps = pipeline.stages().into_iter().map(|stage| stage.step);
            let step = steps.find(|step| step.name() == method);
            step.expect("methods are checked when the experiment is read")
        }
    }
}

/// Returns the command lines: the stages before it, and the stage itself.
fn commands(pipeline: &Pipeline<'_>) -> Vec<String> {
    let mut lines = pipeline.signature_commands();
    lines.push(timed(pipeline).command_line());
    lines
}
