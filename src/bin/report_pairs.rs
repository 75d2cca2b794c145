//! report_pairs — pairs of near-duplicates as a page that shows why.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use nearsig::Result;
use nearsig::Session;
use nearsig::chain::Counts;
use nearsig::cli;
use nearsig::corpus::{InputArgs, Inputs};
use nearsig::page::{self, Request};

/// Writes one HTML file that shows the pairs of find_near_dups: counts and a histogram, clusters to sort and filter, and for every pair the two texts with what they have
/// in common and the terms that weigh most. It needs no server and no network
#[derive(Parser)]
#[command(name = "report_pairs", version)]
struct Args {
    #[command(flatten)]
    inputs: InputArgs,
    /// Folder or file of old documents, as find_near_dups got them
    #[arg(long, value_name = "OLD")]
    against: Vec<PathBuf>,
    /// The pairs of find_near_dups, as TSV, CSV or JSON lines by the name's ending
    #[arg(long, value_name = "FILE")]
    pairs: PathBuf,
    /// Id file of create_bows, if --pairs is a result of a numbered collection
    #[arg(long = "id_file", value_name = "FILE")]
    id_file: Option<PathBuf>,
    /// The clusters of find_near_dups; without them, documents belong together that pairs connect
    #[arg(long, value_name = "FILE")]
    clusters: Option<PathBuf>,
    /// Where to write the page
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Show at most N pairs: the most similar of every cluster, then the second of every cluster, and so on
    #[arg(long = "most_pairs", value_name = "N", default_value = "10000", value_parser = cli::at_least_one)]
    most_pairs: usize,
    /// Cut texts off after N bytes
    #[arg(long = "text_limit", value_name = "N", default_value = "200000", value_parser = cli::at_least_one)]
    text_limit: usize,
    /// What stands above the page
    #[arg(long, value_name = "TEXT", default_value = "Near-duplicates")]
    title: String,
    /// The threshold of find_near_dups, to be told on the page: a cosine, or in per cent
    #[arg(long, value_name = "T", value_parser = cli::share_or_percent)]
    threshold: Option<f64>,
    /// The shingle_size of find_near_dups: runs of K words are the terms
    #[arg(long = "shingle_size", value_name = "K", default_value = "1", value_parser = cli::at_least_one)]
    shingle_size: usize,
}

fn main() -> ExitCode {
    cli::main_with(run)
}

fn run(args: Args, session: &Session) -> Result<Counts> {
    let inputs = Inputs { existing: args.against, ..Inputs::new(args.inputs) };
    inputs.check_decoded()?;
    let of_inputs = inputs.paths().map(|path| ("INPUT", Some(path)));
    let tables = [("pairs", Some(&*args.pairs)), ("clusters", args.clusters.as_deref())];
    cli::check_streams("input", &tables.into_iter().chain(of_inputs).collect::<Vec<_>>())?;
    let request = Request {
        made_by: command(&args.pairs, args.clusters.as_deref(), &args.out, &inputs),
        inputs,
        pairs: args.pairs,
        id_file: args.id_file,
        clusters: args.clusters,
        out: args.out,
        most_pairs: args.most_pairs,
        text_limit: args.text_limit,
        shingle_size: args.shingle_size,
        title: args.title,
        threshold: args.threshold,
    };
    page::make(&request, session)
}

/// The command line, as the page names it.
fn command(pairs: &Path, clusters: Option<&Path>, out: &Path, inputs: &Inputs) -> String {
    let mut line = format!("report_pairs --pairs {}", pairs.display());
    if let Some(clusters) = clusters {
        line += &format!(" --clusters {}", clusters.display());
    }
    line += &format!(" --out {}", out.display());
    for (number, path) in inputs.paths().enumerate() {
        line += if number < inputs.existing.len() { " --against " } else { " " };
        line += &path.display().to_string();
    }
    line
}
