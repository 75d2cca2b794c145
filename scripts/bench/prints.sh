#!/usr/bin/env bash
# Measures every fingerprint method (create_prints and match_prints, two threads) on a synthetic collection, and minhash against
# rensa, datasketch and gaoya with the same shingles and bands. Fails if a library finds other pairs than theory and its hash
# functions allow. Writes res/prints/speed.csv, pairs.csv and README.md; for another number of documents to res/prints_small.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
source "$root/scripts/report/venv.sh"
usage 0 "[DOCUMENTS=100000]" "$@"
need_executables
need_python "$root/scripts/report/requirements.txt"
need_python "$root/scripts/bench/requirements.txt"
documents=${1:-100000}
results=$res/prints
[ "$documents" = 100000 ] || results=$res/prints_small
mkdir -p "$results" "$exp/prints"
"$python" -m bench.prints "$documents" "$exp/prints" "$results"
