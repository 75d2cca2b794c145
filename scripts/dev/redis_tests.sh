#!/usr/bin/env bash
# Tests the n-gram index in a Redis cluster: the same results as the embedded store, lost nodes during add and search, promoted replicas,
# killed runs, retries, a second writer, wrong addresses, nodes that evict. DOCUMENTS (default 300) synthetic documents are compared besides the sample.
# `quick` leaves out lost nodes, which take seconds to be noticed and replaced; `same` compares results only.
# Needs redis-server (scripts/redis_up.sh). Builds, unless NEARSIG_BIN is set.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
usage 0 "[DOCUMENTS=300 [all|quick|same]]" "$@"
documents=${1:-300} extent=${2:-all}

if [ -z "${NEARSIG_BIN:-}" ]; then
    cargo build --locked --bin ngram_index --bin ngram_search --bin create_corpus --manifest-path "$root/Cargo.toml"
    PATH=$target/debug:$PATH
fi
scratch=$(mktemp -d)
clusters=()
# shellcheck disable=SC2317 # called by the trap
clean_up() {
    local code=$? folder
    if [ "$code" != 0 ]; then
        echo "failed with code $code; the last messages of all nodes:" >&2
        for folder in "${clusters[@]}"; do
            tail -n 15 "$folder"/node-*.log >&2 || true
        done
    fi
    for folder in "${clusters[@]}"; do
        # Nodes that were paused must go on to stop.
        signal "$folder" CONT 0 1 2 3 4 5 || true
        "$root/scripts/redis_up.sh" stop "$folder" || true
    done
    rm -rf "$scratch"
}
trap clean_up EXIT

# signal FOLDER SIGNAL N…: sends a signal to nodes of a cluster.
signal() {
    local folder=$1 signal=$2 number
    shift 2
    for number in "$@"; do
        [ ! -e "$folder/node-$number.pid" ] || kill "-$signal" "$(cat "$folder/node-$number.pid")" 2>/dev/null || true
    done
}

# quietly COMMAND…: runs a command and shows its messages only if it fails.
quietly() {
    local code=0
    "$@" 2>"$scratch/message" || code=$?
    if [ "$code" != 0 ]; then
        echo "exit code $code: $*" >&2
        cat "$scratch/message" >&2
        exit 1
    fi
}

