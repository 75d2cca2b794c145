//! find_near_dups: near-duplicate pairs, clusters, a deduplicated copy.

use std::process::ExitCode;

use nearsig::cli;
use nearsig::near_dups::FindNearDups;

fn main() -> ExitCode {
    cli::execute::<FindNearDups>()
}
