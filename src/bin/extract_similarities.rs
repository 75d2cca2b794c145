//! extract_similarities: the pairs of a result as plain lines.

fn main() -> std::process::ExitCode {
    nearsig::cli::execute::<nearsig::chain::extract::ExtractSimilarities>()
}
