#!/usr/bin/env bash
# Prints the checksum of every output of the pipeline and of find_near_dups on three collections: the sample, 2,000
# Reuters articles and the Bible. Two builds write the same bytes if they print the same lines:
#   NEARSIG_BIN=old/bin scripts/dev/checksums.sh > old; NEARSIG_BIN=new/bin scripts/dev/checksums.sh > new; diff old new
# Manifests are left out: they name the program's version. Builds, unless NEARSIG_BIN is set.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
usage 0 "" "$@"
build_executables >&2
collections=${NEARSIG_COLLECTIONS:-$exp/collections}
for name in reuters bible; do
    "$root/scripts/collect/collections.sh" "$name" >&2
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cp -r "$root/exp/sample" sample
sed 's|^exp/||' sample/doc_list >doc_list
sed 's|^exp/||' sample/sample_list >sample_list
head -2000 "$collections/reuters.jsonl" >reuters.jsonl
cp "$collections/bible.jsonl" bible.jsonl

# bags NAME INPUT: three kinds of bags of words, their vocabularies, and vectors.
bags() {
    create_bows --json_lines "$2" --bow_paths "$1/plain" --bow_dir "$1/bows" -q
    create_bows --json_lines "$2" --bow_paths "$1/words" --bow_dir "$1/bows" --words --save_nums -q
    create_bows --json_lines "$2" --bow_paths "$1/shingles" --bow_dir "$1/bows" --shingle_size 3 --id_file "$1/ids" --bows_per_file 77 -q
    local kind
    for kind in plain words shingles; do
        create_voc --bow_paths "$1/$kind" --voc_name "$1/$kind.voc" -q
        reduce_voc --old_voc_name "$1/$kind.voc" --new_voc_name "$1/$kind.reduced" --min_df 2 --max_df 1e9 -q
    done
    reduce_voc --old_voc_name "$1/plain.voc" --new_voc_name "$1/plain.best" --min_tf_idf 3 --count 500 -q
    create_vecs --bow_paths "$1/plain" --voc_name "$1/plain.reduced" --vec_dir "$1/vecs" --vec_paths "$1/tf_idf" -q
    create_vecs --bow_paths "$1/plain" --voc_name "$1/plain.best" --vec_dir "$1/vecs" --vec_paths "$1/tf" --use_tf_only --compress_vecs -q
    create_vecs --bow_paths "$1/words" --voc_name "$1/words.voc" --vec_dir "$1/vecs" --vec_paths "$1/weights" --word_weights -q
}

# pairs NAME: signatures of all kinds and the pairs of all searches.
pairs() {
    create_sigs --vec_paths "$1/tf_idf" --sig_len 1024 --sig_dir "$1/sigs" --sig_paths "$1/gauss" -q
    create_sigs --vec_paths "$1/weights" --sig_len 512 --rnd_dist levels --rnd_seed 5 --sig_dir "$1/sigs" --sig_paths "$1/levels" -q
    create_sigs --vec_paths "$1/tf" --sig_len 100 --below_zero_percent 40 --use_hdd 1 --compress_sigs --sig_dir "$1/sigs" --sig_paths "$1/balanced" -q
    local list
    for list in tf_idf weights; do
        similarity --vec_paths "$1/$list" --out "$1/$list.cosine" --threshold 80 -q
        similarity --vec_paths "$1/$list" --out "$1/$list.jaccard" --threshold 40 --sim_meth jaccard -q
    done
    for list in gauss levels balanced; do
        hamming_full --sig_paths "$1/$list" --out "$1/$list.full" --threshold 85 -q
        hamming --sig_paths "$1/$list" --out "$1/$list.pleb" --threshold 85 --iter_count 20 --beam 30 --shift_count 70 -q
    done
    compare_results --sim "$1/tf_idf.cosine" --ham "$1/gauss.full" --out "$1/compared" --all_pairs --summary "$1/summary.csv" \
        --threshold_sim 80 --threshold_ham 85 --sig_len 1024 -q
    extract_similarities --result "$1/tf_idf.cosine" --out "$1/extracted" -q
    implant_rnd_vecs --vec_paths "$1/tf" --vec_dir "$1/vecs" --new_vec_paths "$1/implanted" --sample_list_out "$1/names" --sig_len 32 -q
}

# near_dups NAME INPUT: all outputs of find_near_dups.
near_dups() {
    find_near_dups "$2" --out "$1/pairs.tsv" --clusters "$1/clusters.csv" --removed "$1/removed.jsonl" --dedup "$1/clean.jsonl" --save_index "$1/index" -q
    find_near_dups "$2" --out "$1/exact.csv" --threshold 0.7 -q
    find_near_dups "$2" --out "$1/shingles.jsonl" --threshold 0.6 --shingle_size 2 --clusters "$1/complete.tsv" --cluster_by complete --keep longest -q
}

# sample: the sample by doc_list and sample_list, as in the thesis.
sample() {
    create_bows --doc_list doc_list --bow_paths out/bow_paths --bow_dir out/bows -q
    create_bows --doc_list doc_list --lines --words --bow_paths out/words_paths --bow_dir out/bows -q
    create_voc --bow_paths out/bow_paths --voc_name out/voc -q
    create_vecs --bow_paths out/bow_paths --voc_name out/voc --vec_dir out/vecs --vec_paths out/vec_paths -q
    create_sigs --vec_paths out/vec_paths --sig_len 1024 --sig_dir out/sigs --sig_paths out/sig_paths -q
    similarity --vec_paths out/vec_paths --out out/similarity --threshold 0 --sample_list sample_list -q
    hamming_full --sig_paths out/sig_paths --out out/full --threshold 50 --sample_list sample_list -q
    hamming --sig_paths out/sig_paths --out out/pleb --threshold 50 --iter_count 10 --beam 10 --shift_count full --sample_list sample_list -q
    compare_results --sim out/similarity --ham out/full --out out/compared --summary out/summary.json --threshold_sim 80 --threshold_ham 80 --sig_len 1024 -q
    find_near_dups sample/texts --out out/pairs.tsv --clusters out/clusters.tsv --removed out/removed.tsv --dedup out/clean/ --threshold 0.7 -q
    create_corpus --doc_count 3000 --out out/synthetic.jsonl --truth out/truth -q
    find_near_dups out/synthetic.jsonl --out out/synthetic.tsv -q
    analyze_rnd_vecs_quality --term_count 200 --sig_len 64 --out out/quality.csv -q
}

mkdir reuters bible out
for name in reuters bible; do
    bags "$name" "$name.jsonl"
    pairs "$name"
    near_dups "$name" "$name.jsonl"
done
sample
find reuters bible out -type f ! -name '*.manifest.json' -print0 | LC_ALL=C sort -z | xargs -0 sha256sum
