//! create_bows — documents to bags of words.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use nearsig::Result;
use nearsig::Session;
use nearsig::chain::{Counts, bows};
use nearsig::cli::{self};
use nearsig::text::AnalyzerOptions;

/// Makes a bag of words of every document
#[derive(Parser)]
#[command(name = "create_bows", version)]
struct Args {
    #[command(flatten)]
    documents: cli::DocumentFlags,
    /// Where to write the list of BOW files
    #[arg(long = "bow_paths", value_name = "FILE")]
    bow_paths: PathBuf,
    /// Folder for the BOW files, made if missing
    #[arg(long = "bow_dir", value_name = "DIR")]
    bow_dir: PathBuf,
    /// Compress the BOW files
    #[arg(long = "compress_bows")]
    compress_bows: bool,
    /// Take only the first N documents
    #[arg(long = "doc_count", value_name = "N", value_parser = cli::at_least_one)]
    doc_count: Option<usize>,
    #[command(flatten)]
    analyzer: AnalyzerOptions,
    /// Number the documents from 1, use the numbers as names from here on, and write the map here
    #[arg(long = "id_file", value_name = "FILE")]
    id_file: Option<PathBuf>,
    /// Bags of words in one BOW file
    #[arg(long = "bows_per_file", value_name = "N", default_value = "1000", value_parser = cli::at_least_one)]
    bows_per_file: usize,
}

fn main() -> ExitCode {
    cli::main_with(run)
}

fn run(args: Args, session: &Session) -> Result<Counts> {
    let outputs = [("bow_paths", Some(&*args.bow_paths)), ("id_file", args.id_file.as_deref())];
    cli::check_streams("output", &outputs)?;
    let task = bows::Bows {
        source: args.documents.source(),
        doc_count: args.doc_count,
        rules: args.analyzer,
        bow_paths: args.bow_paths,
        bow_dir: args.bow_dir,
        compress: args.compress_bows,
        per_file: args.bows_per_file,
        id_file: args.id_file,
    };
    bows::create(&task, session)
}
