#!/usr/bin/env bash
# Experiment 2.59 of the thesis at its scale: 644,566 synthetic documents of the length of newspaper articles
# through the whole pipeline: tf_idf, terms of at least two documents, 1024 bits, searched at 95 %.
# Writes time and peak memory per stage to res/bench/thesis_scale.csv and .md (next to the thesis' times), and
# the recall of planted near-duplicates to thesis_scale_planted.csv; for other sizes to res/bench_small.
# Needs 7 GB of disk; KEEP=1 keeps the working data in exp/thesis_scale.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
source "$root/scripts/bench/stages.sh"
usage 0 "[DOCUMENTS=644566]" "$@"
thesis_documents=644566
documents=${1:-$thesis_documents}
need_executables

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
found_50=$wrote
search hamming_100 hamming --sig_paths "$work/sig_paths" --iter_count 100 "${pleb[@]}"
found_100=$wrote
search hamming_full hamming_full --sig_paths "$work/sig_paths"
all=$wrote
search similarity similarity --vec_paths "$work/vec_paths"

# The thesis' times are comparable at its size only.
compared=$([ "$documents" = "$thesis_documents" ] && echo 1 || echo 0)
# Minutes and recall of table 2.59 of the thesis (Opteron 275).
awk -F, -v all="$all" -v found_50="$found_50" -v found_100="$found_100" -v compared="$compared" '
    BEGIN {
        minutes["hamming_50"] = 18.22; minutes["hamming_100"] = 41.75; minutes["hamming_full"] = 912.47; minutes["similarity"] = 36259.11
        their_share["hamming_50"] = "99.40 %"; their_share["hamming_100"] = "99.61 %"; their_share["hamming_full"] = "100 %"
        found["hamming_50"] = found_50; found["hamming_100"] = found_100; found["hamming_full"] = all
        print "| stage | time | peak memory | wrote | share of the pairs of hamming_full | thesis: time | thesis: share | times faster |"
        print "|---|---|---|---|---|---|---|---|"
    }
    NR > 1 {
        share = $2 in found && all > 0 ? sprintf("%.2f %%", 100 * found[$2] / all) : "–"
        theirs = $2 in minutes ? sprintf("%.2f min", minutes[$2]) : "–"
        faster = compared && $2 in minutes ? sprintf("%.0f", minutes[$2] * 60 / ($3 > 0 ? $3 : 0.01)) : "–"
        seconds += $3
        printf "| `%s` | %.2f s | %.0f MB | %s %s | %s | %s | %s | %s |\n", $2, $3, $4, $5, $6, share, theirs, $2 in their_share ? their_share[$2] : "–", faster
    }
    END { printf "| all | %.2f s | | | | | | |\n", seconds }' "$results/thesis_scale.csv" | tee "$results/thesis_scale.md"

# Recall of the planted near-duplicates.
for search in hamming_50 hamming_100 hamming_full similarity; do
    python3 "$root/scripts/bench/planted.py" "$search" "$work/truth.tsv" "$work/$search"
done | awk 'NR == 1 || !/^edit_share/' >"$results/thesis_scale_planted.csv"
discard "$work"
