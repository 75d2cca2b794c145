#!/usr/bin/env bash
# Reports on the tables of run_experiment:
#   page    writes the page with tables, verdicts and plots
#   check   compares the tables with exp/NAME/expected.csv; fails if a value is off or missing
#   record  writes exp/NAME/expected.csv from the tables
# `run.sh page -h` lists the flags. Paths are relative to the current folder.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
source "$(dirname "${BASH_SOURCE[0]}")/venv.sh"
usage 1 "page|check|record [flags]" "$@"
need_python "$root/scripts/report/requirements.txt"
exec "$python" -m report "$@"
