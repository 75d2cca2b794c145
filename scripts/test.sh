#!/usr/bin/env bash
# Formatting, lints, documentation, all tests, the page of report_pairs in a browser (which is installed if it is missing), and the small versions of all
# experiments with their results checked.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

echo "== formatting"
cargo fmt --check
echo "== lints"
cargo clippy --locked --all-targets -- -D warnings
echo "== documentation"
RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps --document-private-items
echo "== shell scripts"
for script in scripts/*.sh scripts/*/*.sh .ci/run; do bash -n "$script"; done
echo "== tests"
cargo test --locked
echo "== tests without vector instructions"
NEARSIG_CPU=scalar cargo test --locked --test tests oracle::
target=$(cd "${CARGO_TARGET_DIR:-target}" && pwd)
echo "== the page of report_pairs in a browser"
NEARSIG_BIN=$target/debug scripts/dev/browser_tests.sh
echo "== small experiments"
# In a folder of their own: what stands in tables is not measured again.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
NEARSIG_BIN=$target/debug NEARSIG_EXP=$scratch/exp NEARSIG_RES=$scratch/res NEARSIG_COLLECTIONS=$scratch/collections scripts/reproduce.sh all --small --check
