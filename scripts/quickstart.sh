#!/usr/bin/env bash
# Builds find_near_dups and report_pairs, finds the near-duplicates of the sample collection (100 Bible
# chapters in three translations: the same chapter in two translations is a near-duplicate) and writes
# an HTML report. Results go to res/quickstart. Does not build if NEARSIG_BIN names a folder of executables.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
usage 0 "" "$@"
if [ -z "${NEARSIG_BIN:-}" ]; then
    cargo build --release --locked --manifest-path "$root/Cargo.toml" --bin find_near_dups --bin report_pairs
    PATH=$target/release:$PATH
fi

cd "$root"
out=${res#"$root/"}/quickstart
rm -rf "$out"
mkdir -p "$out"

echo
echo "== near-duplicates of exp/sample/texts: cosine of at least 0.7"
find_near_dups exp/sample/texts --threshold 0.7 --out "$out/pairs.tsv" --clusters "$out/clusters.tsv" --removed "$out/removed.tsv" --dedup "$out/clean/"
# Ids are relative to the input folder, the names in truth.tsv to the project.
awk -F '\t' 'NR == FNR { gsub("exp/sample/texts/", ""); known[$1, $2] = known[$2, $1] = FNR > 1; next }
    FNR > 1 { found++; right += known[$2, $3] }
    END { printf "%d pairs found; %d are the same chapter in two translations (of 300 such pairs)\n", found, right }' exp/sample/truth.tsv "$out/pairs.tsv"

echo
echo "== first clusters ($out/clusters.tsv)"
head -7 "$out/clusters.tsv"

echo
echo "== report"
report_pairs exp/sample/texts --pairs "$out/pairs.tsv" --clusters "$out/clusters.tsv" --threshold 0.7 --out "$out/report.html"
echo "open $out/report.html in a browser"
