#!/usr/bin/env bash
# Tests the HTML reports of report_pairs, compare_sections and ngram_search in a headless browser: sorting, filtering, keys,
# themes, widths, text that looks like markup. With FOLDER, also saves screenshots there.
# Needs Node.js 20 or newer, npm, and Chromium or Chrome (NEARSIG_BROWSER names another executable);
# installs the npm package playwright-core into tests/browser. Builds, unless NEARSIG_BIN is set.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
usage 0 "[SCREENSHOT_FOLDER]" "$@"

NEARSIG_BROWSER=$(find_browser) || fail "no browser found: install chromium or set NEARSIG_BROWSER"
command -v npm >/dev/null || fail "npm not found: install Node.js and npm"
if [ -z "${NEARSIG_BIN:-}" ]; then
    cargo build --locked --bin find_near_dups --bin report_pairs --bin compare_sections --bin ngram_index --bin ngram_search \
        --manifest-path "$root/Cargo.toml"
    bin=$target/debug
fi
export NEARSIG_BROWSER NEARSIG_BIN=$bin

screenshots=${1:+$(absolute "$1")}
cd "$root/tests/browser"
npm ci --silent
node --test --test-concurrency=1
if [ -n "$screenshots" ]; then
    node screenshots.js "$screenshots"
    echo "screenshots: $screenshots"
fi
