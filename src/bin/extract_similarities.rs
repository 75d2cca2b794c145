//! extract_similarities: the pairs of a result as plain lines.

use std::process::ExitCode;

use nearsig::chain::extract::ExtractSimilarities;
use nearsig::cli;

fn main() -> ExitCode {
    cli::execute::<ExtractSimilarities>()
}
