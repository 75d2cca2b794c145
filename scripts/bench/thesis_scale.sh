#!/usr/bin/env bash
# Experiment 2.59 of the thesis at its scale: 644,566 synthetic documents of the length of newspaper articles
# through the whole pipeline: tf_idf, terms of at least two documents, 1024 bits, searched at 95 %.
# Writes time and peak memory per stage to res/bench/thesis_scale.csv, the recall of planted near-duplicates to
# thesis_scale_planted.csv, and the page; for other sizes to res/bench_small.
# Needs 7 GB of disk; KEEP=1 keeps the working data in exp/thesis_scale.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
source "$root/scripts/bench/stages.sh"
source "$root/scripts/report/venv.sh"
usage 0 "[DOCUMENTS=644566]" "$@"
thesis_documents=644566
documents=${1:-$thesis_documents}
need_executables
need_python "$root/scripts/report/requirements.txt"

results=$res/bench
[ "$documents" = "$thesis_documents" ] || results=$res/bench_small
work=$exp/thesis_scale
mkdir -p "$work"
need_space $((documents / 100000 + 1)) "$work"
begin_stages "$results/thesis_scale.csv"

to_vectors "$documents"
sign "$documents" create_sigs
# search NAME EXECUTABLE INPUT_FLAG INPUT [flags]
search() {
    stage "$documents" "$1" "$2" "$3" "$4" --out "$work/$1" --threshold 95 "${@:5}"
}
pleb=(--beam 50 --shift_count 70)
search hamming_50 hamming --sig_paths "$work/sig_paths" --iter_count 50 "${pleb[@]}"
search hamming_100 hamming --sig_paths "$work/sig_paths" --iter_count 100 "${pleb[@]}"
search hamming_full hamming_full --sig_paths "$work/sig_paths"
search similarity similarity --vec_paths "$work/vec_paths"

# Recall of the planted near-duplicates.
for search in hamming_50 hamming_100 hamming_full similarity; do
    "$python" -m bench.planted "$search" "$work/truth.tsv" "$work/$search"
done | awk 'NR == 1 || !/^edit_share/' >"$results/thesis_scale_planted.csv"
"$python" -m bench.page "$results"
"$python" -m bench.page "$results" thesis_scale
discard "$work"
