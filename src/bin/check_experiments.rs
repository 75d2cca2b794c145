//! check_experiments — tables of experiments against what is expected of them.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use nearsig::Session;
use nearsig::chain::Counts;
use nearsig::cli::{self};
use nearsig::experiment::{self, Expected};
use nearsig::{Error, Result};

/// Compares the tables of run_experiment with the expected.csv of each experiment, one line a result. Fails if one is further off than
/// its tolerance, or is not there
#[derive(Parser)]
#[command(name = "check_experiments", version)]
struct Args {
    /// Folder of the tables
    #[arg(long, value_name = "DIR")]
    tables: PathBuf,
    /// Folder of the experiments: NAME/experiment.toml, NAME/expected.csv
    #[arg(long, value_name = "DIR", default_value = "exp")]
    experiments: PathBuf,
    /// Take the experiments' small versions and their expected-small.csv
    #[arg(long)]
    small: bool,
    /// Write the expected results anew from the tables, with tolerances of four standard errors over the seeds and a floor
    #[arg(long)]
    record: bool,
    /// Experiments; all by default
    #[arg(value_name = "NAME")]
    names: Vec<String>,
}

fn main() -> ExitCode {
    cli::main_with(run)
}

fn run(args: Args, _session: &Session) -> Result<Counts> {
    let all = || experiment::names(&args.experiments);
    let names = if args.names.is_empty() { all()? } else { args.names.clone() };
    let (mut results, mut off) = (0, 0);
    for name in names {
        let expected = Expected {
            folder: args.experiments.join(&name),
            tables: experiment::tables(&args.tables, &name, args.small),
            small: args.small,
        };
        if args.record {
            results += expected.record()?;
        } else {
            let (all, wrong) = check(&name, &expected)?;
            (results, off) = (results + all, off + wrong);
        }
    }
    if off > 0 {
        return Err(Error::Message(format!("{off} of {results} results are off")));
    }
    let written = if args.record { results } else { 0 };
    Ok(Counts {
        read: (results, "results"),
        skipped: (0, ""),
        written: (written, "expected results"),
        unreadable: 0,
    })
}

/// Prints what became of each expected result; returns how many there are, and how many are off.
fn check(name: &str, expected: &Expected) -> Result<(u64, u64)> {
    let outcomes = expected.check()?;
    let mut out = std::io::stdout().lock();
    for outcome in &outcomes {
        writeln!(out, "{name}: {outcome}").map_err(cli::stdout_error)?;
    }
    let off = outcomes.iter().filter(|outcome| !outcome.is_ok()).count();
    Ok((outcomes.len() as u64, off as u64))
}
