//! report_experiments — the thesis' tables, figures and claims beside ours, as a page.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use nearsig::Result;
use nearsig::Session;
use nearsig::chain::Counts;
use nearsig::cli::{self};
use nearsig::report::{self, Request, provenance};

/// Writes a page that sets what the thesis published beside the tables of run_experiment: means with intervals over seeds, a verdict for every claim by a stated rule,
/// pictures. Tables and rows that are not there are named on the page
#[derive(Parser)]
#[command(name = "report_experiments", version)]
struct Args {
    /// Folder of the tables that run_experiment wrote
    #[arg(long, value_name = "DIR", default_value = "res/experiments")]
    tables: PathBuf,
    /// What the thesis published
    #[arg(long, value_name = "FILE", default_value = "exp/thesis.csv")]
    thesis: PathBuf,
    /// Folder of the experiments; collections.sha256 in it is shown on the page
    #[arg(long, value_name = "DIR", default_value = "exp")]
    experiments: PathBuf,
    /// Folder for README.md, pictures/ and tables/
    #[arg(long = "out_dir", value_name = "DIR", default_value = "res/reproduction")]
    out_dir: PathBuf,
    /// Take the tables of the experiments' small versions
    #[arg(long)]
    small: bool,
    /// The machine to name on the page, if not this one
    #[arg(long, value_name = "TEXT")]
    machine: Option<String>,
    /// The commit to name on the page, if not that of the current folder
    #[arg(long, value_name = "TEXT")]
    commit: Option<String>,
}

fn main() -> ExitCode {
    cli::main_with(run)
}

fn run(args: Args, _: &Session) -> Result<Counts> {
    let request = Request {
        command: command(&args),
        tables: args.tables,
        thesis: args.thesis,
        experiments: args.experiments,
        out: args.out_dir,
        small: args.small,
        machine: args.machine.unwrap_or_else(provenance::machine),
        commit: args.commit.unwrap_or_else(provenance::commit),
    };
    report::write(&request)
}

/// The command line, as the page names it.
fn command(args: &Args) -> String {
    let show = |path: &Path| path.display().to_string();
    let (tables, thesis) = (show(&args.tables), show(&args.thesis));
    let (experiments, out) = (show(&args.experiments), show(&args.out_dir));
    let small = if args.small { " --small" } else { "" };
    format!(
        "report_experiments --tables {tables} --thesis {thesis} --experiments {experiments} --out_dir {out}{small}"
    )
}
