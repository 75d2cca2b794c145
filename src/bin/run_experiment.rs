//! run_experiment: a parameter grid of the pipeline, as tables.

use std::process::ExitCode;

use nearsig::cli;
use nearsig::experiment::RunExperiment;

fn main() -> ExitCode {
    cli::execute::<RunExperiment>()
}
