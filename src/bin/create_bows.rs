//! create_bows: bags of words of documents.

fn main() -> std::process::ExitCode {
    nearsig::cli::execute::<nearsig::chain::bows::CreateBows>()
}
