//! merge_voc: usage, flags. The merged bytes: `shards`.

use super::shared::{check_required, check_usage};

const LINE: &str = "merge_voc --voc_name all voc.1-of-2 voc.2-of-2";

#[test]
fn usage_names_every_flag() {
    check_usage("merge_voc", "Merges the vocabularies of shards", &["voc_name"]);
    check_required(LINE, &["voc_name"]);
}
