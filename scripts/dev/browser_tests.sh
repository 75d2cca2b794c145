#!/usr/bin/env bash
# Clicks through the page of report_pairs in headless Chromium: sorting, filtering, keys, themes, widths, text that looks like markup.
# With a folder, also puts pictures of the page there. Needs node (20 or newer) and npm; installs Chromium (Debian's package, if it is missing; as root) and
# playwright-core (the npm package, into tests/browser) by itself. $CHROMIUM may name another Chromium. Builds the executables unless $NEARSIG_BIN names a folder of executables.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
if [ "${1:-}" = -h ] || [ "${1:-}" = --help ]; then usage 1 "[FOLDER_FOR_PICTURES]"; fi

if [ -z "${CHROMIUM:-}" ] && [ ! -x /usr/bin/chromium ]; then
    echo "== Chromium"
    apt-get install -y -q --no-install-recommends chromium || { apt-get update -q && apt-get install -y -q --no-install-recommends chromium; }
fi
if [ -z "${NEARSIG_BIN:-}" ]; then
    cargo build --locked --bin find_near_dups --bin report_pairs --manifest-path "$root/Cargo.toml"
    NEARSIG_BIN=${CARGO_TARGET_DIR:-$root/target}/debug
fi
export NEARSIG_BIN

pictures=${1:+$(realpath -m "$1")}
cd "$root/tests/browser"
echo "== playwright-core"
npm ci --silent
echo "== tests"
node --test --test-concurrency=1
if [ -n "$pictures" ]; then
    node screenshots.js "$pictures"
    echo "pictures in $pictures"
fi
