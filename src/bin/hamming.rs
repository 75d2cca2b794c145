//! hamming: similar signatures by PLEB.

use std::process::ExitCode;

use nearsig::chain::hamming::Hamming;
use nearsig::cli;

fn main() -> ExitCode {
    cli::execute::<Hamming>()
}
