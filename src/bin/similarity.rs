//! similarity: exact similarities of vectors.

use std::process::ExitCode;

use nearsig::chain::similarity::Similarity;
use nearsig::cli;

fn main() -> ExitCode {
    cli::execute::<Similarity>()
}
