//! report_pairs — pairs of near-duplicates as a page that shows why.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use nearsig::Result;
use nearsig::chain::Counts;
use nearsig::cli::{self, Session};
use nearsig::files::record::RecordShape;
use nearsig::page::{self, Request, documents};

/// Writes one HTML file that shows the pairs of find_near_dups: counts and a histogram, clusters to sort and filter, and for every pair the two texts with what they have
/// in common and the terms that weigh most. It needs no server and no network
#[derive(Parser)]
#[command(name = "report_pairs", version)]
struct Args {
    /// The documents, as find_near_dups got them
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// The pairs of find_near_dups, as TSV, CSV or JSON lines by the name's ending
    #[arg(long, value_name = "FILE")]
    pairs: PathBuf,
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
    /// Field of the JSON objects that holds the text
    #[arg(long = "text_field", value_name = "NAME", default_value = "text")]
    text_field: String,
    /// Field of the JSON objects that holds the document's name. Empty: documents are called by their lines' numbers
    #[arg(long = "id_field", value_name = "NAME", default_value = "id")]
    id_field: String,
}

fn main() -> ExitCode {
    cli::main_with(run)
}

fn run(args: Args, _: &Session) -> Result<Counts> {
    cli::check_streams(
        "input",
        &[("pairs", Some(&*args.pairs)), ("clusters", args.clusters.as_deref())],
    )?;
    let request = Request {
        made_by: command(&args),
        pairs: args.pairs.clone(),
        clusters: args.clusters.clone(),
        out: args.out.clone(),
        most_pairs: args.most_pairs,
        text_limit: args.text_limit,
        title: args.title.clone(),
        threshold: args.threshold,
    };
    page::make(&request, |keep| read_documents(&args, keep))
}

/// Brings every document to `keep`, with its id and its text.
fn read_documents(args: &Args, keep: &mut dyn FnMut(&str, &str) -> Result<()>) -> Result<()> {
    let id = Some(args.id_field.clone()).filter(|field| !field.is_empty());
    let shape = RecordShape::Json { text: args.text_field.clone(), id };
    documents::for_each(&args.inputs, &shape, keep)
}

/// The command line, as the page names it.
fn command(args: &Args) -> String {
    let mut line = format!("report_pairs --pairs {}", args.pairs.display());
    if let Some(clusters) = &args.clusters {
        line += &format!(" --clusters {}", clusters.display());
    }
    let inputs: Vec<String> = args.inputs.iter().map(|path| path.display().to_string()).collect();
    line + &format!(" --out {} {}", args.out.display(), inputs.join(" "))
}
