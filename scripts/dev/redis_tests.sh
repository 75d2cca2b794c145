#!/usr/bin/env bash
# Tests the n-gram index in a Redis cluster: the same results as the embedded store, lost nodes during add and search, promoted replicas,
# killed runs, retries, a second writer, wrong addresses. DOCUMENTS (default 300) synthetic documents are compared besides the sample.
# `quick` leaves out lost nodes, which take seconds to be noticed and replaced.
# Needs redis-server (scripts/redis_up.sh). Builds, unless NEARSIG_BIN is set.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
usage 0 "[DOCUMENTS=300 [all|quick]]" "$@"
documents=${1:-300} extent=${2:-all}

if [ -z "${NEARSIG_BIN:-}" ]; then
    cargo build --locked --bin ngram_index --bin ngram_search --bin create_corpus --manifest-path "$root/Cargo.toml"
    PATH=$target/debug:$PATH
fi
scratch=$(mktemp -d)
clusters=()
# shellcheck disable=SC2317 # called by the trap
clean_up() {
    local folder
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

# new_cluster: starts a cluster and sets folder, url and port.
new_cluster() {
    folder=$scratch/cluster-${#clusters[@]}
    clusters+=("$folder")
    url=$("$root/scripts/redis_up.sh" start "$folder" 2>/dev/null)
    port=$(cat "$folder/first_port")
}

# replica_of N: prints the number of the replica of node N.
replica_of() {
    local id address
    id=$(redis-cli -p "$((port + $1))" cluster myid)
    address=$(redis-cli -p "$((port + $1))" cluster nodes | awk -v id="$id" '$4 == id { print $2; exit }')
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

# same URL WHAT: results of all kinds must be those of the embedded store, byte for byte.
same() {
    local form
    for form in text jsonl; do
        ngram_search --store "$1" "$scratch/queries.jsonl" "$root/exp/sample" -w --format "$form" --out "$scratch/found" 2>/dev/null
        cmp "$scratch/found" "$scratch/expected.$form"
    done
    ngram_index list --store "$1" --out "$scratch/found" 2>/dev/null
    cmp "$scratch/found" "$scratch/expected.list"
    ngram_index export --store "$1" --out "$scratch/found" 2>/dev/null
    cmp "$scratch/found" "$scratch/expected.export"
    ngram_index check --store "$1" 2>"$scratch/message" || { cat "$scratch/message" >&2; exit 1; }
    echo "   same bytes: $2"
}

add() {
    ngram_index add -n 7,15 --store "$1" "$scratch/collection.jsonl" "$root/exp/sample" "${@:2}"
}

echo "== the embedded store"
create_corpus --doc_count "$documents" --out "$scratch/collection.jsonl" 2>/dev/null
head -n 200 "$scratch/collection.jsonl" >"$scratch/queries.jsonl"
ngram_index add -n 7,15 --index "$scratch/index" "$scratch/collection.jsonl" "$root/exp/sample" 2>/dev/null
for form in text jsonl; do
    ngram_search --index "$scratch/index" "$scratch/queries.jsonl" "$root/exp/sample" -w --format "$form" --out "$scratch/expected.$form" 2>/dev/null
done
ngram_index list --index "$scratch/index" --out "$scratch/expected.list" 2>/dev/null
ngram_index export --index "$scratch/index" --out "$scratch/expected.export" 2>/dev/null

echo "== the same bytes"
new_cluster
add "$url/same" 2>/dev/null
same "$url/same" "added at once"
add "$url/same" --replace 2>/dev/null
same "$url/same" "all documents replaced"
ngram_index compact --store "$url/same" 2>/dev/null
same "$url/same" "compacted"

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
add "$url/second" 2>"$scratch/message"
grep -F 'waiting for another run' "$scratch/message" | sed 's/^/   /'
same "$url/second" "after the wait"

echo "== killed runs"
for delay in 0.05 0.2 0.4; do
    add "$url/killed" --replace 2>/dev/null &
    killed=$!
    sleep "$delay"
    kill -9 "$killed" 2>/dev/null || true
    wait "$killed" 2>/dev/null || true
done
add "$url/killed" --replace 2>/dev/null
same "$url/killed" "after three killed runs"
ngram_index compact --store "$url/killed" 2>/dev/null
same "$url/killed" "compacted"
ngram_index clear --store "$url/killed" 2>/dev/null
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

if [ "$extent" = quick ]; then
    echo "redis: quick tests passed"
    exit 0
fi

echo "== a replica that replaces its master during add"
(sleep 0.3 && signal "$folder" KILL 1) &
add "$url/failover?timeout=60" 2>/dev/null
wait $!
same "$url/failover?timeout=60" "added while a master was lost"
same "$url/same?timeout=60" "the index of before"

echo "== a replica that replaces its master during search"
new_cluster
add "$url/search" 2>/dev/null
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
add "$url/paused?timeout=60" 2>/dev/null
same "$url/paused?timeout=60" "added after the nodes returned"
same "$url/search?timeout=60" "the index of before"

echo "== a node that has lost its data"
new_cluster
add "$url/lost" 2>/dev/null
replica=$(replica_of 1)
signal "$folder" KILL 1 "$replica"
fails "127.0.0.1:$((port + 1)) (slots" ngram_search --store "$url/lost?timeout=3" "$root/exp/sample"
"$root/scripts/redis_up.sh" restart "$folder" 1
"$root/scripts/redis_up.sh" restart "$folder" "$replica"
sleep 3
fails 'the node has lost writes' ngram_search --store "$url/lost" "$root/exp/sample"
echo "redis: all tests passed"
