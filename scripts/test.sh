#!/usr/bin/env bash
# Formatting, lints, documentation and all tests.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

echo "== formatting"
cargo fmt --check
echo "== lints"
cargo clippy --locked --all-targets -- -D warnings
echo "== documentation"
RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps --document-private-items
echo "== shell scripts"
for script in scripts/*.sh scripts/bench/*.sh scripts/collect/*.sh .ci/run; do bash -n "$script"; done
echo "== tests"
cargo test --locked
echo "== tests without vector instructions"
NEARSIG_CPU=scalar cargo test --locked --lib
NEARSIG_CPU=scalar cargo test --locked --test tests oracle::
