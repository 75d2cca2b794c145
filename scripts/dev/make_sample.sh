#!/usr/bin/env bash
# Rebuilds exp/sample from three Bible translations, fetched with pip into a temporary folder.
# See exp/sample/README.md.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
source "$root/scripts/collect/fetch.sh"
usage 0 "" "$@"

unpacked=$(mktemp -d)
trap 'rm -rf "$unpacked"' EXIT
fetch_bibles "$unpacked" kjv asv web
cd "$root" # the sample's lists name files relative to the project
python3 scripts/collect/make_sample.py "$unpacked" exp/sample
