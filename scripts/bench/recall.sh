#!/usr/bin/env bash
# Measures the recall of find_near_dups by signatures against its guarantee, over SEEDS seeds of the
# hyperplanes, on Reuters articles and Bible chapters; and its precision where the true pairs are known.
# Writes one row per run to res/find_near_dups/recall.csv and prints tables. Builds, unless NEARSIG_BIN is set.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
usage 0 "[SEEDS=20]" "$@"
build_executables
folder=${NEARSIG_COLLECTIONS:-$exp/collections}
for name in reuters bible; do
    NEARSIG_COLLECTIONS=$folder "$BASH" "$root/scripts/collect/collections.sh" "$name"
done
mkdir -p "$exp/recall" "$res/find_near_dups"
python3 "$root/scripts/bench/recall.py" "$folder" "$exp/recall" "$res/find_near_dups/recall.csv" "${1:-20}"
