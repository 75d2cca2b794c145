#!/usr/bin/env bash
# Measures the recall of find_near_dups by signatures against its guarantee, over SEEDS seeds of the
# hyperplanes, on Reuters articles and Bible chapters; and its precision where the true pairs are known.
# Writes res/find_near_dups/recall.csv, one row per run, known_pairs.csv and the page. Builds, unless NEARSIG_BIN is set.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
source "$root/scripts/report/venv.sh"
usage 0 "[SEEDS=20]" "$@"
need_python "$root/scripts/report/requirements.txt"
build_executables
folder=${NEARSIG_COLLECTIONS:-$exp/collections}
for name in reuters bible; do
    NEARSIG_COLLECTIONS=$folder "$BASH" "$root/scripts/collect/collections.sh" "$name"
done
mkdir -p "$exp/recall" "$res/find_near_dups"
"$python" -m bench.recall "$folder" "$exp/recall" "$res/find_near_dups" "${1:-20}"
"$python" -m bench.page "$res/bench"
