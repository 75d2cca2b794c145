# shellcheck shell=bash disable=SC2034,SC2154
# What scripts/slurm and scripts/parallel share: arguments, the plan, messages. Sourced after common.sh, not run.

# The arguments of all workflows, for the usage; options of the engine follow.
workflow_usage() {
    case $1 in
        chain) echo "INPUT… --out DIR [--shards N=8] [--search hamming|hamming_full|similarity] [--flags STAGE 'FLAGS']…" ;;
        near_dups) echo "INPUT… --out DIR [--shards N=8] [--flags find_near_dups 'FLAGS']" ;;
        sweep) echo "EXPERIMENT [--small] [--shards N=8] [--out DIR]" ;;
    esac
}

# begin_run WORKFLOW ARGUMENTS…: writes the tasks of a workflow and sets stages (names), counts, files and logs. Arguments after '--' become engine_options.
begin_run() {
    local workflow=$1 own=() name count file log
    shift
    engine_options=() stages=() counts=() files=() logs=()
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        own+=("$1")
        shift
    done
    [ $# = 0 ] || engine_options=("${@:2}")
    local plan
    plan=$("$root/scripts/shards/plan.sh" "$workflow" "${own[@]}") || exit 1
    while IFS=$'\t' read -r name count file log; do
        stages+=("$name") counts+=("$count") files+=("$file") logs+=("$log")
    done <<<"$plan"
    run_folder=$(dirname "$(dirname "${files[0]}")")
    # Tasks inherit the lock: it lasts as long as one of them.
    exec 9>"$run_folder/lock"
    flock -n 9 || fail "$run_folder: another run writes here"
}

# tell MESSAGE: prints a message with the name of the script that the user has started.
tell() {
    echo "${told_by:-$(basename "$0")}: $1" >&2
}

# report_failure STAGE SHARD COUNT WHAT LOG: tells which task has failed, its log and the log's last lines. COUNT is 0 for a task without shards.
report_failure() {
    local of="shard $2 of $3 failed"
    [ "$3" != 0 ] || of=failed
    tell "$1: $of ($4); log: $5"
    tail -n 3 "$5" 2>/dev/null | sed 's/^/    /' >&2 || true
}

# give_up STAGE_NUMBER FAILED: the last message of a failed run.
give_up() {
    tell "${stages[$1]}: $2 of $((counts[$1] > 0 ? counts[$1] : 1)) tasks failed; fix the cause, then run the same command again: complete shards are kept"
    exit 1
}
