#!/usr/bin/env bash
# Checks the Python code: ruff on everything in scripts/ and exp/, then the tests of the reports. Arguments go to pytest.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
source "$(dirname "${BASH_SOURCE[0]}")/venv.sh"
need_python "$root/scripts/report/requirements.txt"
cd "$root"
# Only experiments below exp/ are code; the rest is working data.
mapfile -t claims < <(ls exp/*/claims.py)
"$python" -m ruff check --no-cache --config scripts/ruff.toml scripts "${claims[@]}"
"$python" -m pytest --quiet -p no:cacheprovider "$@" scripts/report/tests
