# shellcheck shell=bash disable=SC2154
# Runs the stages of a workflow with GNU parallel. Sourced after common.sh by the scripts next to it, not run.
#
# Shards of a stage run side by side with NEARSIG_SHARD_THREADS threads each; merges have all cores. A failed shard is reported at once; other shards of
# its stage may finish, so that a repeated run has less to do. Whatever ends the script, no task is left.
source "$root/scripts/shards/engine.sh"

running=

# stop: ends what runs. parallel starts no more tasks after the first signal and ends the others at the second.
stop() {
    [ -n "$running" ] || return 0
    for _ in 1 2; do
        kill -TERM "$running" 2>/dev/null || break
        sleep 0.2
    done
    wait "$running" 2>/dev/null || true
}

# run_stage STAGE_NUMBER: runs all tasks of a stage. Sets failed, the number of failed tasks, at most 101.
run_stage() {
    local number=$1 name=${stages[$1]} count=${counts[$1]}
    local task=("$root/scripts/parallel/task.sh" "$(basename "$0")" "$name" "${files[$number]}" "${logs[$number]}" "$count")
    failed=0
    # In the background: a shell that waits for a command in the foreground does not hear signals.
    if [ "$count" = 0 ]; then
        "${task[@]}" 0 1 &
    else
        # Stops at nothing: other shards may finish. Words of the task may have spaces.
        seq "$count" | parallel --quote --line-buffer "${engine_options[@]}" "${task[@]}" "${NEARSIG_SHARD_THREADS:-1}" {} &
    fi
    running=$!
    wait "$running" || failed=$?
    running=
}

# run_workflow NAME ARGUMENTS…: runs a workflow; arguments after '--' go to parallel.
run_workflow() {
    local workflow=$1 number start
    shift
    usage 1 "$(workflow_usage "$workflow") [-- PARALLEL OPTIONS]" "$@"
    command -v parallel >/dev/null || fail "parallel not found: install GNU parallel (Debian package parallel)"
    begin_run "$workflow" "$@"
    trap stop EXIT
    trap 'tell "interrupted: ending all tasks"; exit 130' INT
    trap 'tell "terminated: ending all tasks"; exit 143' TERM HUP
    for number in "${!stages[@]}"; do
        start=$SECONDS
        run_stage "$number"
        [ "$failed" = 0 ] || give_up "$number" "$failed"
        tell "${stages[$number]}: complete after $((SECONDS - start)) s"
    done
}
