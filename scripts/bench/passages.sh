#!/usr/bin/env bash
# Quality of align_passages on PAN's text alignment corpus, which is not part of this repository.
# CORPUS is a folder with documents.jsonl.gz, truth.tsv and pairs.tsv (src/lib/files/FORMATS.md). Writes res/passages/even.csv (documents
# that the parameters were tuned on), odd.csv and README.md.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
usage 1 "CORPUS" "$@"
need_executables
corpus=$1
out=$res/passages
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"

# Splits pairs by the last digit of the suspicious document.
awk -F '\t' -v even="$work/even.tsv" -v odd="$work/odd.tsv" \
    'NR == 1 { print > even; print > odd; next } { print > ($1 ~ /[02468]$/ ? even : odd) }' "$corpus/pairs.tsv"

methods=("sentences" "ngrams --ngram_size 7" "ngrams --ngram_size 4" "ngrams --ngram_size 3 --sorted_ngrams")
for half in even odd; do
    : > "$work/$half.csv"
    for method in "${methods[@]}"; do
        # shellcheck disable=SC2086 # the method has flags
        align_passages -q "$corpus/documents.jsonl.gz" --pairs "$work/$half.tsv" --alignment $method --out "$work/found.jsonl"
        evaluate_search -q --truth "$corpus/truth.tsv" --pairs "$work/$half.tsv" "$work/found.jsonl" --out "$work/scores.csv"
        awk -v method="${method//--/}" 'NR == 1 { print "method," $0; next } { print method "," $0 }' "$work/scores.csv" >> "$work/$half.csv"
    done
    awk 'NR == 1 || !/^method,/' "$work/$half.csv" > "$out/$half.csv"
done

{
    echo "# Copied passages on PAN's 2013 text alignment corpus"
    echo
    echo "\`scripts/bench/passages.sh CORPUS\`: \`align_passages\` on the given pairs, compared with the truth by \`evaluate_search\`. The parameters were tuned on the"
    echo "suspicious documents with even numbers; those with odd numbers are for reporting only. Raw numbers: [even.csv](even.csv), [odd.csv](odd.csv)."
    for half in odd even; do
        echo
        echo "## Documents with $half numbers"
        echo
        echo "| method | kind | cases | found | precision | recall | granularity | plagdet |"
        echo "|---|---|---|---|---|---|---|---|"
        awk -F ',' 'function r(x) { return x == "" ? "–" : sprintf("%.3f", x) }
            NR > 1 { printf "| %s | %s | %d | %d | %s | %s | %s | %s |\n", $1, $2, $3, $4, r($7), r($8), r($9), r($10) }' "$out/$half.csv"
    done
    echo
    echo "Best published on the whole corpus (Sanchez-Perez, Sidorov, Gelbukh 2014): plagdet .877 of all, .894 of no, .889 of random, .884 of translation and .577 of summary obfuscation."
} > "$out/README.md"
