//! hamming_full — every pair of similar signatures, exactly.

use std::process::ExitCode;

use clap::Parser;
use nearsig::Result;
use nearsig::chain::{Counts, hamming};
use nearsig::cli::{self, SampleFlags, Session, SignatureSearch};

/// Finds every pair of documents whose signatures are similar, by comparing all
#[derive(Parser)]
#[command(name = "hamming_full", version)]
struct Args {
    #[command(flatten)]
    search: SignatureSearch,
    #[command(flatten)]
    sample: SampleFlags,
}

fn main() -> ExitCode {
    cli::main_with(run)
}

fn run(args: Args, session: &Session) -> Result<Counts> {
    hamming::run_full(&args.search.task(args.sample)?, session)
}
