//! create_bows: bags of words of documents.

use std::process::ExitCode;

use nearsig::chain::bows::CreateBows;
use nearsig::cli;

fn main() -> ExitCode {
    cli::execute::<CreateBows>()
}
