//! create_sigs — random-hyperplane signatures.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use nearsig::Session;
use nearsig::chain::Counts;
use nearsig::chain::sigs::{self, Distribution, Table};
use nearsig::cli::{self, RndDist};
use nearsig::random::DEFAULT_SEED;
use nearsig::{Error, Result};

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
    /// Do not scale vectors to length one before signing them: accepted as in the thesis; the bits are the same
    #[arg(long = "no_norm")]
    _no_norm: bool,
    /// What the random vectors' components are
    #[arg(long = "rnd_dist", value_name = "DIST", default_value = "gauss")]
    rnd_dist: RndDist,
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

/// Why some flags make no sense with levels.
const NO_TABLE: &str = "rnd_dist levels keeps no random vectors: use_hdd, compress_rnd_vecs and below_zero_percent need rnd_dist gauss";

fn main() -> ExitCode {
    cli::main_with(run)
}

fn run(args: Args, session: &Session) -> Result<Counts> {
    let task = sigs::Sigs {
        distribution: distribution(&args)?,
        vec_paths: args.vec_paths,
        bits: args.sig_len,
        sig_dir: args.sig_dir,
        sig_paths: args.sig_paths,
        seed: args.rnd_seed,
        compress: args.compress_sigs,
    };
    sigs::create(&task, session)
}

fn distribution(args: &Args) -> Result<Distribution> {
    let (use_hdd, below_zero_percent) = (args.use_hdd, args.below_zero_percent);
    match args.rnd_dist {
        RndDist::Levels if use_hdd.is_some() || below_zero_percent.is_some() => {
            Err(Error::Usage(NO_TABLE.into()))
        }
        RndDist::Levels => Ok(Distribution::Levels),
        RndDist::Gauss => {
            let compress = args.compress_rnd_vecs;
            Ok(Distribution::Gauss(Table { use_hdd, compress, below_zero_percent }))
        }
    }
}
