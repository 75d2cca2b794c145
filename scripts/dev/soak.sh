#!/usr/bin/env bash
# Runs the fault tests for long, on larger collections: errors by a broken and by a full disk at every call that opens or
# changes a file, kills and power losses at every call, random kills, and two writers and five readers of one index.
#   KILLS      number of random kills, each followed by a run that must leave the files of an undisturbed one
#   ROUNDS     number of updates per writer of the shared index
#   DOCUMENTS  number of documents of the other collections; the time grows with the square
# Writes the counts to res/soak: a page, and raw numbers as CSV. Fails if a check is violated; what was violated is in the log.
# NEARSIG_SOAK_SEED makes other random kills. Needs Linux and cc.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
usage 0 "[KILLS=1000 [ROUNDS=500 [DOCUMENTS=60]]]" "$@"
export NEARSIG_SOAK_KILLS=${1:-1000} NEARSIG_SOAK_ROUNDS=${2:-500} NEARSIG_SOAK_DOCUMENTS=${3:-60}
export NEARSIG_SOAK_SEED=${NEARSIG_SOAK_SEED:-1}
cd "$root"

results=$res/soak
commit=$(git rev-parse --short=10 HEAD 2>/dev/null || echo unknown)
stem=$results/$(date -u +%F)-$commit
mkdir -p "$results"
export NEARSIG_SOAK_CSV=$stem.csv
echo 'check,command,runs,violations' >"$NEARSIG_SOAK_CSV"

echo "== build"
cargo test --locked --test tests --no-run
start=$SECONDS
status=0
for tests in faults::injected:: faults::power_loss:: faults::soak::; do
    echo "== $tests"
    cargo test --locked --test tests "$tests" 2>&1 | tee -a "$stem.log" || status=1
done
minutes=$(((SECONDS - start + 59) / 60))

# counts: one line of the page's table per check.
counts() {
    awk -F, '$1 != "check" {
        if (!($1 in runs)) order[++checks] = $1
        commands[$1]++; runs[$1] += $(NF - 1); violations[$1] += $NF
    } END {
        for (i = 1; i <= checks; i++) {
            check = order[i]
            printf "| %s | %d | %d | %d |\n", check, commands[check], runs[check], violations[check]
        }
    }' "$NEARSIG_SOAK_CSV"
}

{
    echo "# Fault tests"
    echo
    echo "\`scripts/dev/soak.sh $NEARSIG_SOAK_KILLS $NEARSIG_SOAK_ROUNDS $NEARSIG_SOAK_DOCUMENTS\`, seed $NEARSIG_SOAK_SEED, commit $commit," \
        "$(date -u +%F): $minutes minutes on $(nproc) cores. Raw numbers: [CSV]($(basename "$NEARSIG_SOAK_CSV"))."
    echo
    echo "| check | commands | runs | violations |"
    echo "|---|---:|---:|---:|"
    counts
    echo
    echo "- errors: each call that opens or changes a file fails, by a broken disk, a full disk or a short write. The run reports it and leaves all old"
    echo "  or all new outputs; a rerun gives the files of an undisturbed run."
    echo "- kills: the process is killed before each call. Every file is old or new, and a rerun completes."
    echo "- power losses: unsynced bytes and names are lost after each call, all or in part; counted are the reruns of distinct states."
    echo "- random kills: at a random call or time."
    echo "- index updates, index searches: two writers add documents to one index while five readers search it. At the end, every document is there"
    echo "  once; every reader saw whole updates only."
} >"$results/README.md"
cat "$results/README.md"
exit "$status"
