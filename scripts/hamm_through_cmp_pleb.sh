#!/usr/bin/env bash
# Exact cosines compared with the Hamming similarities of PLEB, for a sample of documents. Further flags go to both searches, e.g. --lines.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
usage 1 "SAMPLE_LIST [search flags]" "$@"
need_executables

similarity -vec_paths "$exp/vec_paths" -out "$res/similarity" -threshold 80 -sample_list "$@"
hamming -sig_paths "$exp/sig_paths" -out "$res/hamming" -threshold 79 -iter_count 500 -shift_count 80 -beam 50 -sample_list "$@"
compare_results -sim "$res/similarity" -ham "$res/hamming" -out "$res/comparison_pleb" \
    -summary "$res/summary_pleb.csv" -threshold_sim 80 -threshold_ham 79
