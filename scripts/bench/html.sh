#!/usr/bin/env bash
# Measures nearsig's HTML stripper, html5ever and lol_html on the HTML documentation of this machine (rustdoc, and packages below
# /usr/share/doc, such as python3-doc): MB per second of processor time on one thread, and how far the words that they see agree. Writes res/formats/html.csv and html.md; for another number of pages to res/formats_small.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
usage 0 "[PAGES=400]" "$@"
count=${1:-400}
results=$res/formats
[ "$count" = 400 ] || results=$res/formats_small
mkdir -p "$results"

cargo build --release --locked --manifest-path "$root/scripts/bench/html/Cargo.toml" --target-dir "$target/html"
table=$results/html.csv
echo "collection,pages,megabytes,parser,megabytes_per_second,identical_pages_percent,different_words_percent" >"$table"
for folder in "$(rustc --print sysroot)/share/doc/rust/html" /usr/share/doc; do
    [ -d "$folder" ] || continue
    name=packages
    [ "$folder" = /usr/share/doc ] || name=rustdoc
    "$target/html/release/html-bench" "$name" "$count" "$folder" >>"$table"
done

{
    echo "# HTML parsers"
    echo
    echo "Written by \`scripts/bench/html.sh\` at commit $(git -C "$root" rev-parse --short HEAD). One thread, minima of the processor time of five interleaved runs. A page is identical if a parser"
    echo "sees the same sequence of words as nearsig; different words are those that only one of both sees."
    echo
    sed -E '1s/_/ /g; s/,/ | /g; s/^/| /; s/$/ |/; 1a|---|---|---|---|---|---|---|' "$table"
} >"$results/html.md"
cat "$table"
