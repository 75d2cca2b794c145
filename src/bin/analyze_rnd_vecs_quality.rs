//! analyze_rnd_vecs_quality: statistical tests of the hyperplanes.

fn main() -> std::process::ExitCode {
    nearsig::cli::execute::<nearsig::chain::quality::AnalyzeRndVecsQuality>()
}
