#!/usr/bin/env bash
# Measures how fast find_near_dups reads each input format: the same texts in all of them.
# Prints CSV and writes res/formats/speed.csv and README.md; for another number of copies to res/formats_small.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
source "$root/scripts/report/venv.sh"
usage 0 "[COPIES=40]" "$@"
need_executables
need_python "$root/scripts/bench/requirements.txt"
copies=${1:-40}
results=$res/formats
[ "$copies" = 40 ] || results=$res/formats_small
mkdir -p "$results"
"$python" -m bench.formats "$root/exp/sample/texts" "$exp/formats" "$results" "$copies"
