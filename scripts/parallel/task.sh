#!/usr/bin/env bash
# Runs one task of a plan of scripts/shards/plan.sh and reports its failure, for run.sh. COUNT is 0 for a task without shards.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
source "$root/scripts/shards/engine.sh"
usage 7 "SCRIPT STAGE TASK_FILE LOG COUNT THREADS SHARD" "$@"
told_by=$1 stage=$2 file=$3 count=$5 threads=$6 shard=$7
log=${4//%a/$shard}

task=
# A signal ends the executable before this script.
trap '[ -z "$task" ] || kill -TERM "$task" 2>/dev/null || true; wait; exit 143' TERM INT HUP
bash "$file" "$shard" "$threads" >"$log" 2>&1 &
task=$!
code=0
wait "$task" || code=$?
[ "$code" = 0 ] || report_failure "$stage" "$shard" "$count" "exit code $code" "$log"
exit "$code"
