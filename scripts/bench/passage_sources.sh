#!/usr/bin/env bash
# Quality of ngram_search on PAN's text alignment corpus, which is not part of this repository: an index of all sources, no pairs given.
# CORPUS is a folder with documents.jsonl.gz, truth.tsv and pairs.tsv (src/lib/files/FORMATS.md); the ids of sources begin with "source". Writes
# res/passages/search.csv (passages of listed pairs, sources and false alarms by default settings), presets.csv and search.md.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
usage 1 "CORPUS" "$@"
need_executables
corpus=$1
out=$res/passages
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"

# Sources; suspicious documents and pairs by the last digit of the suspicious document; documents without a copy.
zcat "$corpus/documents.jsonl.gz" | awk -v work="$work" '
    /^\{"id": "source/ { print > (work "/sources.jsonl"); next }
    { split($0, parts, "\""); print > (work (parts[4] ~ /[02468]$/ ? "/even.jsonl" : "/odd.jsonl")) }'
for half in even odd; do
    awk -F '\t' -v half=$half 'NR == 1 || ($1 ~ /[02468]$/) == (half == "even")' "$corpus/pairs.tsv" > "$work/$half.tsv"
    awk -F '\t' 'NR > 1 { if ($3 == "no-plagiarism") clean[$1]; else copied[$1] } END { for (id in clean) if (!(id in copied)) print id }' \
        "$work/$half.tsv" > "$work/$half.clean"
done

# search HALF INDEX FLAGS…: writes found.jsonl and scores.csv.
search() {
    local half=$1 index=$2
    shift 2
    ngram_search -q "$work/$half.jsonl" --index "$index" --format jsonl --out "$work/found.jsonl" "$@"
    evaluate_search -q --truth "$corpus/truth.tsv" --pairs "$work/$half.tsv" "$work/found.jsonl" --out "$work/scores.csv"
}

# false_alarms HALF: prints the passages per document without a copy: all, and those without a common run of 10 words.
false_alarms() {
    awk -F '"' 'NR == FNR { clean[$1]; next }
        $4 in clean { alarms++; run = $0; sub(/.*"run":/, "", run); if (run + 0 < 10) unclear++ }
        END { printf "%.4f,%.4f", alarms / length(clean), unclear / length(clean) }' "$work/$1.clean" "$work/found.jsonl"
}

# candidates HALF INDEX: prints the candidates per document, and the recall of sources of all kinds and of each.
candidates() {
    ngram_search -q "$work/$1.jsonl" --index "$2" --format xml --details --out "$work/found.xml"
    awk -F '"' '/^  <document / { documents++; document = $2 } /^    <(source|candidate) / { count++; print document "\t" $2 }
        END { printf "%.2f\n", count / documents > "/dev/stderr" }' "$work/found.xml" 2> "$work/count" > "$work/candidates"
    awk -F '\t' -v half="$1" 'NR == FNR { candidate[$1, $2]; next }
        FNR > 1 && (($1 ~ /[02468]$/) == (half == "even")) && !(($1, $4) in seen) {
            seen[$1, $4]; all[$7]++; all["all"]++
            if (($1, $4) in candidate) { found[$7]++; found["all"]++ }
        }
        END { for (kind in all) printf "%s,%.4f\n", kind, found[kind] / all[kind] }' "$work/candidates" "$corpus/truth.tsv" > "$work/recall"
}

ngram_index add -q "$work/sources.jsonl" --index "$work/default" -n 3,5,7,15,25
header=$(evaluate_search --truth "$corpus/truth.tsv" "$corpus/truth.tsv" --out "$work/header.csv" -q && head -n 1 "$work/header.csv")
echo "half,$header,source_recall,candidates,alarms,alarms_without_run" > "$out/search.csv"
for half in even odd; do
    search $half "$work/default" -n 7
    alarms=$(false_alarms $half)
    candidates $half "$work/default"
    awk -F ',' -v half=$half -v alarms="$alarms" -v count="$(cat "$work/count")" '
        NR == FNR { recall[$1] = $2; next }
        FNR > 1 { printf "%s,%s,%s,%s,%s\n", half, $0, recall[$1], $1 == "all" ? count : "", $1 == "no-plagiarism" ? alarms : "," }' \
        "$work/recall" "$work/scores.csv" >> "$out/search.csv"
done

echo "preset,n,align,$header,alarms,alarms_without_run" > "$out/presets.csv"
for preset in default pekar mensik; do
    [ "$preset" = default ] || ngram_index add -q "$work/sources.jsonl" --index "$work/$preset" -n 3,5,7,15,25 --preset "$preset"
    for length in 3 5 7 15 25; do
        for align in sentences ngrams; do
            # A search with the limits of mensik adds what it searches.
            flags=(-n "$length" --align "$align")
            case $preset in
                pekar) flags+=(--preset pekar) ;;
                mensik) flags+=(-a 20 -m 0) ;;
            esac
            search odd "$work/$preset" "${flags[@]}"
            alarms=$(false_alarms odd)
            awk -v head="$preset,$length,$align" -v alarms="$alarms" 'NR > 1 { print head "," $0 "," (/^no-plagiarism/ ? alarms : ",") }' \
                "$work/scores.csv" >> "$out/presets.csv"
        done
    done
