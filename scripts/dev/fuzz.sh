#!/usr/bin/env bash
# Runs the fuzz targets of tests/fuzz one after the other, each for SECONDS (default: 60) or until it finds something.
# Prints a CSV table: executions, coverage and findings per target; appends the same rows to res/soak/fuzz.csv.
# Inputs that break a target are kept in res/soak/fuzz/TARGET. Exits with 1 if there is one.
# Starts from tests/fuzz/corpus and what earlier runs found. Needs a nightly compiler; installs cargo-fuzz if missing.
# NEARSIG_FUZZ_BIN names a folder of targets; if set, nothing is built.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
usage 0 "[SECONDS [TARGET…]]" "$@"
seconds=${1:-60}
[ $# -eq 0 ] || shift
max_bytes=4096   # of an input; parsers have no larger structure
max_seconds=60   # for one input, also on a busy machine
max_megabytes=2048

cd "$root"
targets=("$@")
[ $# -gt 0 ] || mapfile -t targets < <(ls tests/fuzz/corpus)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$target/fuzz}
programs=${NEARSIG_FUZZ_BIN:-}
if [ -z "$programs" ]; then
    command -v cargo-fuzz >/dev/null || cargo install --locked cargo-fuzz >&2
    cargo +nightly fuzz build --fuzz-dir tests/fuzz >&2
    programs=$CARGO_TARGET_DIR/$(rustc +nightly -vV | sed -n 's/^host: //p')/release
fi

# No search for leaks after each input: threads that have not quite ended look like one. sanitize.sh looks for leaks.
# Targets write small files all the time: in memory, where possible.
memory=/dev/shm
[ -w "$memory" ] || memory=${TMPDIR:-/tmp}
scratch=$(mktemp -d "$memory/nearsig-fuzz.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
table=$res/soak/fuzz.csv
mkdir -p "$res/soak"
header=date,target,seconds,executions,coverage,features,corpus,findings
[ -s "$table" ] || echo "$header" >"$table"
echo "$header"

# statistics LOG: executions, coverage and features in libFuzzer's last reports, 0 where there is none.
statistics() {
    local executions reached
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$1")
    reached=$(sed -n 's/^#.* cov: \([0-9]*\) ft: \([0-9]*\) .*/\1,\2/p' "$1" | tail -1)
    echo "${executions:-0},${reached:-0,0}"
}

findings=0
for name in "${targets[@]}"; do
    corpus=$CARGO_TARGET_DIR/corpus/$name
    kept=$res/soak/fuzz/$name
    log=$res/soak/fuzz/$name.log
    mkdir -p "$corpus" "$kept" "$scratch/$name"
    started=$SECONDS
    outcome=0
    TMPDIR=$scratch/$name "$programs/$name" "$corpus" "tests/fuzz/corpus/$name" -max_total_time="$seconds" \
        -max_len=$max_bytes -timeout=$max_seconds -rss_limit_mb=$max_megabytes -artifact_prefix="$kept/" \
        -detect_leaks=0 -print_final_stats=1 >"$log" 2>&1 || outcome=1
    findings=$((findings + outcome))
    row=$(date -u +%FT%TZ),$name,$((SECONDS - started)),$(statistics "$log"),$(find "$corpus" -type f | wc -l),$outcome
    echo "$row" | tee -a "$table"
    [ "$outcome" = 0 ] || echo "$name: $(grep -a -m1 -e panicked -e ERROR: "$log" || true) (see $log)" >&2
done
[ "$findings" = 0 ] || fail "$findings of ${#targets[@]} targets found something: see $res/soak/fuzz"
