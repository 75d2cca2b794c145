#!/usr/bin/env bash
# Runs the whole chain on the sample collection: 100 Bible chapters in three translations, where the same chapter in two
# translations is a near-duplicate. Ends with a summary of how well signatures did. Builds first, unless $NEARSIG_BIN names a folder of executables.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
[ -n "${NEARSIG_BIN:-}" ] || "$root/scripts/install.sh"
need_executables

cd "$root" # the sample's lists name files relative to the project
exp=exp/chain_sample
res=res/chain_sample
mkdir -p "$exp" "$res"

echo
echo "== documents to signatures"
create_bows -doc_list exp/sample/doc_list -bow_paths "$exp/bow_paths" -bow_dir "$exp/bows" --words
create_voc -bow_paths "$exp/bow_paths" -voc_name "$exp/voc"
reduce_voc -old_voc_name "$exp/voc" -new_voc_name "$exp/voc_reduced" -min_df 2 -max_df 300
create_vecs -bow_paths "$exp/bow_paths" -voc_name "$exp/voc_reduced" -vec_dir "$exp/vecs" -vec_paths "$exp/vec_paths"
create_sigs -vec_paths "$exp/vec_paths" -sig_len 1024 -sig_dir "$exp/sigs" -sig_paths "$exp/sig_paths"

echo
echo "== near-duplicates in the whole collection, by PLEB (a Hamming similarity of 66.6 is a cosine of 50)"
hamming -sig_paths "$exp/sig_paths" -out "$res/pairs" -threshold 66.6 -iter_count 20 -beam 50 -shift_count 80 -q
# Every pair stands in the result twice, so it is counted once, from its lesser name.
awk -v truth=exp/sample/truth.tsv '
    BEGIN { FS = ":"; while ((getline line < truth) > 0) { split(line, name, "\t"); true_pair[name[1] " " name[2]] = 1 } }
    { for (i = 2; i < NF; i += 2) if ($1 < $i) { found++; if (true_pair[$1 " " $i] || true_pair[$i " " $1]) right++ } }
    END { printf "%d pairs found, %d of them among the 300 that are the same chapter\n", found, right }' "$res/pairs"
echo "for example: $(sed -n '1p' "$res/pairs")"

echo
echo "== how well signatures approximate the exact cosine, over all pairs of 100 sample documents with the collection"
similarity -vec_paths "$exp/vec_paths" -out "$res/similarity" -threshold 0 -sample_list exp/sample/sample_list
hamming_full -sig_paths "$exp/sig_paths" -out "$res/hamming_full" -threshold 0 -sample_list exp/sample/sample_list
compare_results -sim "$res/similarity" -ham "$res/hamming_full" -out "$res/comparison" -summary "$res/summary.csv" \
    -sig_len 1024 -threshold_sim 50 -threshold_ham 66.6

echo
echo "== summary ($res/summary.csv; document by document: $res/comparison)"
sed '1,/^Summary:$/d' "$res/comparison" | awk '{ printf "%-30s %s\n", $1, $2 }'
