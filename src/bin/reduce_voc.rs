//! reduce_voc: a vocabulary within limits.

use std::process::ExitCode;

use nearsig::chain::voc::ReduceVoc;
use nearsig::cli;

fn main() -> ExitCode {
    cli::execute::<ReduceVoc>()
}
