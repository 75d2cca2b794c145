//! find_near_dups — near-duplicates of whatever holds documents: pairs, clusters, a copy without them.

use std::process::ExitCode;

use clap::Parser;
use nearsig::Result;
use nearsig::Session;
use nearsig::chain::Counts;
use nearsig::cli::{self, NearDupFlags};
use nearsig::near_dups;

/// Finds near-duplicate documents in folders, files or JSON lines: pairs, clusters, a copy without duplicates
#[derive(Parser)]
#[command(name = "find_near_dups", version)]
struct Args {
    #[command(flatten)]
    flags: NearDupFlags,
    /// Tell what to expect of recall, memory and time, and do nothing
    #[arg(long)]
    plan: bool,
}

fn main() -> ExitCode {
    cli::main_with(run)
}

fn run(args: Args, session: &Session) -> Result<Counts> {
    let task = args.flags.task(args.plan)?;
    if args.plan {
        return near_dups::plan(&task, session);
    }
    near_dups::find(&task, session)
}
