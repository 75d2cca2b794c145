//! merge_paths: usage, flags. The merged bytes: `shards`.

use super::shared::{check_required, check_usage};

const LINE: &str = "merge_paths --out all bow_paths.1-of-2 bow_paths.2-of-2";

#[test]
fn usage_names_every_flag() {
    check_usage(
        "merge_paths",
        "Merges the shards of create_bows, create_vecs or create_prints",
        &["out"],
    );
    check_required(LINE, &["out"]);
}
