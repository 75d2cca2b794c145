//! merge_index: usage, flags. The merged bytes: `shards`.

use super::shared::{check_required, check_usage};

const LINE: &str = "merge_index --index all ix.1-of-2 ix.2-of-2";

#[test]
fn usage_names_every_flag() {
    check_usage("merge_index", "Merges the shards of an n-gram index", &["index"]);
    check_required(LINE, &["index"]);
}
