//! similarity: exact similarities of vectors.

fn main() -> std::process::ExitCode {
    nearsig::cli::execute::<nearsig::chain::similarity::Similarity>()
}
