#!/usr/bin/env bash
# Measures how time and memory grow with the collection: create_sigs, hamming_full and hamming at 95 %,
# similarity at 80 %, on 100, 200, 400 and 800 thousand documents. Writes res/bench/growth.csv, a plot with fitted
# exponents and the page; for other sizes to res/bench_small.
# With ten_million, searches 10 million signatures of short documents: res/bench/ten_million.csv and the page.
# Needs 9 GB of disk, 12 GB for ten_million; removes each file after its last use, unless KEEP=1.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
source "$root/scripts/bench/stages.sh"
source "$root/scripts/report/venv.sh"
usage 0 "[ten_million [DOCUMENTS] | DOCUMENTS…]" "$@"
need_executables
need_python "$root/scripts/report/requirements.txt"
work=$exp/growth
mkdir -p "$work"
results=$res/bench

# search_signatures DOCUMENTS: both Hamming searches at 95 %.
search_signatures() {
    stage "$1" hamming_full_95 hamming_full --sig_paths "$work/sig_paths" --out "$work/full" --threshold 95
    stage "$1" hamming_95 hamming --sig_paths "$work/sig_paths" --out "$work/pleb" --threshold 95 --iter_count 50 --beam 50 --shift_count 70
    discard "$work/full" "$work/pleb"
}

ten_million() {
    local documents=$1
    [ "$documents" = 10000000 ] || results=$res/bench_small
    need_space $((documents * 12 / 10000000)) "$work"
    begin_stages "$results/ten_million.csv"
    # Short documents: the searches read signatures only, and long texts would fill the disk.
    to_vectors "$documents" --mean_words 40
    sign "$documents" create_sigs --rnd_dist levels
    discard "$work/vecs" "$work/vec_paths"
    search_signatures "$documents"
    "$python" -m bench.page "$results"
    "$python" -m bench.page "$results" ten_million
}

growth() {
    local documents
    begin_stages "$results/growth.csv"
    for documents in "$@"; do
        need_space $((documents / 100000 + 1)) "$work"
        to_vectors "$documents"
        stage "$documents" similarity_80 similarity --vec_paths "$work/vec_paths" --out "$work/similar" --threshold 80
        sign "$documents" create_sigs_gauss
        search_signatures "$documents"
        sign "$documents" create_sigs_levels --rnd_dist levels
        discard "$work"/*
    done
    "$python" -m bench.page "$results"
}

case ${1:-} in
ten_million) ten_million "${2:-10000000}" ;;
"") growth 100000 200000 400000 800000 ;;
*)
    results=$res/bench_small
    growth "$@"
    ;;
esac
discard "$work"
