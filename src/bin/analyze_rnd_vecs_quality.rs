//! analyze_rnd_vecs_quality — are the random vectors really N(0,1)?

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use nearsig::Result;
use nearsig::Session;
use nearsig::chain::Counts;
use nearsig::chain::quality::{self, Quality, Terms};
use nearsig::cli::{self, RandomFlags};

/// Tests the random vectors that create_sigs uses: moments, goodness of fit, balance of signs, angles. A test with a probability
/// below 0.001 is called suspicious; of a thousand good ones, one is
#[derive(Parser)]
#[command(name = "analyze_rnd_vecs_quality", version)]
struct Args {
    #[command(flatten)]
    random: RandomFlags,
    #[command(flatten)]
    terms: TermFlags,
    /// How many pairs of vectors to measure the angle of; all, if there are no more
    #[arg(long = "pair_count", value_name = "N", default_value = "10000", value_parser = cli::at_least_one)]
    pair_count: usize,
    /// Where to write the tests, as CSV
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Exactly one of these is given.
#[derive(clap::Args)]
#[group(required = true, multiple = false)]
struct TermFlags {
    /// How many components a vector has
    #[arg(long = "term_count", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    term_count: Option<u32>,
    /// As many components as the vocabulary of these vectors has terms: a list of VEC files, from create_vecs
    #[arg(long = "vec_paths", value_name = "FILE")]
    vec_paths: Option<PathBuf>,
}

fn main() -> ExitCode {
    cli::main_with(run)
}

fn run(args: Args, session: &Session) -> Result<Counts> {
    let terms = match (args.terms.term_count, args.terms.vec_paths) {
        (Some(count), _) => Terms::Count(count as usize),
        (None, list) => Terms::Of(list.expect("the group requires one")),
    };
    let source = args.random.source()?;
    let task = Quality { source, terms, pairs: args.pair_count, out: args.out };
    quality::analyze(&task, session).map(|(counts, _)| counts)
}
