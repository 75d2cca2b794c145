//! create_sigs: random-hyperplane signatures.

use std::process::ExitCode;

use nearsig::chain::sigs::CreateSigs;
use nearsig::cli;

fn main() -> ExitCode {
    cli::execute::<CreateSigs>()
}
