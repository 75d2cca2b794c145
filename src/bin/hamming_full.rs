//! hamming_full: all pairs of similar signatures.

use std::process::ExitCode;

use nearsig::chain::hamming::HammingFull;
use nearsig::cli;

fn main() -> ExitCode {
    cli::execute::<HammingFull>()
}
