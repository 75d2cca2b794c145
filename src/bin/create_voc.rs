//! create_voc: the vocabulary of a collection.

fn main() -> std::process::ExitCode {
    nearsig::cli::execute::<nearsig::chain::voc::CreateVoc>()
}
