#!/usr/bin/env bash
# Documents to tf vectors over the terms of at least two documents. Further flags go to create_bows, e.g. --lines or --words.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
usage 1 "DOC_LIST [create_bows flags]" "$@"
need_executables

create_bows -doc_list "$1" -bow_paths "$exp/bow_paths" -bow_dir "$exp/bows" "${@:2}"
create_voc -bow_paths "$exp/bow_paths" -voc_name "$exp/voc"
reduce_voc -old_voc_name "$exp/voc" -new_voc_name "$exp/voc_reduced" -min_df 2 -max_df 1e18
create_vecs -bow_paths "$exp/bow_paths" -voc_name "$exp/voc_reduced" -vec_dir "$exp/vecs" -vec_paths "$exp/vec_paths" -use_tf_only
