//! compare_results: how well one result approximates another.

fn main() -> std::process::ExitCode {
    nearsig::cli::execute::<nearsig::chain::compare::CompareResults>()
}
