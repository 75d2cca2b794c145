#!/usr/bin/env bash
# Measures our executables against their peers on the same synthetic collection, alternately in one run, with 1 and 2 threads, and checks that they agree.
# `full` (100,000 documents, and 644,566 without peers; twenty minutes) writes raw numbers to res/bench/ and the table into README.md; `small` (5,000 and 10,000; two minutes) shows
# that everything works: its numbers go to res/bench_small/ and its table to the terminal.
# The peers are installed by name into $NEARSIG_VENV, by default exp/bench/venv; nothing else is fetched but they and their dependencies.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
usage 0 "[small|full]" "$@"
size=${1:-small}
case $size in small | full) ;; *) usage 1 "[small|full]" ;; esac

work=$exp/bench
venv=${NEARSIG_VENV:-$work/venv}
results=$res/bench
[ "$size" = full ] || results=$res/bench_small
mkdir -p "$work" "$results"

echo "== the peers, in $venv"
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
if ! "$venv/bin/python" -c 'import faiss, numba, scipy, sklearn, polars, sparse_dot_topn, rensa, matplotlib' 2>/dev/null; then
    "$venv/bin/pip" install --quiet faiss-cpu numba scipy scikit-learn polars sparse-dot-topn rensa matplotlib
fi

# The crate find-simdoc is a library: it gets a small executable, outside of our own build. Where it cannot be built, its row is left out.
find_simdoc=$work/find_simdoc/target/release/find_simdoc
mkdir -p "$work/find_simdoc/src"
cp "$root/scripts/bench/find_simdoc.rs" "$work/find_simdoc/src/main.rs"
cat >"$work/find_simdoc/Cargo.toml" <<'TOML'
[package]
name = "find_simdoc"
version = "0.1.0"
edition = "2024"
[dependencies]
find-simdoc = "0.1"
[profile.release]
lto = true
[workspace]
TOML
if ! CARGO_TARGET_DIR=$work/find_simdoc/target cargo build --quiet --release --manifest-path "$work/find_simdoc/Cargo.toml"; then
    echo "find-simdoc does not build here: left out" >&2
    find_simdoc=
fi

if [ -z "${NEARSIG_BIN:-}" ]; then
    "$root/scripts/install.sh"
fi
need_executables

echo "== ours and theirs"
"$venv/bin/python" "$root/scripts/bench/bench.py" "$size" "$work/$size" "$results" ${find_simdoc:+"$find_simdoc"}
