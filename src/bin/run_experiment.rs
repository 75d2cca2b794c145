//! run_experiment: a parameter grid of the pipeline, as tables.

fn main() -> std::process::ExitCode {
    nearsig::cli::execute::<nearsig::experiment::RunExperiment>()
}
