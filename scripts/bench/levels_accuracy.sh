#!/usr/bin/env bash
# Measures the error of signatures on Reuters articles against theory, for both distributions of
# hyperplanes (gauss, levels) and SEEDS seeds. Writes res/reuters/levels_accuracy.csv; fails if the error
# of levels exceeds the theory by over a tenth. Needs exp/reuters, which bench/reuters.sh creates.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
usage 0 "[SEEDS=10]" "$@"
seeds=${1:-10}
need_executables

exp=$exp/reuters
res=$res/reuters
mkdir -p "$res"
[ -f "$exp/vec_paths" ] || fail "$exp/vec_paths is missing: run scripts/bench/reuters.sh first"

similarity --quiet --vec_paths "$exp/vec_paths" --out "$exp/similarity_30" --threshold 30
for dist in gauss levels; do
    for seed in $(seq "$seeds"); do
        create_sigs --quiet --vec_paths "$exp/vec_paths" --sig_len 1024 --sig_dir "$exp/sigs" --sig_paths "$exp/accuracy_${dist}_$seed" --rnd_dist "$dist" --rnd_seed "$seed"
    done
done
python3 "$root/scripts/bench/levels_accuracy.py" "$exp" "$seeds" | tee "$res/levels_accuracy.csv"
