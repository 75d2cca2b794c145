#!/usr/bin/env bash
# Measures ngram_index and ngram_search next to tantivy with the same hashes as terms: speed of indexing, memory, bytes per posting, and the time of a
# query of 5,000 words, warm and cold. COLLECTION is a number of synthetic documents, `english` or `cyrillic` (manual pages of Debian, collected first by
# scripts/collect), or `all`: 10,000, 100,000 and 1,000,000 documents, and both. STEP is one of prepare, index, search, tantivy_build, tantivy_search, page
# (scripts/bench/ngrams.py), each under three minutes; default: all of them. tantivy is left out for a million documents: it takes too long.
# Writes raw numbers, speed.csv and README.md to res/ngrams; 12 GB of working data to exp/ngrams.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
usage 0 "[COLLECTION=all [STEP=all]]" "$@"
need_executables
wanted=${1:-all} step=${2:-all}
results=$res/ngrams work=$exp/ngrams collections=${NEARSIG_COLLECTIONS:-$exp/collections}
tantivy=$target/tantivy/release/tantivy-bench
export PYTHONPATH=$root/scripts PYTHONDONTWRITEBYTECODE=1

# bench STEP COLLECTION
bench() {
    local program=()
    case $1 in tantivy*) program=("$tantivy") ;; esac
    python3 -m bench.ngrams "$1" "$2" "$work" "$results" "${program[@]}"
}

# manpages LANGUAGE: prints the file of the English or Cyrillic manual pages, which it writes if it is missing.
manpages() {
    local file=$work/$1.jsonl
    if [ ! -e "$file" ]; then
        mkdir -p "$work"
        "$root/scripts/collect/collections.sh" manpages >&2
        python3 - "$1" "$collections/manpages.jsonl" "$file" <<'PYTHON'
import json, sys

language, source, target = sys.argv[1:]
with open(source) as lines, open(target, "w") as out:
    for line in lines:
        text = json.loads(line)["text"]
        cyrillic, latin = sum("\u0400" <= c <= "\u04ff" for c in text), sum(c.isascii() and c.isalpha() for c in text)
        other = sum(c.isalpha() for c in text) - cyrillic - latin
        is_english = latin > 0 and cyrillic + other < 0.002 * latin
        if is_english if language == "english" else cyrillic > latin:
            out.write(line)
PYTHON
    fi
    echo "$file"
}

# measure COLLECTION: runs the steps.
measure() {
    local collection=$1 steps=(prepare index search tantivy_build tantivy_search) one
    case $collection in
        english | cyrillic) collection=$(manpages "$collection") ;;
        1000000) steps=(prepare index search) ;;
    esac
    [ "$step" = all ] || steps=("$step")
    for one in "${steps[@]}"; do
        bench "$one" "$collection"
    done
}

[ -x "$tantivy" ] || cargo build --release --locked --manifest-path "$root/scripts/bench/tantivy/Cargo.toml" --target-dir "$target/tantivy"
if [ "$step" != page ]; then
    all=("$wanted")
    [ "$wanted" != all ] || all=(10000 100000 1000000 english cyrillic)
    for collection in "${all[@]}"; do
        measure "$collection"
    done
fi
bench page all
echo "page: $results/README.md" >&2
