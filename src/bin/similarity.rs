//! similarity — the exact reference.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use nearsig::Result;
use nearsig::Session;
use nearsig::chain::{Counts, Search, similarity};
use nearsig::cli::{self, SampleFlags};
use nearsig::search::Percent;
use nearsig::search::exact::Method;

/// Finds every pair of documents whose vectors are similar, exactly
#[derive(Parser)]
#[command(name = "similarity", version)]
struct Args {
    /// List of VEC files, from create_vecs
    #[arg(long = "vec_paths", value_name = "FILE")]
    vec_paths: PathBuf,
    /// Where to write the result
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Least similarity in per cent; at 0 and below, documents without a common term are listed too
    #[arg(long, alias = "treshold", value_name = "T")]
    threshold: Percent,
    /// How vectors are compared; all but cosine look only at which terms a document has
    #[arg(long = "sim_meth", value_name = "METHOD", default_value = "cosine")]
    sim_meth: SimMeth,
    #[command(flatten)]
    sample: SampleFlags,
}

#[derive(Clone, Copy, ValueEnum)]
enum SimMeth {
    /// The cosine of the angle between the vectors
    Cosine,
    /// Common terms over all terms of the two
    Jaccard,
    /// Twice the common terms over the sum of both numbers of terms
    Dice,
    /// Common terms over the smaller number of terms
    Overlap,
}

fn main() -> ExitCode {
    cli::main_with(run)
}

fn run(args: Args, session: &Session) -> Result<Counts> {
    let method = match args.sim_meth {
        SimMeth::Cosine => Method::Cosine,
        SimMeth::Jaccard => Method::Jaccard,
        SimMeth::Dice => Method::Dice,
        SimMeth::Overlap => Method::Overlap,
    };
    let sample = args.sample.list("vec_paths", &args.vec_paths)?;
    let task = Search { paths: args.vec_paths, out: args.out, threshold: args.threshold, sample };
    similarity::run(&task, method, session)
}
