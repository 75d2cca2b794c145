//! create_voc — the collection's vocabulary.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use nearsig::Result;
use nearsig::Session;
use nearsig::chain::{Counts, voc};
use nearsig::cli::{self};

/// Makes the vocabulary of a collection: every term with its occurrences (TC) and the documents that hold it (DC)
#[derive(Parser)]
#[command(name = "create_voc", version)]
struct Args {
    /// List of BOW files, from create_bows
    #[arg(long = "bow_paths", value_name = "FILE")]
    bow_paths: PathBuf,
    /// Where to write the vocabulary
    #[arg(long = "voc_name", value_name = "FILE")]
    voc_name: PathBuf,
}

fn main() -> ExitCode {
    cli::main_with(run)
}

fn run(args: Args, session: &Session) -> Result<Counts> {
    voc::create(&args.bow_paths, &args.voc_name, session)
}
