#!/usr/bin/env bash
# Measures our executables against their peers on the same synthetic collection, alternately in one run, with 1 and 2 threads, and checks that they agree.
# `chain` measures the stages of the chain, `front_door` find_near_dups from text to pairs.
# `full` (100,000 documents, and 644,566 or a million without peers; twenty minutes) writes raw numbers to res/bench/ and the table into README.md; `small` (5,000 and 10,000; two minutes) shows
# that everything works: its numbers go to res/bench_small/ and its table to the terminal.
# The peers are installed by name into $NEARSIG_VENV, by default exp/bench/venv; nothing else is fetched but they and their dependencies.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
text="[small|full] [chain|front_door|all]"
usage 0 "$text" "$@"
size=${1:-small} part=${2:-all}
case "$size $part" in
    "small chain" | "small front_door" | "small all" | "full chain" | "full front_door" | "full all") ;;
    *) usage 1 "$text" ;;
esac

work=$exp/bench
venv=${NEARSIG_VENV:-$work/venv}
results=$res/bench
[ "$size" = full ] || results=$res/bench_small
mkdir -p "$work" "$results"

echo "== the peers, in $venv"
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
if ! "$venv/bin/python" -c 'import faiss, numba, scipy, sklearn, polars, sparse_dot_topn, rensa, datasketch, matplotlib' 2>/dev/null; then
    "$venv/bin/pip" install --quiet faiss-cpu numba scipy scikit-learn polars sparse-dot-topn rensa datasketch matplotlib
fi
if [ "$part" != chain ] && ! "$venv/bin/python" -c 'import text_dedup.minhash' 2>/dev/null; then
    # Without those of its dependencies that its MinHash does not need, such as Spark.
    "$venv/bin/pip" install --quiet --no-deps text-dedup
    "$venv/bin/pip" install --quiet bitarray click click-option-group datasets fire ftfy psutil regex rich tqdm xxhash zstandard
fi

if [ -z "${NEARSIG_BIN:-}" ]; then
    "$root/scripts/install.sh"
fi
need_executables

if [ "$part" != chain ]; then
    echo "== find_near_dups and its peers"
    "$venv/bin/python" "$root/scripts/bench/front_door.py" "$size" "$work/$size" "$results"
fi
[ "$part" != front_door ] || exit 0

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

echo "== the chain and its peers"
"$venv/bin/python" "$root/scripts/bench/bench.py" "$size" "$work/$size" "$results" ${find_simdoc:+"$find_simdoc"}
