//! hamming_full: all pairs of similar signatures.

fn main() -> std::process::ExitCode {
    nearsig::cli::execute::<nearsig::chain::hamming::HammingFull>()
}
