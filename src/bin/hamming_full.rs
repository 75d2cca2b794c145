//! hamming_full — every pair of similar signatures, exactly.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use nearsig::Result;
use nearsig::chain::{Counts, Search, hamming};
use nearsig::cli::{self, SampleFlags, Session};
use nearsig::search::Percent;

/// Finds every pair of documents whose signatures are similar, by comparing all
#[derive(Parser)]
#[command(name = "hamming_full", version)]
struct Args {
    /// List of SIG files, from create_sigs
    #[arg(long = "sig_paths", value_name = "FILE")]
    sig_paths: PathBuf,
    /// Where to write the result
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Least similarity in per cent: 100 * (K - d) / K for signatures of K bits that differ in d
    #[arg(long, alias = "treshold", value_name = "T", allow_negative_numbers = true)]
    threshold: Percent,
    #[command(flatten)]
    sample: SampleFlags,
}

fn main() -> ExitCode {
    cli::main_with(run)
}

fn run(args: Args, session: &Session) -> Result<Counts> {
    let sample = args.sample.list();
    let task = Search { paths: args.sig_paths, out: args.out, threshold: args.threshold, sample };
    hamming::run_full(&task, session)
}
