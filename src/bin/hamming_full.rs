//! hamming_full — every pair of similar signatures, exactly.

use std::process::ExitCode;

use clap::Parser;
use nearsig::Result;
use nearsig::Session;
use nearsig::chain::{Counts, hamming};
use nearsig::cli::{self, SampleFlags, SignatureSearch};
use nearsig::search::full;

/// Finds every pair of documents whose signatures are similar
#[derive(Parser)]
#[command(name = "hamming_full", version)]
struct Args {
    #[command(flatten)]
    search: SignatureSearch,
    /// How to find them: scan compares all pairs, join only those that agree on one of d + 1 chunks, auto does what is likely to be faster.
    /// The result is the same. A sample is always compared with all
    #[arg(long, value_name = "auto|scan|join", default_value = "auto")]
    method: full::Method,
    #[command(flatten)]
    sample: SampleFlags,
}

fn main() -> ExitCode {
    cli::main_with(run)
}

fn run(args: Args, session: &Session) -> Result<Counts> {
    hamming::run_full(&args.search.task(args.sample)?, args.method, session)
}
