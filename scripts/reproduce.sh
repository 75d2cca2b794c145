#!/usr/bin/env bash
# Runs the experiments: makes the collections that they need, measures, and writes the page.
#   NAME     one experiment, a folder of exp/; all by default
#   --small  the small versions, on the documents of exp/sample and synthetic ones: nothing is fetched
#   --check  compares the results with exp/NAME/expected.csv (expected-small.csv), and fails if one is off
# Tables go to res/experiments, and the page to res/reproduction, or res/reproduction_small. A run that was stopped can be started again: what
# stands in the tables is not measured again. Remove res/experiments to measure anew. Builds first, unless $NEARSIG_BIN names a folder of executables.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
experiments="pleb_parameters vocabulary_reduction signature_length thresholds ranges timing calibration theory recall_estimate"
text="[NAME|all] [--small] [--check]"
usage 0 "$text" "$@"
wanted= small= check=
for argument in "$@"; do
    case $argument in
        --small) small=--small ;;
        --check) check=yes ;;
        *) [ -z "$wanted" ] && [[ " $experiments all " == *" $argument "* ]] || usage 1 "$text"; wanted=$argument ;;
    esac
done
wanted=${wanted:-all}
[ "$wanted" = all ] && names=$experiments || names=$wanted
trap 'exit 130' INT
trap 'exit 143' TERM

[ -n "${NEARSIG_BIN:-}" ] || "$root/scripts/install.sh"
need_executables
folder=${NEARSIG_COLLECTIONS:-$exp/collections}
tables=$res/experiments
mkdir -p "$folder" "$tables"

# run NAME OPTION…: run_experiment on an experiment.
run() {
    local name=$1
    shift
    run_experiment --experiment "$root/exp/$name" --collections "$folder" --work_dir "$exp/work" --res_dir "$tables" ${small:+"$small"} "$@"
}

# The collections of the experiments. Parts come with the whole, and synthetic ones are made when they are needed.
commands=$(for name in $names; do run "$name" --dry_run --quiet || exit 1; done)
needed=$(sed -nE 's/^# [a-z]+: collection=([^ ]+) .*/\1/p' <<<"$commands" | sed -E 's/-(small|large|[0-9]+)$//' | sort -u)
for collection in $needed; do
    [ "$collection" = synthetic ] || "$BASH" "$root/scripts/collect/collections.sh" "$collection"
done
for name in $names; do
    echo "== $name ($SECONDS s so far)"
    run "$name"
done

failed=
if [ -n "$check" ]; then
    echo "== results against what is expected"
    # Words of $names are separate arguments.
    lines=$tables/checks${small:+-small}
    check_experiments --tables "$tables" --experiments "$root/exp" ${small:+"$small"} $names >"$lines" || failed=yes
    grep ': off ' "$lines" || true
    echo "line by line: $lines"
fi
echo "== the page"
page=$res/reproduction${small:+_small}
# What an earlier run has drawn may be of experiments that there are no more.
rm -rf "$page/pictures" "$page/tables"
# The page tells its command, which should not depend on where the project lies.
cd "$root"
report_experiments --tables "${tables#"$root/"}" --thesis exp/thesis.csv --experiments exp --out_dir "${page#"$root/"}" ${small:+"$small"}
echo "reproduce.sh: $wanted${small:+ $small}: $SECONDS s"
[ -z "$failed" ]
