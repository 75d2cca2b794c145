//! report_pairs: pairs of near-duplicates as an HTML report.

fn main() -> std::process::ExitCode {
    nearsig::cli::execute::<nearsig::page::ReportPairs>()
}