done

{
    echo "# Sources found without pairs, on PAN's 2013 text alignment corpus"
    echo
    echo "\`scripts/bench/passage_sources.sh CORPUS\`: \`ngram_index\` with all sources, \`ngram_search\` by default settings, scored by \`evaluate_search\` on the listed pairs (the corpus says nothing"
    echo "of others). Settings were tuned on the suspicious documents with even numbers. Recall of sources: the share of known sources among the candidates. Alarms: passages per document"
    echo "without a known copy, from any source; most are copies that the corpus does not list, such as notices that many pages have, so those without a common run of 10 words"
    echo "are counted apart. Raw numbers: [search.csv](search.csv)."
    for half in odd even; do
        echo
        echo "## Documents with $half numbers"
        echo
        echo "| kind | cases | found | precision | recall | granularity | plagdet | recall of sources | candidates per document | alarms | without a run |"
        echo "|---|---|---|---|---|---|---|---|---|---|---|"
        awk -F ',' -v half=$half 'function r(x) { return x == "" ? "–" : sprintf("%.3f", x) }
            $1 == half { printf "| %s | %d | %d | %s | %s | %s | %s | %s | %s | %s | %s |\n", $2, $3, $4, r($7), r($8), r($9), r($10), r($11), r($12), r($13), r($14) }' "$out/search.csv"
    done
    echo
    echo "## Presets and lengths of n-grams"
    echo
    echo "Plagdet by kind of obfuscation on the documents with odd numbers; precision and recall of documents count pairs with a passage. Raw numbers: [presets.csv](presets.csv)."
    echo
    echo "| preset | n | align | all | none | random | translation | summary | document precision | document recall | alarms | without a run |"
    echo "|---|---|---|---|---|---|---|---|---|---|---|---|"
    awk -F ',' 'function r(x) { return x == "" ? "–" : sprintf("%.3f", x) }
        function row() { printf "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", preset, n, align, r(plagdet["all"]), r(plagdet["no-obfuscation"]),
            r(plagdet["random-obfuscation"]), r(plagdet["translation-obfuscation"]), r(plagdet["summary-obfuscation"]), r(precision), r(recall), r(alarms), r(unclear) }
        NR > 1 { if (key != "" && key != $1 $2 $3) row()
            key = $1 $2 $3; preset = $1; n = $2; align = $3; plagdet[$4] = $12
            if ($4 == "all") { precision = $7; recall = $8 }
            if ($4 == "no-plagiarism") { alarms = $13; unclear = $14 } }
        END { row() }' "$out/presets.csv"
} > "$out/search.md"
