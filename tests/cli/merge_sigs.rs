//! merge_sigs: usage, flags. The merged bytes: `shards`.

use super::shared::{check_required, check_usage};

const LINE: &str = "merge_sigs --sig_paths all --sig_dir sigs sig_paths.1-of-2 sig_paths.2-of-2";

#[test]
fn usage_names_every_flag() {
    check_usage("merge_sigs", "Merges the signatures of shards", &["sig_paths", "sig_dir"]);
    check_required(LINE, &["sig_paths", "sig_dir"]);
}
