#!/usr/bin/env bash
# Evaluates ngram_index and ngram_search: creates a corpus of planted copies, repeats the experiments of two theses, and writes the page res/copied_passages.
#   --small      on the sample, without network access and measurements of time, to res/copied_passages_small
#   --check      compares the tables with exp/copied_passages/expected.csv (expected-small.csv) and fails if a value is off
#   --pan13 DIR  PAN's corpus of text alignment: documents.jsonl.gz, truth.tsv, pairs.tsv; skipped without
#   --wikipedia_versions DIR  documents.jsonl.gz, versions of Wikipedia articles with ids ARTICLE/VERSION; skipped without
# Time is measured next to ngt of Debian's package irstlm and in a Redis cluster; each is skipped if it is not installed. Tables are kept in exp/work/copied_passages: a stopped
# run resumes; remove them to start over. Builds first, unless $NEARSIG_BIN names a folder of executables.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source "$(dirname "${BASH_SOURCE[0]}")/report/venv.sh"
text="[--small] [--check] [--pan13 DIR] [--wikipedia_versions DIR]"
usage 0 "$text" "$@"
small='' check='' corpora=()
while [ $# -gt 0 ]; do
    case $1 in
        --small) small=--small ;;
        --check) check=yes ;;
        --pan13 | --wikipedia_versions)
            [ $# -gt 1 ] || usage 1 "$text"
            corpora+=("$1" "$(absolute "$2")")
            shift
            ;;
        *) usage 1 "$text" -h ;;
    esac
    shift
done
trap 'exit 130' INT
trap 'exit 143' TERM

build_executables
need_python "$root/scripts/report/requirements.txt"
folder=${NEARSIG_COLLECTIONS:-$exp/collections}
work=$exp/work/copied_passages${small:+_small}
names=(books bible)
[ -z "$small" ] || names=(sample)
for name in "${names[@]}"; do
    "$BASH" "$root/scripts/collect/collections.sh" "$name"
done
experiment=(--experiment "$root/exp/copied_passages" --tables "$work/tables" ${small:+"$small"})
"$python" -m report.copied_passages run "${experiment[@]}" --collections "$folder" --work "$work" "${corpora[@]}"
failed=
if [ -n "$check" ]; then
    "$python" -m report.copied_passages check "${experiment[@]}" >"$work/checks" || failed=yes
    grep '^off ' "$work/checks" || true
fi
"$python" -m report.copied_passages page "${experiment[@]}" --out_dir "$res/copied_passages${small:+_small}"
echo "copied_passages.sh: $SECONDS s"
[ -z "$failed" ]
