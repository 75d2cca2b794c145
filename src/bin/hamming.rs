//! hamming — pairs of similar signatures by PLEB.

use std::process::ExitCode;

use clap::Parser;
use nearsig::Result;
use nearsig::Session;
use nearsig::chain::{Counts, hamming};
use nearsig::cli::{self, SampleFlags, SignatureSearch};
use nearsig::random::DEFAULT_SEED;
use nearsig::search::pleb;

/// Finds pairs of documents whose signatures are similar, by PLEB: sort, compare neighbours, swap bits, again
#[derive(Parser)]
#[command(name = "hamming", version)]
struct Args {
    #[command(flatten)]
    search: SignatureSearch,
    /// How often to sort and compare, at most
    #[arg(long = "iter_count", value_name = "N", value_parser = cli::at_least_one_u64)]
    iter_count: u64,
    /// With how many of the signatures that follow it each one is compared
    #[arg(long, value_name = "N", value_parser = cli::at_least_one)]
    beam: usize,
    /// Random transpositions of bit positions after each iteration; 'full' draws a fresh order of all positions instead
    #[arg(long = "shift_count", value_name = "N", default_value = "1", value_parser = cli::shift)]
    shift_count: pleb::Shift,
    /// Stop before iter_count when this share of all pairs of signatures is known, estimated from how often pairs are found
    /// again (Chao's estimator, distance by distance; too high where shift_count is small): 0.99, or 99 for per cent
    #[arg(long = "target_recall", value_name = "R", value_parser = cli::share_or_percent)]
    target_recall: Option<f64>,
    /// Seed of the transpositions
    #[arg(long = "rnd_seed", value_name = "N", default_value_t = DEFAULT_SEED)]
    rnd_seed: u64,
    #[command(flatten)]
    sample: SampleFlags,
}

fn main() -> ExitCode {
    cli::main_with(run)
}

fn run(args: Args, session: &Session) -> Result<Counts> {
    let settings = pleb::Settings {
        iterations: args.iter_count,
        beam: args.beam,
        shift: args.shift_count,
        seed: args.rnd_seed,
        target_recall: args.target_recall,
    };
    hamming::run_pleb(&args.search.task(args.sample)?, settings, session)
}
