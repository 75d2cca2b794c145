//! create_vecs — sparse document vectors.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use nearsig::Result;
use nearsig::Session;
use nearsig::chain::{Counts, vecs};
use nearsig::cli::{self};
use nearsig::vector::Weighting;

/// Makes a sparse vector of every bag of words. Terms that the vocabulary does not have are left out
#[derive(Parser)]
#[command(name = "create_vecs", version)]
struct Args {
    /// List of BOW files, from create_bows
    #[arg(long = "bow_paths", value_name = "FILE")]
    bow_paths: PathBuf,
    /// Vocabulary, from create_voc or reduce_voc
    #[arg(long = "voc_name", value_name = "FILE")]
    voc_name: PathBuf,
    /// Folder for the VEC files, made if missing
    #[arg(long = "vec_dir", value_name = "DIR")]
    vec_dir: PathBuf,
    /// Where to write the list of VEC files
    #[arg(long = "vec_paths", value_name = "FILE")]
    vec_paths: PathBuf,
    /// Components are counts (tf) instead of tf_idf = tf * ln(N / DC)
    #[arg(long = "use_tf_only")]
    use_tf_only: bool,
    /// Components are (1 + ln(tf)) * letters / 8, with the word's letters up to 8, to the nearest 1/1024: they do not depend on other documents
    #[arg(long = "word_weights", conflicts_with = "use_tf_only")]
    word_weights: bool,
    /// Compress the VEC files
    #[arg(long = "compress_vecs")]
    compress_vecs: bool,
}

fn main() -> ExitCode {
    cli::main_with(run)
}

fn run(args: Args, session: &Session) -> Result<Counts> {
    let inputs = [("bow_paths", Some(&*args.bow_paths)), ("voc_name", Some(&*args.voc_name))];
    cli::check_streams("input", &inputs)?;
    let weighting = match (args.use_tf_only, args.word_weights) {
        (true, _) => Weighting::Tf,
        (_, true) => Weighting::WordWeights,
        _ => Weighting::TfIdf,
    };
    let task = vecs::Vecs {
        bow_paths: args.bow_paths,
        voc_name: args.voc_name,
        vec_dir: args.vec_dir,
        vec_paths: args.vec_paths,
        weighting,
        compress: args.compress_vecs,
    };
    vecs::create(&task, session)
}
