#!/usr/bin/env bash
# Makes exp/sample again: fetches three Bible translations with pip into a
# temporary folder and writes the texts and lists. See exp/sample/README.md.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source scripts/collect/fetch.sh

packages=$(mktemp -d)
trap 'rm -rf "$packages"' EXIT

fetch_bibles "$packages" kjv asv web
python3 scripts/dev/make_sample.py "$packages" exp/sample
