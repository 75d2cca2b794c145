# shellcheck shell=bash disable=SC2154
# Runs the stages of a workflow as Slurm job arrays. Sourced after common.sh by the scripts next to it, not run.
#
# All stages are submitted at once, each with `afterok` on the one before. Their states come from `scontrol` (`sacct` needs a database, `sbatch --wait` tells
# nothing of dependent jobs). A failed task is reported at once, and the jobs that depend on it are cancelled; other shards of its stage may finish, so that a
# repeated run has less to do. Whatever ends the script, no job is left.
source "$root/scripts/shards/engine.sh"

# Seconds between two queries. Slurm remembers ended jobs for MinJobAge seconds, usually 300.
poll=${NEARSIG_SLURM_POLL:-5}
jobs=()

# submit STAGE_NUMBER: submits a stage after the one before.
submit() {
    local number=$1 options=(--parsable --requeue --kill-on-invalid-dep=yes --open-mode=truncate)
    options+=(--job-name "${stages[$number]}" --output "${logs[$number]}" --error "${logs[$number]}")
    [ "${counts[$number]}" = 0 ] || options+=("--array=1-${counts[$number]}")
    [ "$number" = 0 ] || options+=("--dependency=afterok:${jobs[$((number - 1))]}")
    local id
    id=$(sbatch "${options[@]}" "${engine_options[@]}" "${files[$number]}") || fail "${stages[$number]}: sbatch failed; no job is left"
    jobs+=("${id%%;*}")
}

# is_listed JOB…: whether Slurm still runs or holds one of the jobs.
is_listed() {
    local ids
    ids=$(IFS=, && echo "$*")
    [ -n "$(squeue --noheader --format %i --jobs "$ids" 2>/dev/null)" ]
}

# cancel JOB…: cancels jobs and waits up to a minute until they have ended. Slurm ends them in any case; those of a lost node when it is back.
cancel() {
    [ $# -gt 0 ] || return 0
    scancel --quiet "$@" 2>/dev/null || true
    for _ in $(seq 300); do
        is_listed "$@" || return 0
        sleep 0.2
    done
    tell "still ending: jobs $*"
}

# tasks_of JOB: prints 'INDEX STATE EXIT_CODE NODE REASON' per task that Slurm remembers; INDEX is 1 for a job without shards.
tasks_of() {
    { scontrol --oneliner show job "$1" 2>/dev/null || true; } | awk '
        {
            delete value
            for (i = 1; i <= NF; i++) {
                at = index($i, "=")
                if (at) { key = substr($i, 1, at - 1); if (!(key in value)) value[key] = substr($i, at + 1) }
            }
            if (!("JobState" in value)) next
            index_ = ("ArrayTaskId" in value) ? value["ArrayTaskId"] : 1
            print index_, value["JobState"], value["ExitCode"], value["NodeList"] == "" ? "-" : value["NodeList"], value["Reason"]
        }'
}

# report STAGE_NUMBER SHARD WHAT: reports a failed task.
report() {
    report_failure "${stages[$1]}" "$2" "${counts[$1]}" "$3" "${logs[$1]//%a/$2}"
}

# await STAGE_NUMBER: waits until all tasks of a stage have ended and reports each failure at once. Sets failed, the number of failed tasks.
await() {
    local number=$1 job=${jobs[$1]} before='' now shard state code node reason active
    local -A reported=() ended=()
    failed=0
    while :; do
        local -A states=()
        active=
        while read -r shard state code node reason; do
            [ -n "$shard" ] || continue
            case $state in
                COMPLETED) ended[$shard]=1 ;;
                FAILED | CANCELLED | TIMEOUT | OUT_OF_MEMORY | BOOT_FAIL | DEADLINE | PREEMPTED | NODE_FAIL | REVOKED)
                    # Tasks that were never started are one line, such as 3-8.
                    ended[$shard]=1
                    [ -z "${reported[$shard]:-}" ] || continue
                    reported[$shard]=1
                    failed=$((failed + 1))
                    report "$number" "$shard" "$state, exit code ${code%%:*}, node $node"
                    cancel_dependents "$number"
                    ;;
                *)
                    active=1
                    states["${state,,}$([ "$state" != PENDING ] || echo " ($reason)")"]=1
                    ;;
            esac
        done < <(tasks_of "$job")
        now=$(printf '%s, ' "${!states[@]}")
        [ -z "$active" ] || [ "$now" = "$before" ] || tell "${stages[$number]} (job $job): ${now%, }"
        before=$now
        [ -n "$active" ] || break
        sleep "$poll"
    done
    # Tasks that Slurm has forgotten since.
    for shard in $(seq $((counts[number] > 0 ? counts[number] : 1))); do
        [ -z "${ended[$shard]:-}" ] || continue
        [ "$(cat "${files[$number]%.sh}.$shard.done" 2>/dev/null)" != "$job" ] || continue
        [ ${#reported[@]} = 0 ] || continue
        failed=$((failed + 1))
        report "$number" "$shard" "unknown to Slurm"
    done
}

# cancel_dependents STAGE_NUMBER: cancels the jobs after a stage, once.
cancel_dependents() {
    local dependents=("${jobs[@]:$(($1 + 1))}")
    [ ${#dependents[@]} -gt 0 ] || return 0
    jobs=("${jobs[@]:0:$(($1 + 1))}")
    cancel "${dependents[@]}"
    tell "cancelled $(printf '%s, ' "${stages[@]:$(($1 + 1))}" | sed 's/, $//'), which need ${stages[$1]}"
}

# run_workflow NAME ARGUMENTS…: runs a workflow; arguments after '--' go to sbatch.
run_workflow() {
    local workflow=$1 number start
    shift
    usage 1 "$(workflow_usage "$workflow") [-- SBATCH OPTIONS]" "$@"
    command -v sbatch >/dev/null || fail "sbatch not found: expected a machine that submits to Slurm; scripts/parallel/$workflow.sh needs only GNU parallel"
    begin_run "$workflow" "$@"
    # Jobs must not outlive the script, however it ends.
    trap 'cancel "${jobs[@]}"' EXIT
    trap 'tell "interrupted: cancelling all jobs"; exit 130' INT
    trap 'tell "terminated: cancelling all jobs"; exit 143' TERM HUP
    for number in "${!stages[@]}"; do
        submit "$number"
    done
    for number in "${!stages[@]}"; do
        start=$SECONDS
        await "$number"
        [ "$failed" = 0 ] || give_up "$number" "$failed"
        tell "${stages[$number]}: complete after $((SECONDS - start)) s"
    done
}
