//! report_pairs: pairs of near-duplicates as an HTML report.

use std::process::ExitCode;

use nearsig::cli;
use nearsig::page::ReportPairs;

fn main() -> ExitCode {
    cli::execute::<ReportPairs>()
}
