//! find_near_dups: near-duplicate pairs, clusters, a deduplicated copy.

fn main() -> std::process::ExitCode {
    nearsig::cli::execute::<nearsig::near_dups::FindNearDups>()
}
