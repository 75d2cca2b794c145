//! create_vecs: sparse document vectors.

use std::process::ExitCode;

use nearsig::chain::vecs::CreateVecs;
use nearsig::cli;

fn main() -> ExitCode {
    cli::execute::<CreateVecs>()
}
