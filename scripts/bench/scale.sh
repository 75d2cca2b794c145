#!/usr/bin/env bash
# Measures every stage that can run in shards on a synthetic collection: unsharded, in SHARDS shards one after the other, and the merge; compares the bytes. From
# this, writes res/scale/README.md: overhead, network, memory, projected times up to a billion documents, a simulated makespan up to 1,000 nodes.
# Raw numbers: res/scale/stages.csv, machine.txt. For another number of documents to res/scale_small. Run it on an idle machine; KEEP=1 keeps the working data.
# `large` runs find_near_dups in shards on a collection that outgrows the memory of a task, compares the pairs with those of an unsharded run on its first PART
# documents, and adds a section to the page; 25 GB of disk. `page` writes the page again from raw numbers.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
source "$root/scripts/bench/stages.sh"
source "$root/scripts/report/venv.sh"
usage 0 "[DOCUMENTS=400000 [SHARDS=8] | large [DOCUMENTS=10000000 [SHARDS=15 [PART=2000000]]] | page [FOLDER]]" "$@"
need_python "$root/scripts/report/requirements.txt"
if [ "${1:-}" = page ]; then
    "$python" -m bench.scale_page "$(absolute "${2:-$res/scale}")"
    exit
fi
need_executables
work=$exp/scale
mkdir -p "$work"
if [ "${1:-}" = large ]; then
    documents=${2:-10000000}
    need_space $((documents / 400000 + 1)) "$work"
    "$python" -m bench.scale_large "$documents" "${3:-15}" "${4:-2000000}" "$work/large" "$res/scale"
    "$python" -m bench.scale_page "$res/scale"
    discard "$work"
    exit
fi
full=400000
documents=${1:-$full} shards=${2:-8}
results=$res/scale
[ "$documents" = "$full" ] || results=$res/scale_small
need_space $((documents / 40000 + 1)) "$work"
"$python" -m bench.scale "$documents" "$work" "$results" --shards "$shards"
"$python" -m bench.scale_page "$results"
discard "$work"
