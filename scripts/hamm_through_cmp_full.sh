#!/usr/bin/env bash
# Exact cosines compared with the Hamming similarities of hamming_full, for a sample of documents. Further flags go to both searches, e.g. --lines.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
usage 1 "SAMPLE_LIST [search flags]" "$@"
need_executables

similarity -vec_paths "$exp/vec_paths" -out "$res/similarity" -threshold 80 -sample_list "$@"
hamming_full -sig_paths "$exp/sig_paths" -out "$res/hamming_full" -threshold 79 -sample_list "$@"
compare_results -sim "$res/similarity" -ham "$res/hamming_full" -out "$res/comparison_full" \
    -summary "$res/summary_full.csv" -threshold_sim 80 -threshold_ham 79
