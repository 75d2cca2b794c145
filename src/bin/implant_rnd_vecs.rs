//! implant_rnd_vecs — random vectors as documents.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use nearsig::Result;
use nearsig::Session;
use nearsig::chain::Counts;
use nearsig::chain::implant::{self, Implant};
use nearsig::cli::{self, RandomFlags};

/// Writes the random vectors that create_sigs uses as documents RND_0001, RND_0002, …, behind those of a collection, so that similarity
/// measures their angle to every document. The collection's own files are named in the new list, not copied
#[derive(Parser)]
#[command(name = "implant_rnd_vecs", version)]
struct Args {
    /// List of the collection's VEC files, from create_vecs
    #[arg(long = "vec_paths", value_name = "FILE")]
    vec_paths: PathBuf,
    #[command(flatten)]
    random: RandomFlags,
    /// Folder for the VEC files of random vectors, made if missing
    #[arg(long = "vec_dir", value_name = "DIR")]
    vec_dir: PathBuf,
    /// Where to write the list of the collection's VEC files and these
    #[arg(long = "new_vec_paths", value_name = "FILE")]
    new_vec_paths: PathBuf,
    /// Where to write the random vectors' names, one a line: the sample_list of similarity
    #[arg(long = "sample_list_out", value_name = "FILE")]
    sample_list_out: Option<PathBuf>,
    /// Compress the VEC files
    #[arg(long = "compress_vecs")]
    compress_vecs: bool,
}

fn main() -> ExitCode {
    cli::main_with(run)
}

fn run(args: Args, session: &Session) -> Result<Counts> {
    let outputs = [
        ("new_vec_paths", Some(&*args.new_vec_paths)),
        ("sample_list_out", args.sample_list_out.as_deref()),
    ];
    cli::check_streams("output", &outputs)?;
    let task = Implant {
        source: args.random.source()?,
        vec_paths: args.vec_paths,
        vec_dir: args.vec_dir,
        new_vec_paths: args.new_vec_paths,
        sample_list_out: args.sample_list_out,
        compress: args.compress_vecs,
    };
    implant::implant(&task, session)
}
