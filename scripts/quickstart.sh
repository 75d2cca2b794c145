#!/usr/bin/env bash
# Builds everything, finds the near-duplicates of the sample collection (100 Bible chapters in three translations, where the same chapter in
# two translations is a near-duplicate) and makes the page that shows them. Builds first, unless $NEARSIG_BIN names a folder of executables.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
[ -n "${NEARSIG_BIN:-}" ] || "$root/scripts/install.sh"
need_executables

cd "$root"
out=${res#"$root/"}/quickstart
rm -rf "$out"
mkdir -p "$out"

echo
echo "== near-duplicates of the sample: cosine of at least 0.7"
find_near_dups exp/sample/texts --threshold 0.7 --out "$out/pairs.tsv" --clusters "$out/clusters.tsv" --removed "$out/removed.tsv" --dedup "$out/clean/"
# Ids are relative to the folder; the known pairs are not.
awk -F '\t' 'NR == FNR { gsub("exp/sample/texts/", ""); known[$1, $2] = known[$2, $1] = FNR > 1; next }
    FNR > 1 { found++; right += known[$2, $3] }
    END { printf "%d pairs found, %d of them among the 300 that are the same chapter\n", found, right }' exp/sample/truth.tsv "$out/pairs.tsv"

echo
echo "== the first clusters ($out/clusters.tsv)"
head -7 "$out/clusters.tsv"

echo
echo "== their page"
report_pairs exp/sample/texts --pairs "$out/pairs.tsv" --clusters "$out/clusters.tsv" --threshold 0.7 --out "$out/report.html"
echo "open $out/report.html in a browser"
