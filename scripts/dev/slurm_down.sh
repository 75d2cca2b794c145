#!/usr/bin/env bash
# Stops the Slurm cluster that slurm_up.sh started in DIR, by process ids, and removes DIR. With NODE, such as n2, kills only that node and its jobs, without
# warning, as a power failure would.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
usage 1 "DIR [NODE]" "$@"
folder=$(absolute "$1") node=${2:-}
[ -e "$folder/slurm.conf" ] || fail "$folder: no cluster"
export SLURM_CONF=$folder/slurm.conf

# with_environment [LINE]: prints the processes of this cluster, but not this script, whose environment has this line too.
with_environment() {
    local file files
    mapfile -t files < <(grep -lzxF -- "SLURM_CONF=$SLURM_CONF" /proc/[0-9]*/environ 2>/dev/null)
    for file in "${files[@]}"; do
        [ "$file" != "/proc/$$/environ" ] && [ "$file" != "/proc/$BASHPID/environ" ] || continue
        [ $# = 0 ] || grep -qzxF -- "$1" "$file" 2>/dev/null || continue
        echo "${file//[^0-9]/}"
    done
}

# parent PID: prints the parent of a process.
parent() {
    sed -nE 's/^PPid:\s*([0-9]+)$/\1/p' "/proc/$1/status" 2>/dev/null
}

# steps: prints the processes that run the cluster's jobs. They are no children of the nodes, which can be restarted without them.
steps() {
    local pid
    for pid in $(with_environment); do
        [ "$(cat "/proc/$pid/comm" 2>/dev/null)" != slurmstepd ] || echo "$pid"
    done
}

# kill_node: ends a node, its jobs and what runs them, at once.
kill_node() {
    local pids pid all
    pids=$(cat "$folder/pids/slurmd-$node") || fail "$folder: no node $node"
    all=" $(steps | tr '\n' ' ')"
    for pid in $(with_environment "SLURMD_NODENAME=$node"); do
        pids+=" $pid"
        [[ $all != *" $(parent "$pid") "* ]] || pids+=" $(parent "$pid")"
    done
    # shellcheck disable=SC2086 # several numbers
    kill -9 $pids 2>/dev/null || true
    rm -f "$folder/pids/slurmd-$node"
}

# is_running PID: whether a process runs. One that has ended stays until its parent asks for its exit code, which nobody may do.
is_running() {
    grep -qsE '^State:\s+[^ZX]' "/proc/$1/status"
}

# await_end PID…: waits up to 10 seconds until processes have ended, then kills them.
await_end() {
    local pid
    for pid in "$@"; do
        for _ in $(seq 100); do
            is_running "$pid" || continue 2
            sleep 0.1
        done
        kill -9 "$pid" 2>/dev/null || true
    done
}

# stop PID…: ends processes.
stop() {
    [ $# = 0 ] || kill "$@" 2>/dev/null || true
    await_end "$@"
}

# pids_of DAEMON: prints the processes of a kind of daemon.
pids_of() {
    cat "$folder/pids/$1"* 2>/dev/null || true
}

if [ -n "$node" ]; then
    kill_node
    exit
fi
if [ -e "$folder/pids/slurmctld" ]; then
    scancel --quiet --me 2>/dev/null || true
    for _ in $(seq 50); do
        [ -n "$(squeue --noheader 2>/dev/null)" ] || break
        sleep 0.1
    done
fi
# shellcheck disable=SC2046 # several numbers
stop $(pids_of slurmd-)
# shellcheck disable=SC2046
stop $(steps)
# shellcheck disable=SC2046
stop $(pids_of slurmctld)
# shellcheck disable=SC2046
stop $(pids_of munged)
rm -rf "$folder"
