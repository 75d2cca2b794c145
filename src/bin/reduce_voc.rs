//! reduce_voc — keep the terms worth keeping.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use nearsig::Session;
use nearsig::chain::{Counts, voc};
use nearsig::cli::{self};
use nearsig::vector::{Limit, Measure, Reduction};
use nearsig::{Error, Result};

/// Keeps the terms of a vocabulary that lie within limits. Exactly one of these pairs is needed: min_tf with max_tf or count,
/// min_df with max_df or count, min_tf_idf with max_tf_idf or count. Limits are inclusive
#[derive(Parser)]
#[command(name = "reduce_voc", version)]
struct Args {
    /// The vocabulary to reduce
    #[arg(long = "old_voc_name", value_name = "FILE")]
    old_voc_name: PathBuf,
    /// Where to write the reduced vocabulary
    #[arg(long = "new_voc_name", value_name = "FILE")]
    new_voc_name: PathBuf,
    /// Least occurrences in the collection (TC)
    #[arg(long = "min_tf", value_name = "X", value_parser = cli::limit)]
    min_tf: Option<f64>,
    /// Most occurrences in the collection (TC)
    #[arg(long = "max_tf", value_name = "X", value_parser = cli::limit)]
    max_tf: Option<f64>,
    /// Least documents that hold the term (DC)
    #[arg(long = "min_df", value_name = "X", value_parser = cli::limit)]
    min_df: Option<f64>,
    /// Most documents that hold the term (DC)
    #[arg(long = "max_df", value_name = "X", value_parser = cli::limit)]
    max_df: Option<f64>,
    /// Least TC * ln(N / DC)
    #[arg(long = "min_tf_idf", value_name = "X", value_parser = cli::limit)]
    min_tf_idf: Option<f64>,
    /// Most TC * ln(N / DC)
    #[arg(long = "max_tf_idf", value_name = "X", value_parser = cli::limit)]
    max_tf_idf: Option<f64>,
    /// Keep the N best terms by the measure whose minimum is given
    #[arg(long, value_name = "N")]
    count: Option<usize>,
}

fn main() -> ExitCode {
    cli::main_with(run)
}

fn run(args: Args, _session: &Session) -> Result<Counts> {
    voc::reduce(&args.old_voc_name, &args.new_voc_name, args.reduction()?)
}

impl Args {
    /// The one legal pair that was given.
    fn reduction(&self) -> Result<Reduction> {
        let minima = [
            (Measure::Tf, self.min_tf, self.max_tf),
            (Measure::Df, self.min_df, self.max_df),
            (Measure::TfIdf, self.min_tf_idf, self.max_tf_idf),
        ];
        let given = minima.iter().flat_map(|(_, min, max)| [min, max]).flatten().count();
        let legal = minima.iter().find_map(|(measure, min, max)| {
            let limit = match (max, self.count) {
                (Some(most), None) if given == 2 => Limit::AtMost(*most),
                (None, Some(count)) if given == 1 => Limit::Best(count),
                _ => return None,
            };
            Some(Reduction { measure: *measure, at_least: (*min)?, limit })
        });
        legal.ok_or_else(|| {
            Error::Usage(
                "give exactly one of these pairs: min_tf and max_tf, min_tf and count, min_df and max_df, \
                 min_df and count, min_tf_idf and max_tf_idf, min_tf_idf and count"
                    .into(),
            )
        })
    }
}
