//! implant_rnd_vecs: hyperplanes as documents.

use std::process::ExitCode;

use nearsig::chain::implant::ImplantRndVecs;
use nearsig::cli;

fn main() -> ExitCode {
    cli::execute::<ImplantRndVecs>()
}
