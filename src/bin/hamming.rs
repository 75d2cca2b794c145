//! hamming: similar signatures by PLEB.

fn main() -> std::process::ExitCode {
    nearsig::cli::execute::<nearsig::chain::hamming::Hamming>()
}
