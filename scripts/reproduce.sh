#!/usr/bin/env bash
# Runs the experiments: creates the collections they need, measures, and writes the report.
#   NAME     one experiment, a folder of exp/ with an experiment.toml; default: all
#   --small  small versions on the documents of exp/sample and on synthetic ones, without network access
#   --check  compares the results with exp/NAME/expected.csv (expected-small.csv) and fails if a value is off or missing
# Writes tables to res/experiments and the report to res/reproduction (res/reproduction_small). A stopped run resumes: rows present in the tables are not
# measured again; remove res/experiments to start over. Builds first, unless $NEARSIG_BIN names a folder of executables.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source "$(dirname "${BASH_SOURCE[0]}")/report/venv.sh"
source "$(dirname "${BASH_SOURCE[0]}")/collect/needed.sh"
text="[NAME|all] [--small] [--check]"
usage 0 "$text" "$@"
mapfile -t all < <(cd "$root/exp" && printf '%s\n' */experiment.toml | sed 's:/.*::')
wanted='' small='' check=''
for argument in "$@"; do
    case $argument in
        --small) small=--small ;;
        --check) check=yes ;;
        *)
            [ -z "$wanted" ] && [[ " ${all[*]} all " == *" $argument "* ]] || usage 1 "$text"
            wanted=$argument
            ;;
    esac
done
wanted=${wanted:-all}
names=("${all[@]}")
[ "$wanted" = all ] || names=("$wanted")
trap 'exit 130' INT
trap 'exit 143' TERM

[ -n "${NEARSIG_BIN:-}" ] || "$root/scripts/install.sh"
need_executables
need_python "$root/scripts/report/requirements.txt"
folder=${NEARSIG_COLLECTIONS:-$exp/collections}
tables=$res/experiments
mkdir -p "$folder" "$tables"

# run NAME [flags]: run_experiment on one experiment.
run() {
    local name=$1
    shift
    run_experiment --experiment "$root/exp/$name" --collections "$folder" --work_dir "$exp/work" --res_dir "$tables" ${small:+"$small"} "$@"
}

commands=$(for name in "${names[@]}"; do run "$name" --dry_run --quiet || exit 1; done)
collect_needed "$commands"
for name in "${names[@]}"; do
    echo "== $name (after $SECONDS s)"
    run "$name"
done

failed=
if [ -n "$check" ]; then
    echo "== expected results"
    lines=$tables/checks${small:+-small}
    "$python" -m report check --tables "$tables" --experiments "$root/exp" ${small:+"$small"} "${names[@]}" >"$lines" || failed=yes
    grep ': off ' "$lines" || true
    echo "all results: $lines"
fi
echo "== report"
page=$res/reproduction${small:+_small}
# Pictures and tables of an earlier run may belong to removed experiments.
rm -rf "$page/pictures" "$page/tables"
# The report states its command, which must not depend on the location of the project.
cd "$root"
"$python" -m report page --tables "${tables#"$root/"}" --thesis exp/thesis.csv --experiments exp --out_dir "${page#"$root/"}" ${small:+"$small"}
echo "reproduce.sh: $wanted${small:+ $small}: $SECONDS s"
[ -z "$failed" ]
