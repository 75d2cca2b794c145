//! create_voc: the vocabulary of a collection.

use std::process::ExitCode;

use nearsig::chain::voc::CreateVoc;
use nearsig::cli;

fn main() -> ExitCode {
    cli::execute::<CreateVoc>()
}
