//! compare_results — how well the one approximates the other.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use nearsig::Result;
use nearsig::Session;
use nearsig::chain::{Counts, compare};
use nearsig::cli::{self};
use nearsig::evaluate::Settings;
use nearsig::search::Percent;

/// Puts two results side by side and tells how well the second approximates the first. Both must come from the same sample_list.
/// P and R are those of the formulas; the thesis' tables print under R what its formulas call P
#[derive(Parser)]
#[command(name = "compare_results", version)]
struct Args {
    /// The reference: a result of similarity, or of any other search
    #[arg(long, value_name = "FILE")]
    sim: PathBuf,
    /// Its approximation: a result of hamming or hamming_full, or of any other search
    #[arg(long, value_name = "FILE")]
    ham: PathBuf,
    /// Where to write the comparison
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Print names instead of numbers: the id_file of create_bows
    #[arg(long = "id_file", value_name = "FILE")]
    id_file: Option<PathBuf>,
    /// Write the measures alone, as CSV or JSON by the name's ending (.csv, .json)
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,
    /// From where on the reference calls documents similar, in per cent: adds calibrated P, R and F1
    #[arg(long = "threshold_sim", alias = "treshold_sim", value_name = "T")]
    threshold_sim: Option<Percent>,
    /// From where on the approximation calls documents similar, in per cent: adds P, R and F1
    #[arg(
        long = "threshold_ham",
        alias = "treshold_ham",
        value_name = "T",
        requires = "threshold_sim"
    )]
    threshold_ham: Option<Percent>,
    /// Length of the signatures: adds what theory expects of S
    #[arg(long = "sig_len", value_name = "K", value_parser = cli::signature_bits)]
    sig_len: Option<usize>,
    /// The results were made without sample_list: documents without a line have no match
    #[arg(long = "all_pairs")]
    all_pairs: bool,
}

fn main() -> ExitCode {
    cli::main_with(run)
}

fn run(args: Args, _session: &Session) -> Result<Counts> {
    let inputs = [
        ("sim", Some(&*args.sim)),
        ("ham", Some(&*args.ham)),
        ("id_file", args.id_file.as_deref()),
    ];
    cli::check_streams("input", &inputs)?;
    let task = compare::Compare {
        sim: args.sim,
        ham: args.ham,
        out: args.out,
        id_file: args.id_file,
        summary: args.summary,
        all_pairs: args.all_pairs,
        settings: Settings {
            threshold_sim: args.threshold_sim.map(Percent::value),
            threshold_ham: args.threshold_ham.map(Percent::value),
            bits: args.sig_len.map(|bits| bits as u64),
        },
    };
    compare::run(&task).map(|(counts, _)| counts)
}
