#!/usr/bin/env bash
# Corpus and reports of the experiments with the n-gram index; scripts/copied_passages.sh runs them:
#   corpus  writes the corpus of planted copies: sources.jsonl, suspicious.jsonl, truth.tsv and lengths.tsv (the same passages, their lengths as kinds)
#   page    writes the page
#   check   compares tables with exp/copied_passages/expected.csv; fails if a value is off
#   record  writes exp/copied_passages/expected.csv from tables
# `copied_passages.sh corpus -h` lists the flags. Paths are relative to the current folder.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
source "$(dirname "${BASH_SOURCE[0]}")/venv.sh"
usage 1 "corpus|page|check|record [flags]" "$@"
need_python "$root/scripts/report/requirements.txt"
exec "$python" -m report.copied_passages "$@"
