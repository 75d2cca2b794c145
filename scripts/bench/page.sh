#!/usr/bin/env bash
# Writes res/bench/README.md with the growth plot from raw numbers, without measuring.
# With FOLDER, the page of another folder of raw numbers; with SECTION, prints one section instead
# (find_near_dups, real, pipeline, thesis_scale, pleb_recall, growth, ten_million).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
source "$root/scripts/report/venv.sh"
usage 0 "[FOLDER [SECTION]]" "$@"
need_python "$root/scripts/report/requirements.txt"
exec "$python" -m bench.page "${1:-$res/bench}" "${@:2}"
