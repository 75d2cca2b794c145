//! compare_results: how well one result approximates another.

use std::process::ExitCode;

use nearsig::chain::compare::CompareResults;
use nearsig::cli;

fn main() -> ExitCode {
    cli::execute::<CompareResults>()
}
