#!/usr/bin/env bash
# Measures what syncing to disk costs: find_near_dups --dedup of 20,000 files to a folder and to a file, with an index,
# and the pipeline from create_bows to hamming_full; each with and without --no_sync, alternately, five times.
# Prints medians and writes res/soak/DATE-COMMIT-durability.csv; for another number of documents to res/soak_small.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
source "$root/scripts/report/venv.sh"
usage 0 "[DOCUMENTS]" "$@"
need_executables
need_python "$root/scripts/report/requirements.txt"
documents=${1:-20000}
results=$res/soak
[ "$documents" = 20000 ] || results=$res/soak_small
mkdir -p "$exp/durability" "$results"
"$python" -m bench.durability "$documents" "$exp/durability" "$results"
rm -rf "$exp/durability"
