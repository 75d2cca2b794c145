#!/usr/bin/env bash
# Measures the recall of PLEB after each iteration, by shift_count, next to its own estimate: hamming at 95 % on a
# synthetic collection, relative to hamming_full. Writes res/bench/pleb_recall.csv and .md; for other sizes to
# res/bench_small.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
source "$root/scripts/bench/stages.sh"
usage 0 "[DOCUMENTS=100000]" "$@"
default_documents=100000
iterations=60
documents=${1:-$default_documents}
need_executables

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
    hamming --sig_paths "$work/sig_paths" --out "$work/pleb" --threshold 95 --iter_count "$iterations" --beam 50 --shift_count "$shift" --target_recall 1 2>"$work/log"
    sed -nE 's/^hamming: iteration ([0-9]+): ([0-9]+) pairs known(, an estimated ([0-9.]+) %.*)?.*$/\1,\2,\4/p' "$work/log" |
        awk -F, -v shift="$shift" -v all="$all" '{ printf("%s,%s,%s,%s,%.4f,%s\n", shift, $1, $2, all, (all > 0 ? $2 / all : 1), ($3 == "" ? "" : $3 / 100)) }' >>"$table"
done

awk -F, -v last="$iterations" '
    NR == 1 { print "| shift_count | iterations to 99.4 % | share (and its estimate) after 2 | after 5 | after 10 | after 50 |"; print "|---|---|---|---|---|---|"; next }
    !($1 in seen) { seen[$1] = 1; order[++count] = $1 }
    { cell[$1, $2] = sprintf("%.2f %% (%s)", 100 * $5, ($6 == "" ? "–" : sprintf("%.2f %%", 100 * $6))); ended[$1] = cell[$1, $2]; if ($5 >= 0.994 && !($1 in reached)) reached[$1] = $2 }
    function after(shift, iteration) { return (shift, iteration) in cell ? cell[shift, iteration] : "stopped at " ended[shift] }
    END {
        for (n = 1; n <= count; n++) {
            shift = order[n]
            printf("| %s | %s | %s | %s | %s | %s |\n", shift, ((shift in reached) ? reached[shift] : "over " last), after(shift, 2), after(shift, 5), after(shift, 10), after(shift, 50))
        }
    }' "$table" | tee "$results/pleb_recall.md"
discard "$work"
