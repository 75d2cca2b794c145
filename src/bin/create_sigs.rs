//! create_sigs — random-hyperplane signatures.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use nearsig::Result;
use nearsig::chain::{Counts, sigs};
use nearsig::cli::{self, Session};
use nearsig::random::DEFAULT_SEED;

/// Makes a signature of every vector: bit j is 1 where the dot product with random vector j is at least 0.
/// Vectors without components get none
#[derive(Parser)]
#[command(name = "create_sigs", version)]
struct Args {
    /// List of VEC files, from create_vecs
    #[arg(long = "vec_paths", value_name = "FILE")]
    vec_paths: PathBuf,
    /// Length of a signature in bits, a multiple of 4; multiples of 64 use memory best
    #[arg(long = "sig_len", value_name = "K", value_parser = cli::signature_bits)]
    sig_len: usize,
    /// Folder for the SIG files, made if missing
    #[arg(long = "sig_dir", value_name = "DIR")]
    sig_dir: PathBuf,
    /// Where to write the list of SIG files
    #[arg(long = "sig_paths", value_name = "FILE")]
    sig_paths: PathBuf,
    /// Do not scale vectors to length one before signing them (signs, and so bits, do not depend on it but for rounding)
    #[arg(long = "no_norm")]
    no_norm: bool,
    /// Seed of the random vectors
    #[arg(long = "rnd_seed", value_name = "N", default_value_t = DEFAULT_SEED)]
    rnd_seed: u64,
    /// Compress the SIG files
    #[arg(long = "compress_sigs")]
    compress_sigs: bool,
    /// Keep the random vectors on disk, in sig_dir, and at most MB megabytes of them in memory
    #[arg(long = "use_hdd", value_name = "MB", value_parser = cli::at_least_one)]
    use_hdd: Option<usize>,
    /// Compress the random vectors on disk
    #[arg(long = "compress_rnd_vecs", requires = "use_hdd")]
    compress_rnd_vecs: bool,
    /// Draw a random vector again until more than P % of its components are positive and more than P % negative; below 50
    #[arg(long = "below_zero_percent", value_name = "P", value_parser = cli::below_half)]
    below_zero_percent: Option<f64>,
}

fn main() -> ExitCode {
    cli::main_with(run)
}

fn run(args: Args, session: &Session) -> Result<Counts> {
    let task = sigs::Sigs {
        vec_paths: args.vec_paths,
        bits: args.sig_len,
        sig_dir: args.sig_dir,
        sig_paths: args.sig_paths,
        normalise: !args.no_norm,
        seed: args.rnd_seed,
        compress: args.compress_sigs,
        use_hdd: args.use_hdd,
        compress_planes: args.compress_rnd_vecs,
        below_zero_percent: args.below_zero_percent,
    };
    sigs::create(&task, session)
}
