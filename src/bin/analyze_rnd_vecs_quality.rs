//! analyze_rnd_vecs_quality: statistical tests of the hyperplanes.

use std::process::ExitCode;

use nearsig::chain::quality::AnalyzeRndVecsQuality;
use nearsig::cli;

fn main() -> ExitCode {
    cli::execute::<AnalyzeRndVecsQuality>()
}
