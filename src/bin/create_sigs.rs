//! create_sigs: random-hyperplane signatures.

fn main() -> std::process::ExitCode {
    nearsig::cli::execute::<nearsig::chain::sigs::CreateSigs>()
}
