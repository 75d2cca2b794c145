#!/usr/bin/env bash
# Measures which share of the pairs find_near_dups finds by signatures, over SEEDS seeds (20 by default) of their random vectors, on Reuters articles and Bible chapters, against
# what it promises; and how many of the pairs are true ones, where that is known. Raw numbers go to res/front_door/recall.csv, tables to the terminal.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
usage 0 "[SEEDS]" "$@"
[ -n "${NEARSIG_BIN:-}" ] || "$root/scripts/install.sh"
need_executables
folder=${NEARSIG_COLLECTIONS:-$exp/collections}
for name in reuters bible; do
    NEARSIG_COLLECTIONS=$folder "$BASH" "$root/scripts/collect/collections.sh" "$name"
done
mkdir -p "$exp/recall" "$res/front_door"
python3 "$root/scripts/bench/recall.py" "$folder" "$exp/recall" "$res/front_door/recall.csv" "${1:-20}"
