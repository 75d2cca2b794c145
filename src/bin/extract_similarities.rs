//! extract_similarities — plain numbers out of a result.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use nearsig::Result;
use nearsig::Session;
use nearsig::chain::Counts;
use nearsig::chain::extract::{self, Extract, What};
use nearsig::cli::{self};
use nearsig::files::list::Separator;

/// Writes what a result says as plain lines, fields separated by tabs: document, other document, similarity. Names stay as the
/// chain's files write them
#[derive(Parser)]
#[command(name = "extract_similarities", version)]
struct Args {
    /// A result of similarity, hamming or hamming_full
    #[arg(long, value_name = "FILE")]
    result: PathBuf,
    /// Where to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The result was made without sample_list: lines are about every document of a group, not only about the first
    #[arg(long = "all_pairs")]
    all_pairs: bool,
    /// Write the similarities alone
    #[arg(long = "values_only")]
    values_only: bool,
    /// Write, for each document, how many others have a similarity above 0 and which share of the collection they are. Of similarity
    /// at threshold 0, this is the share of documents with a positive cosine
    #[arg(
        id = "positive_share",
        long = "positive_share",
        conflicts_with = "values_only",
        requires = "collection_size"
    )]
    _positive_share: bool,
    /// Number of documents of which the share is taken
    #[arg(long = "collection_size", value_name = "N", requires = "positive_share", value_parser = cli::at_least_one_u64)]
    collection_size: Option<u64>,
    /// Other documents that do not count: a list of names, separated by white space, such as the sample_list_out of implant_rnd_vecs
    #[arg(long = "leave_out", value_name = "FILE", requires = "positive_share")]
    leave_out: Option<PathBuf>,
    /// The list leave_out has one name a line, so that names may hold spaces
    #[arg(long, requires = "leave_out")]
    lines: bool,
}

fn main() -> ExitCode {
    cli::main_with(run)
}

fn run(args: Args, _session: &Session) -> Result<Counts> {
    let inputs = [("result", Some(&*args.result)), ("leave_out", args.leave_out.as_deref())];
    cli::check_streams("input", &inputs)?;
    let separator = if args.lines { Separator::Line } else { Separator::WhiteSpace };
    let leave_out = args.leave_out.map(|path| (path, separator));
    let what = match (args.collection_size, args.values_only) {
        (Some(documents), _) => What::PositiveShare { documents, leave_out },
        (None, true) => What::Values,
        (None, false) => What::Pairs,
    };
    let task = Extract { result: args.result, out: args.out, all_pairs: args.all_pairs, what };
    extract::extract(&task)
}
