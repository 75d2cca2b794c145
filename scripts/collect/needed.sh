# shellcheck shell=bash disable=SC2154
# Collections that experiments need. Sourced after common.sh, not run.

# collect_needed COMMANDS [FOLDER]: creates the collections in the output of `run_experiment --dry_run`, with FOLDER only those that are not there. Parts come
# with the whole; run_experiment creates synthetic ones.
collect_needed() {
    local names name needed=''
    names=$(sed -nE 's/^# [a-z]+: collection=([^ ]+) .*/\1/p' <<<"$1" | sort -u)
    for name in $names; do
        [ $# -gt 1 ] && compgen -G "$2/$name.jsonl*" >/dev/null || needed+="$name"$'\n'
    done
    needed=$(sed -E 's/-(small|large|[0-9]+)$//' <<<"$needed" | sort -u)
    for name in $needed; do
        [ "$name" = synthetic ] || "$BASH" "$root/scripts/collect/collections.sh" "$name"
    done
}
