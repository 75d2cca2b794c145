//! reduce_voc: a vocabulary within limits.

fn main() -> std::process::ExitCode {
    nearsig::cli::execute::<nearsig::chain::voc::ReduceVoc>()
}
