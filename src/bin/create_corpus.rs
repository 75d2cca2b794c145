//! create_corpus — a synthetic collection with known near-duplicates.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use nearsig::Result;
use nearsig::Session;
use nearsig::chain::{Counts, corpus};
use nearsig::cli::{self};
use nearsig::corpus::synthetic::{Recipe, usual_terms};
use nearsig::files::synthetic::Form;
use nearsig::random::DEFAULT_SEED;

/// Writes a synthetic collection: Zipf's words, log-normal lengths, planted near-duplicates, in a shuffled order
#[derive(Parser)]
#[command(name = "create_corpus", version)]
struct Args {
    /// How many documents to write
    #[arg(long = "doc_count", value_name = "N", value_parser = cli::at_least_one_u64)]
    doc_count: u64,
    /// Where to write the collection
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// What a document's line is: an object {"id":"17","text":"…"}, or its text alone. Ids are line numbers from 1
    #[arg(long, value_name = "FORM", default_value = "json")]
    format: Format,
    /// Where to write the planted near-duplicates: ids of original and copy and the share of edited words, separated by tabs, below a header
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
    /// Mean number of words in a document
    #[arg(long = "mean_words", value_name = "N", default_value = "250", value_parser = cli::mean_words)]
    mean_words: f64,
    /// Standard deviation of the logarithm of a document's number of words
    #[arg(long, value_name = "S", default_value = "0.5", value_parser = cli::spread)]
    spread: f64,
    /// How many different words there are to draw from [default: 500000 for 25 million words, else by Heaps' law]
    #[arg(long, value_name = "N", value_parser = cli::terms)]
    terms: Option<u32>,
    /// Zipf's exponent: the word of rank r has a probability proportional to r^-Z
    #[arg(long, value_name = "Z", default_value = "1.02", value_parser = cli::exponent)]
    zipf: f64,
    /// Share of documents that are edited copies of another
    #[arg(long = "near_dups", value_name = "SHARE", default_value = "0.1", value_parser = cli::share)]
    near_dups: f64,
    /// Shares of words that are replaced, removed or added in copies; every share makes as many copies
    #[arg(long, value_name = "SHARES", default_value = "0.01,0.02,0.05,0.1,0.2", value_delimiter = ',', value_parser = cli::share)]
    edits: Vec<f64>,
    /// Seed of everything random
    #[arg(long = "rnd_seed", value_name = "N", default_value_t = DEFAULT_SEED)]
    rnd_seed: u64,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Json,
    Text,
}

fn main() -> ExitCode {
    cli::main_with(run)
}

fn run(args: Args, session: &Session) -> Result<Counts> {
    let outputs = [("out", Some(&*args.out)), ("truth", args.truth.as_deref())];
    cli::check_streams("output", &outputs)?;
    let recipe = Recipe {
        documents: args.doc_count,
        mean_words: args.mean_words,
        spread: args.spread,
        terms: args.terms.unwrap_or_else(|| usual_terms(args.doc_count, args.mean_words)),
        zipf: args.zipf,
        near_dups: args.near_dups,
        edits: args.edits,
        seed: args.rnd_seed,
    };
    let form = match args.format {
        Format::Json => Form::Json,
        Format::Text => Form::Text,
    };
    corpus::create(&corpus::Corpus { recipe, out: args.out, form, truth: args.truth }, session)
}
