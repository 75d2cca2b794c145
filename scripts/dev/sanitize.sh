#!/usr/bin/env bash
# Runs unit and integration tests, and the executables that these start, with the address sanitizer: reads and writes
# outside of allocations, use after free, and leaks. Tests that limit memory are left out.
# Arguments go to the test programs, such as a module. Prints and appends to res/soak/sanitize.csv: tests, failures,
# findings, seconds. Exits with 1 if there are failures or findings. Needs a nightly compiler.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
usage 0 "[TEST…]" "$@"
cd "$root"
host=$(rustc +nightly -vV | sed -n 's/^host: //p')
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$target/sanitize}
# Build scripts and procedural macros run in the compiler: with --target, the flags do not apply to them.
export RUSTFLAGS="-Zsanitizer=address -Cforce-frame-pointers=yes ${RUSTFLAGS:-}"
# Rust brings the run-time of LLVM: C code that gcc instruments does not fit it. Its allocations are watched all the same.
export CFLAGS="-fno-sanitize=address -fno-omit-frame-pointer ${CFLAGS:-}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Executables report to files: tests may expect their standard error to be theirs.
export ASAN_OPTIONS="log_path=$work/report:${ASAN_OPTIONS:-}"
table=$res/soak/sanitize.csv
mkdir -p "$res/soak"
header=date,seconds,tests,failures,findings
[ -s "$table" ] || echo "$header" >"$table"

# The sanitizer reserves terabytes of addresses: tests that limit or measure memory cannot run with it.
skipped=(--skip faults::bounds --skip exhausted_memory --skip memory_does_not_grow)

started=$SECONDS
outcome=0
cargo +nightly test --locked --target "$host" --lib --test tests --no-fail-fast -- "${skipped[@]}" "$@" 2>&1 | tee "$work/log" || outcome=1
# count WORD: the sum of such numbers in the last lines of the test programs.
count() {
    grep '^test result:' "$work/log" | grep -o "[0-9]* $1" | awk '{ sum += $1 } END { print sum + 0 }'
}
findings=$(find "$work" -name 'report.*' | wc -l)
echo "$header"
echo "$(date -u +%FT%TZ),$((SECONDS - started)),$(($(count passed) + $(count failed))),$(count failed),$findings" | tee -a "$table"
if [ "$findings" -gt 0 ]; then
    mkdir -p "$res/soak/sanitize"
    cp "$work"/report.* "$res/soak/sanitize"
    grep -h -m1 ERROR "$work"/report.* | sort | uniq -c >&2
    fail "$findings findings: see $res/soak/sanitize"
fi
[ "$outcome" = 0 ] || fail "tests failed"
