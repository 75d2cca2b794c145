#!/usr/bin/env bash
# Measures ngram_index and ngram_search: indexing speed and bytes per posting (n = 7, two threads) on synthetic collections of growing size, and on
# a folder of texts if one is named; and the time of a query of 5,000 words, warm. Writes res/ngrams/speed.csv; for other sizes than the default to
# res/ngrams_small.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
usage 0 "[DOCUMENTS=1000000 [FOLDER]]" "$@"
need_executables
documents=${1:-1000000}
folder=${2:-}
results=$res/ngrams
[ "$documents" = 1000000 ] || results=$res/ngrams_small
work=$exp/ngrams
mkdir -p "$results" "$work"
table=$results/speed.csv
echo "collection,documents,bytes,words,seconds,MB_per_second,words_per_second,postings,index_bytes,bytes_per_posting,total_bytes_per_posting,segments,query_words,query_ms,lookup_ms" > "$table"

# field FILE NAME: prints a number of the JSON object in FILE.
field() {
    sed -E "s/.*\"$2\":([0-9.e+-]+).*/\1/" "$1"
}

# seconds COMMAND…: runs the command and prints the time it takes.
seconds() {
    local start end
    start=$(date +%s.%N)
    "$@" >&2
    end=$(date +%s.%N)
    echo "$end - $start" | bc
}

# milliseconds COMMAND…: prints the median time of eleven runs, after one that warms the cache.
milliseconds() {
    "$@" > /dev/null
    for _ in 1 2 3 4 5 6 7 8 9 10 11; do
        seconds "$@" 2> /dev/null
    done | sort -n | sed -n 6p | awk '{ printf "%.1f", 1000 * $1 }'
}

# measure NAME INPUT BYTES: indexes an input, searches a text of it, and adds a row.
measure() {
    local name=$1 input=$2 bytes=$3 index=$work/$1.index time query=$work/$1.query.txt empty
    rm -rf "$index"
    time=$(seconds ngram_index add "$input" --index "$index" -n 7 --threads 2 --no_sync)
    ngram_index stats --index "$index" --format jsonl --quiet > "$work/stats.json"
    ngram_index list --index "$index" --quiet > "$work/list.tsv"
    local words count postings total own segments
    words=$(awk -F'\t' 'NR > 1 { sum += $4 } END { print sum }' "$work/list.tsv")
    count=$(field "$work/stats.json" documents)
    segments=$(field "$work/stats.json" segments)
    postings=$(field "$work/stats.json" postings)
    total=$(sed -E 's/^[^[]*"bytes":([0-9]+),.*/\1/' "$work/stats.json")
    own=$(sed -E 's/.*\[.*"bytes":([0-9]+),.*/\1/' "$work/stats.json")
    make_query "$input" "$query"
    ngram_index add "$query" --index "$work/empty" -n 7 --replace --quiet
    empty=$(milliseconds ngram_search "$query" --index "$work/empty" -a 100 -m 0 --quiet --threads 2)
    local found
    found=$(milliseconds ngram_search "$query" --index "$index" -a 100 -m 0 --quiet --threads 2)
    awk -v name="$name" -v count="$count" -v bytes="$bytes" -v words="$words" -v time="$time" -v postings="$postings" -v total="$total" \
        -v own="$own" -v segments="$segments" -v query="$(wc -w < "$query")" -v found="$found" -v empty="$empty" 'BEGIN {
        printf "%s,%d,%d,%d,%.2f,%.1f,%.0f,%d,%d,%.3f,%.3f,%d,%d,%.1f,%.1f\n", name, count, bytes, words, time, bytes / time / 1e6,
            words / time, postings, own, own / postings, total / postings, segments, query, found, found - empty }' | tee -a "$table"
    rm -rf "$work/empty"
    [ -n "${KEEP:-}" ] || rm -rf "$index"
}

# make_query INPUT FILE: writes a text of at most 5,000 words, of several documents, to FILE. Every command reads all of its input: a closed pipe would end
# the script.
make_query() {
    if [ -d "$1" ]; then
        find "$1" -type f -name '*.txt' | sort | awk 'NR % 7 == 1 && chosen++ < 50' | xargs cat
    else
        awk 'NR % 97 == 1 && chosen++ < 200' "$1" | sed -E 's/.*"text": ?"([^"]*)".*/\1/'
    fi | tr -s '[:space:]' '\n' | awk 'NR <= 5000' | paste -sd ' ' > "$2"
}

for size in $((documents / 100)) $((documents / 10)) "$documents"; do
    collection=$work/synthetic.jsonl
    create_corpus --doc_count "$size" --mean_words 400 --out "$collection" --quiet
    measure "synthetic_$size" "$collection" "$(stat -c %s "$collection")"
    [ -n "${KEEP:-}" ] || rm -f "$collection"
done
if [ -n "$folder" ]; then
    measure "$(basename "$folder")" "$folder" "$(find "$folder" -type f -name '*.txt' -printf '%s\n' | awk '{ sum += $1 } END { print sum }')"
fi
echo "table: $table" >&2
