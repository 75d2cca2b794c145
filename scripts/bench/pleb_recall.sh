#!/usr/bin/env bash
# Measures the recall of PLEB after each iteration, by shift_count, next to its own estimate: hamming at 95 % on a
# synthetic collection, relative to hamming_full. Writes res/bench/pleb_recall.csv and the page; for other sizes
# to res/bench_small.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
source "$root/scripts/bench/stages.sh"
source "$root/scripts/report/venv.sh"
usage 0 "[DOCUMENTS=100000]" "$@"
default_documents=100000
iterations=60
documents=${1:-$default_documents}
need_executables
need_python "$root/scripts/report/requirements.txt"

results=$res/bench
[ "$documents" = "$default_documents" ] || results=$res/bench_small
work=$exp/pleb_recall
mkdir -p "$work" "$results"
begin_stages "$work/stages.csv"
to_vectors "$documents"
sign "$documents" create_sigs
stage "$documents" hamming_full hamming_full --sig_paths "$work/sig_paths" --out "$work/full" --threshold 95
all=$wrote

table=$results/pleb_recall.csv
echo "shift_count,iteration,known,all,share,estimate" >"$table"
for shift in 1 10 70 1000 full; do
    # --target_recall makes hamming print estimates; a target of 1 is hardly ever reached.
    target=()
    [ "$shift" != full ] || target=(--target_recall 1)
    hamming --sig_paths "$work/sig_paths" --out "$work/pleb" --threshold 95 --iter_count "$iterations" --beam 50 --shift_count "$shift" "${target[@]}" 2>"$work/log"
    sed -nE 's/^hamming: iteration ([0-9]+): ([0-9]+) pairs found(, an estimated ([0-9.]+) %.*)?.*$/\1,\2,\4/p' "$work/log" |
        awk -F, -v shift="$shift" -v all="$all" '{ printf("%s,%s,%s,%s,%.4f,%s\n", shift, $1, $2, all, (all > 0 ? $2 / all : 1), ($3 == "" ? "" : $3 / 100)) }' >>"$table"
done

"$python" -m bench.page "$results"
"$python" -m bench.page "$results" pleb_recall
discard "$work"
