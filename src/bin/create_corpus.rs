//! create_corpus: a synthetic collection with known near-duplicates.

use std::process::ExitCode;

use nearsig::chain::corpus::CreateCorpus;
use nearsig::cli;

fn main() -> ExitCode {
    cli::execute::<CreateCorpus>()
}
