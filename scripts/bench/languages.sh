#!/usr/bin/env bash
# Measures how well find_near_dups finds edited copies in nine languages: precision and recall at a threshold of 0.8, for copies in which
# 1, 5 and 10 % of the characters are edited. Collects the documents first (scripts/collect/languages.sh). Writes res/languages.
# `segmentation` compares rules for scripts without spaces instead, on the half of the documents that the results leave out; needs cargo.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
source "$root/scripts/report/venv.sh"
usage 0 "[results|segmentation]" "$@"
what=${1:-results}
export NEARSIG_COLLECTIONS=${NEARSIG_COLLECTIONS:-$exp/collections}
"$root/scripts/collect/languages.sh"
mkdir -p "$res/languages"
case $what in
results)
    build_executables
    PYTHONPATH=$root/scripts python3 -m bench.languages "$NEARSIG_COLLECTIONS/languages" "$res/languages"
    ;;
segmentation)
    need_python "$root/scripts/report/requirements.txt"
    cargo build --release --locked --manifest-path "$root/scripts/bench/segment/Cargo.toml" --target-dir "$target/segment"
    "$python" -m bench.segmentation "$NEARSIG_COLLECTIONS/languages" "$target/segment/release/segment" "$res/languages"
    ;;
*) usage 1 "[results|segmentation]" ;;
esac
PYTHONPATH=$root/scripts python3 -m bench.languages_page "$NEARSIG_COLLECTIONS/languages" "$res/languages"
