#!/usr/bin/env bash
# Runs the whole pipeline on the sample collection (100 Bible chapters in three translations) and prints
# how well signatures approximate exact cosines. Results go to res/pipeline_sample. Builds, unless
# NEARSIG_BIN is set.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
usage 0 "" "$@"
build_executables

exp=$exp/pipeline_sample
res=$res/pipeline_sample
mkdir -p "$exp" "$res"
cd "$root" # the sample's lists name files relative to the project

echo
echo "== documents to signatures"
create_bows --doc_list exp/sample/doc_list --bow_paths "$exp/bow_paths" --bow_dir "$exp/bows" --words
create_voc --bow_paths "$exp/bow_paths" --voc_name "$exp/voc"
reduce_voc --old_voc_name "$exp/voc" --new_voc_name "$exp/voc_reduced" --min_df 2 --max_df 300
create_vecs --bow_paths "$exp/bow_paths" --voc_name "$exp/voc_reduced" --vec_dir "$exp/vecs" --vec_paths "$exp/vec_paths"
create_sigs --vec_paths "$exp/vec_paths" --sig_len 1024 --sig_dir "$exp/sigs" --sig_paths "$exp/sig_paths"

echo
echo "== near-duplicates of the whole collection by PLEB: Hamming similarity of at least 66.6 % (cosine 50 %)"
hamming --sig_paths "$exp/sig_paths" --out "$res/pairs" --threshold 66.6 --iter_count 20 --beam 50 --shift_count 80 --quiet
# A pair appears in the lines of both documents; count it once, in the line of the lesser name.
awk -v truth=exp/sample/truth.tsv '
    BEGIN { FS = ":"; while ((getline line < truth) > 0) { split(line, name, "\t"); true_pair[name[1] " " name[2]] = 1 } }
    { for (i = 2; i < NF; i += 2) if ($1 < $i) { found++; if (true_pair[$1 " " $i] || true_pair[$i " " $1]) right++ } }
    END { printf "%d pairs found; %d are the same chapter in two translations (of 300 such pairs)\n", found, right }' "$res/pairs"
echo "first line: $(sed -n '1p' "$res/pairs")"

echo
echo "== signatures compared with exact cosines: 100 sample documents, all pairs"
similarity --vec_paths "$exp/vec_paths" --out "$res/similarity" --threshold 0 --sample_list exp/sample/sample_list
hamming_full --sig_paths "$exp/sig_paths" --out "$res/hamming_full" --threshold 0 --sample_list exp/sample/sample_list
compare_results --sim "$res/similarity" --ham "$res/hamming_full" --out "$res/comparison" --summary "$res/summary.csv" \
    --sig_len 1024 --threshold_sim 50 --threshold_ham 66.6

echo
echo "== summary ($res/summary.csv; per document: $res/comparison)"
sed '1,/^Summary:$/d' "$res/comparison" | awk '{ printf "%-30s %s\n", $1, $2 }'
