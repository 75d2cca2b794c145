//! create_vecs: sparse document vectors.

fn main() -> std::process::ExitCode {
    nearsig::cli::execute::<nearsig::chain::vecs::CreateVecs>()
}
