#!/usr/bin/env bash
# Compares the fingerprint methods: creates the collections, runs evaluate_methods and compare_sections, and writes the page res/fingerprints.
#   --small      on the sample and on a few synthetic documents, without network access, to res/fingerprints_small
#   --check      compares the tables with exp/fingerprints/expected.csv (expected-small.csv) and fails if a value is off
#   --wikipedia FILE  versions of Wikipedia articles as JSON Lines with ids ARTICLE/VERSION; without it, this collection is skipped
# Tables are kept in exp/work/fingerprints: a stopped run resumes; remove them to start over. Builds first, unless $NEARSIG_BIN names a folder of executables.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source "$(dirname "${BASH_SOURCE[0]}")/report/venv.sh"
text="[--small] [--check] [--wikipedia FILE]"
usage 0 "$text" "$@"
small='' check='' wikipedia=''
while [ $# -gt 0 ]; do
    case $1 in
        --small) small=--small ;;
        --check) check=yes ;;
        --wikipedia)
            [ $# -gt 1 ] || usage 1 "$text"
            wikipedia=$(absolute "$2")
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
work=$exp/work/fingerprints${small:+_small}
names=(debian reuters bible)
[ -z "$small" ] || names=(sample)
for name in "${names[@]}"; do
    "$BASH" "$root/scripts/collect/collections.sh" "$name" || echo "fingerprints.sh: $name: missing, skipped" >&2
done
experiment=(--experiment "$root/exp/fingerprints" --tables "$work/tables" ${small:+"$small"})
"$python" -m report.fingerprints run "${experiment[@]}" --collections "$folder" --work "$work" ${wikipedia:+--wikipedia "$wikipedia"}
failed=
if [ -n "$check" ]; then
    "$python" -m report.fingerprints check "${experiment[@]}" >"$work/checks" || failed=yes
    grep '^off ' "$work/checks" || true
fi
"$python" -m report.fingerprints page "${experiment[@]}" --out_dir "$res/fingerprints${small:+_small}"
echo "fingerprints.sh: $SECONDS s"
[ -z "$failed" ]
