//! run_experiment — a sweep over settings of the chain, as a table.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use nearsig::Result;
use nearsig::Session;
use nearsig::chain::Counts;
use nearsig::cli::{self};
use nearsig::experiment::{self, Experiment, Folders, Places};

/// Measures every combination of the settings that an experiment lists, one row of a table each. Rows are written after every run; those that are there
/// are not measured again, so that a run that was stopped can be started again
#[derive(Parser)]
#[command(name = "run_experiment", version)]
struct Args {
    /// The experiment: its folder, or its experiment.toml
    #[arg(long, value_name = "PATH")]
    experiment: PathBuf,
    /// Folder of the collections: NAME.jsonl or NAME.jsonl.gz. Collections called synthetic-N are made there
    #[arg(long, value_name = "DIR", default_value = "exp/collections")]
    collections: PathBuf,
    /// Folder for what is made of the collections; runs share it
    #[arg(long = "work_dir", value_name = "DIR", default_value = "exp/work")]
    work_dir: PathBuf,
    /// Folder for the tables, which are named after the experiment and what is measured
    #[arg(long = "res_dir", value_name = "DIR", default_value = "res/experiments")]
    res_dir: PathBuf,
    /// Take the experiment's small version
    #[arg(long)]
    small: bool,
    /// Run nothing: print the command lines that give the same numbers
    #[arg(long = "dry_run")]
    dry_run: bool,
}

fn main() -> ExitCode {
    cli::main_with(run)
}

fn run(args: Args, session: &Session) -> Result<Counts> {
    let mut path = args.experiment;
    if path.is_dir() {
        path.push("experiment.toml");
    }
    let experiment = Experiment::read(&path, args.small)?;
    let folders = Folders { collections: args.collections, work: args.work_dir };
    if args.dry_run {
        return show(&experiment, &folders);
    }
    let tables = experiment::tables(&args.res_dir, &experiment.name, args.small);
    experiment::run(&experiment, &Places { folders, tables }, session)
}

fn show(experiment: &Experiment, folders: &Folders) -> Result<Counts> {
    let lines = experiment::commands(experiment, folders);
    let mut out = std::io::stdout().lock();
    for line in &lines {
        writeln!(out, "{line}").map_err(cli::stdout_error)?;
    }
    let count = |measure| experiment.configurations(measure).len() as u64;
    Ok(Counts {
        read: (experiment.measures().into_iter().map(count).sum(), "configurations"),
        skipped: (0, ""),
        written: (lines.len() as u64, "lines"),
        unreadable: 0,
    })
}
