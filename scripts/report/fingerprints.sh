#!/usr/bin/env bash
# Reports on tables of evaluate_methods:
#   plots   precision over recall, and F over cost, of one table
#   page    the page of the experiments; scripts/fingerprints.sh runs them
#   check   compares tables with exp/fingerprints/expected.csv; fails if a value is off
#   record  writes exp/fingerprints/expected.csv from tables
# `fingerprints.sh plots -h` lists the flags. Paths are relative to the current folder.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
source "$(dirname "${BASH_SOURCE[0]}")/venv.sh"
usage 1 "plots|page|check|record [flags]" "$@"
need_python "$root/scripts/report/requirements.txt"
exec "$python" -m report.fingerprints "$@"
