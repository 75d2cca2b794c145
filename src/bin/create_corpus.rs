//! create_corpus: a synthetic collection with known near-duplicates.

fn main() -> std::process::ExitCode {
    nearsig::cli::execute::<nearsig::chain::corpus::CreateCorpus>()
}
