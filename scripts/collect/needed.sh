# shellcheck shell=bash disable=SC2154
# Collections that experiments need. Sourced after common.sh, not run.

# collect_needed COMMANDS: creates the collections of `run_experiment --dry_run`'s output. Parts come with the whole; run_experiment creates synthetic ones.
collect_needed() {
    local needed collection
    needed=$(sed -nE 's/^# [a-z]+: collection=([^ ]+) .*/\1/p' <<<"$1" | sed -E 's/-(small|large|[0-9]+)$//' | sort -u)
    for collection in $needed; do
        [ "$collection" = synthetic ] || "$BASH" "$root/scripts/collect/collections.sh" "$collection"
    done
}
