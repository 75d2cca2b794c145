//! implant_rnd_vecs: hyperplanes as documents.

fn main() -> std::process::ExitCode {
    nearsig::cli::execute::<nearsig::chain::implant::ImplantRndVecs>()
}
