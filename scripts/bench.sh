#!/usr/bin/env bash
# Measures our executables against baseline libraries on the same synthetic collections, alternately, with 1 and 2
# threads, and checks that the answers agree. `pipeline` measures the stages of the pipeline, `find_near_dups` the whole
# way from text to pairs, `real` both on real collections, which it creates (scripts/collect), and on installed manual pages.
#   full   100,000 documents, 644,566 or a million without baselines; twenty minutes. Raw numbers and page: res/bench
#   small  5,000 and 10,000 documents; two minutes. Shows that everything works: res/bench_small
# find_near_dups COMMIT measures the executable of an earlier commit as well, which it builds: a change must not make it slower.
# Installs the pinned baselines of scripts/bench/requirements.txt into the Python environment (NEARSIG_VENV).
# scripts/bench/page.sh writes the page again without measuring.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source "$root/scripts/report/venv.sh"
text="[small|full] [pipeline|find_near_dups [COMMIT]|real|all]"
usage 0 "$text" "$@"
size=${1:-small} part=${2:-all} earlier=${3:-}
[[ $size =~ ^(small|full)$ && $part =~ ^(pipeline|find_near_dups|real|all)$ ]] || usage 1 "$text"
[ -z "$earlier" ] || [ "$part" = find_near_dups ] || usage 1 "$text"

work=$exp/bench
results=$res/bench
[ "$size" = full ] || results=$res/bench_small
mkdir -p "$work" "$results"

echo "== baselines, in $venv"
need_python "$root/scripts/report/requirements.txt"
need_python "$root/scripts/bench/requirements.txt"
# wants PART: succeeds if a part is to be measured.
wants() {
    [ "$part" = all ] || [ "$part" = "$1" ]
}

if wants find_near_dups && ! "$python" -c 'import text_dedup.minhash' 2>/dev/null; then
    "$python" -m pip install --quiet --no-deps text-dedup==0.4.0
fi
build_executables

if [ -n "$earlier" ]; then
    echo "== find_near_dups of $earlier"
    rm -rf "$work/earlier"
    mkdir -p "$work/earlier"
    git -C "$root" archive "$earlier" | tar -x -C "$work/earlier"
    cargo build --quiet --release --locked --bin find_near_dups --manifest-path "$work/earlier/Cargo.toml" --target-dir "$work/earlier/target"
    mv "$work/earlier/target/release/find_near_dups" "$work/find_near_dups@$earlier"
    rm -rf "$work/earlier"
fi
if wants find_near_dups; then
    echo "== find_near_dups"
    "$python" -m bench.find_near_dups "$size" "$work/$size" "$results" ${earlier:+"$work/find_near_dups@$earlier"}
fi
if wants real; then
    echo "== real collections"
    "$python" -m bench.real "$size" "$work/$size" "$results" "${NEARSIG_COLLECTIONS:-$exp/collections}"
fi
wants pipeline || exit 0

# The crate find-simdoc is a library: a small executable around it is built outside of our own build. Without it, its row is left out.
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
    echo "$(basename "$0"): find-simdoc does not build here; its row is left out" >&2
    find_simdoc=
fi

echo "== pipeline"
"$python" -m bench.pipeline "$size" "$work/$size" "$results" ${find_simdoc:+"$find_simdoc"}
