#!/usr/bin/env bash
# Starts a Redis cluster of three masters with one replica each on loopback, for tests and trials, and prints its address for --store.
# Its files are in DIR (default: a new temporary folder): node-N.pid, node-N.log, url. Data is in memory only.
# Installs the Debian package redis-server if no server is found. NEARSIG_REDIS_SERVER names another one, such as valkey-server.
#
# redis_up.sh [start [DIR]]   starts the cluster; prints the address, and DIR on standard error
# redis_up.sh stop DIR        stops its nodes by their process ids and removes DIR
# redis_up.sh restart DIR N   starts node N again, empty: a replica gets the data of its master
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
usage 0 "[start [DIR] | stop DIR | restart DIR N]" "$@"

nodes=6
# Milliseconds without an answer after which a node counts as lost.
node_timeout=${NEARSIG_REDIS_NODE_TIMEOUT:-2000}

find_server() {
    local name
    for name in ${NEARSIG_REDIS_SERVER:+"$NEARSIG_REDIS_SERVER"} redis-server valkey-server; do
        ! command -v "$name" || return 0
    done
    return 1
}

install_server() {
    local install=(apt-get install -y -q --no-install-recommends redis-server)
    { "${install[@]}" || { apt-get update -q && "${install[@]}"; }; } >&2
    # The package may start a server of its own, which is not needed.
    find_server || fail "no redis-server found and none could be installed"
}

# is_free PORT: whether nothing listens on a port.
is_free() {
    ! (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

# free_ports: prints a first port such that the next ones, and those of the cluster bus 10000 above them, are free.
free_ports() {
    local first port is_used
    for _ in $(seq 50); do
        # Below the ports that systems give to clients.
        first=$((10000 + RANDOM % 12000))
        is_used=
        for port in $(seq "$first" $((first + nodes - 1))); do
            if ! is_free "$port" || ! is_free $((port + 10000)); then is_used=1; fi
        done
        [ -n "$is_used" ] || { echo "$first"; return; }
    done
    fail "no free ports found"
}

# start_node DIR N: starts node N, counted from 0.
start_node() {
    local folder=$1 number=$2 port
    port=$(($(cat "$folder/first_port") + number))
    "$server" --port "$port" --bind 127.0.0.1 --daemonize yes --dir "$folder" \
        --pidfile "$folder/node-$number.pid" --logfile "$folder/node-$number.log" \
        --cluster-enabled yes --cluster-config-file "node-$number.conf" --cluster-node-timeout "$node_timeout" \
        --dbfilename "node-$number.rdb" --save '' --appendonly no --rdb-del-sync-files yes --repl-diskless-sync-delay 0 --protected-mode no >/dev/null
    await "node $number to answer" answers "$port"
}

answers() {
    [ "$("$client" -p "$1" ping 2>/dev/null)" = PONG ]
}

# is_complete FIRST_PORT: whether every node knows all slots and all replicas, and every replica has caught up: writes wait for one. News spread by
# gossip, so nodes may differ for a while.
is_complete() {
    local port linked=0
    for port in $(seq "$1" $(($1 + nodes - 1))); do
        "$client" -p "$port" cluster info | grep -q 'cluster_state:ok' || return 1
        [ "$("$client" -p "$port" cluster nodes | grep -c 'slave.* connected')" = 3 ] || return 1
        [ "$("$client" -p "$port" cluster slots | grep -c '^127\.0\.0\.1$')" = 6 ] || return 1
        if "$client" -p "$port" info replication | grep -q 'master_link_status:up'; then linked=$((linked + 1)); fi
    done
    [ "$linked" = 3 ]
}

# await WHAT COMMAND…: waits up to 60 seconds until a command succeeds.
await() {
    local what=$1
    shift
    for _ in $(seq 600); do
        ! "$@" || return 0
        sleep 0.1
    done
    fail "waited for $what in vain"
}

start() {
    local folder=${1:-} first number addresses=()
    [ -n "$folder" ] || folder=$(mktemp -d)
    mkdir -p "$folder"
    folder=$(cd "$folder" && pwd)
    [ ! -e "$folder/first_port" ] || fail "$folder: has a cluster already"
    first=$(free_ports)
    echo "$first" >"$folder/first_port"
    # A cluster that cannot be completed does not stay.
    trap 'stop "$folder"' ERR
    for number in $(seq 0 $((nodes - 1))); do
        start_node "$folder" "$number"
        addresses+=("127.0.0.1:$((first + number))")
    done
    "$client" --cluster create "${addresses[@]}" --cluster-replicas 1 --cluster-yes >"$folder/create.log"
    await "the cluster to be complete" is_complete "$first"
    trap - ERR
    printf 'redis://%s,%s,%s\n' "${addresses[@]:0:3}" | tee "$folder/url"
    echo "stop it by: $0 stop $folder" >&2
}

stop() {
    local folder=$1 file
    [ -e "$folder/first_port" ] || fail "$folder: no cluster"
    for file in "$folder"/node-*.pid; do
        [ ! -e "$file" ] || kill "$(cat "$file")" 2>/dev/null || true
    done
    await "the nodes to stop" have_stopped "$folder"
    rm -rf "$folder"
}

# A server removes its file when it stops; one that was killed leaves it.
have_stopped() {
    local file
    for file in "$1"/node-*.pid; do
        [ ! -e "$file" ] || ! kill -0 "$(cat "$file")" 2>/dev/null || return 1
    done
}

server=$(find_server) || server=$(install_server)
client=$(command -v "$(basename "${server%-server}")-cli" || command -v redis-cli || command -v valkey-cli) || fail "no redis-cli found"
case ${1:-start} in
    start) start "${2:-}" ;;
    stop) [ $# = 2 ] || fail "stop needs the folder of the cluster"; stop "$2" ;;
    restart) [ $# = 3 ] || fail "restart needs the folder of the cluster and a node"; start_node "$2" "$3" ;;
    *) fail "expected start, stop or restart, found $1" ;;
esac
