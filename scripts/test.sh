#!/usr/bin/env bash
# Runs all checks: formatting, lints (clippy, rustdoc, shellcheck, ruff), all tests (Rust, Python, the HTML report in a
# browser, the n-gram index in a Redis cluster, shards on a Slurm cluster) and the small versions of all experiments, whose results are compared with the
# expected ones. Installs Python packages by name into NEARSIG_VENV (default: exp/venv), shellcheck only if it is missing, and as root Slurm and GNU parallel.
# Without a browser or npm, the report is not tested, without redis-server not the index in a cluster, without Slurm not the shards on one, and the last line
# says so; with CI=true, that is a failure.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source "$root/scripts/report/venv.sh"
usage 0 "" "$@"
cd "$root"

echo "== formatting"
cargo fmt --check
echo "== clippy"
cargo clippy --locked --all-targets -- -D warnings
echo "== rustdoc"
RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps --document-private-items
echo "== shellcheck"
PATH=$PATH:$venv/bin
command -v shellcheck >/dev/null || need_python scripts/dev/requirements.txt
shellcheck --external-sources --source-path=SCRIPTDIR .ci/run scripts/*.sh scripts/*/*.sh
echo "== Python: ruff and tests"
scripts/report/test.sh
echo "== tests"
# Named targets: the executables have no unit tests, and their empty test programs would all be linked.
cargo test --locked --lib --test tests
cargo test --locked --doc
echo "== tests without vector instructions"
NEARSIG_CPU=scalar cargo test --locked --test tests oracle::

export NEARSIG_BIN=$target/debug
echo "== report in a browser"
untested=
if ! find_browser >/dev/null; then
    untested="report page (no browser found)"
elif ! command -v npm >/dev/null; then
    untested="report page (npm not found)"
else
    scripts/dev/browser_tests.sh
fi

echo "== n-gram index in a cluster"
if command -v redis-server >/dev/null; then
    scripts/dev/redis_tests.sh 300 quick
else
    untested+="${untested:+, }n-gram index in a cluster (redis-server not found)"
fi

echo "== shards on a Slurm cluster"
code=0
scripts/test_cluster.sh || code=$?
case $code in
    0) ;;
    77) untested+="${untested:+, }shards on a Slurm cluster (skipped, see above)" ;;
    *) exit "$code" ;;
esac

echo "== small experiments"
# In a temporary folder: rows that exist are not measured again.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export NEARSIG_VENV=$venv NEARSIG_EXP=$scratch/exp NEARSIG_RES=$scratch/res NEARSIG_COLLECTIONS=$scratch/collections
scripts/reproduce.sh all --small --check
scripts/fingerprints.sh --small --check
scripts/copied_passages.sh --small --check

if [ -n "$untested" ]; then
    echo "not tested: $untested" >&2
    [ "${CI:-}" != true ] || exit 1
fi