# new_cluster: starts a cluster and sets folder, url and port.
new_cluster() {
    folder=$scratch/cluster-${#clusters[@]}
    clusters+=("$folder")
    quietly "$root/scripts/redis_up.sh" start "$folder" >"$scratch/url"
    url=$(cat "$scratch/url")
    port=$(cat "$folder/first_port")
}

# replica_of N: prints the number of the replica of node N.
replica_of() {
    local id address
    id=$(redis-cli -p "$((port + $1))" cluster myid)
    address=$(redis-cli -p "$((port + $1))" cluster nodes | awk -v id="$id" '$4 == id { print $2; exit }')
    [ -n "$address" ] || fail "node $1 has no replica"
    address=${address%%@*}
    echo "$((${address##*:} - port))"
}

# fails TEXT COMMAND…: the command must end with exit code 1 and a message that contains TEXT.
fails() {
    local text=$1 code=0
    shift
    "$@" >"$scratch/out" 2>"$scratch/message" || code=$?
    if [ "$code" != 1 ] || ! grep -qF -- "$text" "$scratch/message"; then
        echo "expected exit code 1 and '$text', found $code and:" >&2
        cat "$scratch/message" >&2
        exit 1
    fi
    echo "   $(grep -F -- "$text" "$scratch/message" | sed "s|$scratch|…|g")"
}

# results FOLDER FLAG VALUE: writes what an index answers, in all forms, to a folder. FLAG is --index or --store.
results() {
    local into=$1 place=("$2" "$3") form
    rm -rf "$into"
    mkdir "$into"
    for form in text xml jsonl html; do
        quietly ngram_search "${place[@]}" "$scratch/queries.jsonl" "$root/exp/sample" -w --format "$form" --out "$into/found.$form"
    done
    quietly ngram_search "${place[@]}" "$scratch/queries.jsonl" "$root/exp/sample" --format pan --out "$into/pan/"
    # A page names the command that made it: all but that must be the same.
    sed -i -E "s#(--index|--store) [^ ]+#INDEX#; s#--out [^ \"<]+#--out FILE#" "$into/found.html"
    for form in tsv xml jsonl; do
        quietly ngram_index list "${place[@]}" --format "$form" --out "$into/list.$form"
    done
    quietly ngram_index export "${place[@]}" --out "$into/export"
    # Of the counts, those that do not depend on how a store keeps its postings.
    quietly ngram_index stats "${place[@]}" --format jsonl --out "$into/stats"
    grep -oE '"(documents|n)":[0-9]+' "$into/stats" >"$into/counts"
    rm "$into/stats"
}

# same URL WHAT: results of all kinds must be those of the embedded store, byte for byte.
same() {
    results "$scratch/found" --store "$1"
    diff -r "$scratch/found" "$scratch/expected"
    quietly ngram_index check --store "$1"
    echo "   same bytes: $2"
}

add() {
    ngram_index add -n 7,15 --store "$1" "$scratch/collection.jsonl" "$root/exp/sample" "${@:2}"
}

echo "== the embedded store"
quietly create_corpus --doc_count "$documents" --out "$scratch/collection.jsonl"
head -n 200 "$scratch/collection.jsonl" >"$scratch/queries.jsonl"
quietly ngram_index add -n 7,15 --index "$scratch/index" "$scratch/collection.jsonl" "$root/exp/sample"
results "$scratch/expected" --index "$scratch/index"
du -bc "$scratch/expected"/* | sed -E "s|$scratch/||; s/^/   /"

echo "== the same bytes"
new_cluster
quietly add "$url/same"
same "$url/same" "added at once"
quietly add "$url/same" --replace
same "$url/same" "all documents replaced"
quietly ngram_index compact --store "$url/same"
same "$url/same" "compacted"

if [ "$extent" = same ]; then
    echo "redis: results of $documents documents are the same"
    exit 0
fi

echo "== any sequence of changes"
NEARSIG_REDIS=$url cargo test --quiet --locked --manifest-path "$root/Cargo.toml" --lib the_redis_store -- --ignored

echo "== chunks that a retry has appended twice"
double="return redis.call('APPEND', KEYS[1], redis.call('GET', KEYS[1]))"
for node in 0 1 2; do
    redis-cli -p "$((port + node))" --scan --pattern 'same:*:[pc]:*' >"$scratch/keys"
    sed "s/.*/EVAL \"$double\" 1 &/" "$scratch/keys" | redis-cli -p "$((port + node))" >/dev/null
done
same "$url/same" "every chunk twice"

echo "== a second writer"
redis-cli -c -p "$port" set '{second}:lock' another PX 2000 >/dev/null
quietly add "$url/second"
grep -F 'waiting for another run' "$scratch/message" | sed 's/^/   /'
same "$url/second" "after the wait"

echo "== killed runs"
for delay in 0.05 0.2 0.4; do
    add "$url/killed" --replace 2>"$scratch/killed" &
    killed=$!
    sleep "$delay"
    kill -9 "$killed" 2>/dev/null || true
    wait "$killed" 2>/dev/null || true
done
quietly add "$url/killed" --replace
same "$url/killed" "after three killed runs"
quietly ngram_index compact --store "$url/killed"
same "$url/killed" "compacted"
quietly ngram_index clear --store "$url/killed"
for node in 0 1 2; do
    left=$(redis-cli -p "$((port + node))" --scan --pattern 'killed:[0-9]*' | wc -l)
    [ "$left" = 0 ] || fail "$left keys are left after clear"
done

echo "== wrong addresses and other versions"
fails 'expected an index named none, found none' ngram_search --store "$url/none" "$root/exp/sample"
fails 'Connection refused' ngram_search --store "redis://127.0.0.1:1/none?timeout=1" "$root/exp/sample"
redis-server --port "$((port + 6))" --bind 127.0.0.1 --daemonize yes --save '' --dir "$folder" --pidfile "$folder/node-6.pid" >/dev/null
sleep 0.5
fails 'expected a node of a cluster' ngram_search --store "redis://127.0.0.1:$((port + 6))/none" "$root/exp/sample"
redis-cli -c -p "$port" set '{other}:head' '{"format": "nearsig ngram index in redis 0"}' >/dev/null
fails "found 'nearsig ngram index in redis 0'" ngram_search --store "$url/other" "$root/exp/sample"

echo "== a node that evicts"
redis-cli -p "$((port + 2))" config set maxmemory-policy allkeys-lru >/dev/null
fails 'expected maxmemory-policy noeviction, found allkeys-lru' add "$url/evicting"
fails 'expected maxmemory-policy noeviction, found allkeys-lru' ngram_search --store "$url/same" "$root/exp/sample"
redis-cli -p "$((port + 2))" config set maxmemory-policy noeviction >/dev/null
same "$url/same" "after the policy was set right"

if [ "$extent" = quick ]; then
    echo "redis: quick tests passed"
    exit 0
fi

echo "== a replica that replaces its master during add"
(sleep 0.3 && signal "$folder" KILL 1) &
quietly add "$url/failover?timeout=60"
wait $!
same "$url/failover?timeout=60" "added while a master was lost"
same "$url/same?timeout=60" "the index of before"

echo "== a replica that replaces its master during search"
new_cluster
quietly add "$url/search"
(sleep 0.3 && signal "$folder" KILL 2) &
same "$url/search?timeout=60" "searched while a master was lost"
wait $!

echo "== a master and its replica that do not answer"
replica=$(replica_of 0)
signal "$folder" STOP 0 "$replica"
fails "127.0.0.1:$port (slots" add "$url/paused?timeout=4"
fails "127.0.0.1:$port (slots" ngram_search --store "redis://127.0.0.1:$((port + 1))/search?timeout=4" "$root/exp/sample"
signal "$folder" CONT 0 "$replica"
sleep 3
quietly add "$url/paused?timeout=60"
same "$url/paused?timeout=60" "added after the nodes returned"
same "$url/search?timeout=60" "the index of before"

echo "== a node that has lost its data"
new_cluster
quietly add "$url/lost"
replica=$(replica_of 1)
signal "$folder" KILL 1 "$replica"
fails "127.0.0.1:$((port + 1)) (slots" ngram_search --store "$url/lost?timeout=3" "$root/exp/sample"
"$root/scripts/redis_up.sh" restart "$folder" 1
"$root/scripts/redis_up.sh" restart "$folder" "$replica"
sleep 3
fails 'the node has lost writes' ngram_search --store "$url/lost" "$root/exp/sample"
echo "redis: all tests passed"
