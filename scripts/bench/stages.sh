# shellcheck shell=bash disable=SC2154
# Helpers of the scripts that time single stages. Sourced after common.sh, not run.
# Uses $root of common.sh and $work of the script.

# begin_stages FILE: starts a CSV table with one row per stage.
begin_stages() {
    stages=$1
    commit=$(git -C "$root" rev-parse --short=10 HEAD 2>/dev/null || echo unknown)
    mkdir -p "$(dirname "$stages")"
    echo "documents,stage,seconds,peak_mb,wrote,what,command,commit" >"$stages"
}

# stage DOCUMENTS NAME COMMAND…: runs an executable and appends the time, peak memory and counts of its
# last message to the table. Leaves the count of what was written in $wrote.
stage() {
    local documents=$1 name=$2 last numbers
    shift 2
    if ! "$@" 2>"$stages.log"; then
        tail -n 3 "$stages.log" >&2
        return 1
    fi
    last=$(tail -n 1 "$stages.log")
    rm -f "$stages.log"
    echo "$name, $documents documents: ${last#*: }" >&2
    numbers=$(sed -nE 's/.*, wrote ([0-9]+) ([^;]*); ([0-9.]+) s, peak memory ([0-9.]+) MB$/\3,\4,\1,\2/p' <<<"$last")
    [ -n "$numbers" ] || fail "$name: expected time and memory, found '$last'"
    # shellcheck disable=SC2034 # read by the scripts
    wrote=$(cut -d, -f3 <<<"$numbers")
    # Commands are recorded without the folder of the working data.
    local command="$*"
    echo "$documents,$name,$numbers,${command//$work\//},$commit" >>"$stages"
}

# need_space GIGABYTES FOLDER: exits if the disk of the folder has less free space.
need_space() {
    local free
    free=$(($(df -Pk "$2" | awk 'NR == 2 { print $4 }') / 1048576))
    [ "$free" -ge "$1" ] || fail "expected $1 GB of free space in $2, found $free GB"
}

# to_vectors DOCUMENTS [create_corpus flags]: a synthetic collection in $work to tf_idf vectors over terms
# of at least two documents. Removes each file after its last use, unless KEEP=1.
to_vectors() {
    local documents=$1
    shift
    stage "$documents" create_corpus create_corpus --doc_count "$documents" --out "$work/corpus.jsonl" --truth "$work/truth.tsv" "$@"
    stage "$documents" create_bows create_bows --json_lines "$work/corpus.jsonl" --bow_paths "$work/bow_paths" --bow_dir "$work/bows"
    discard "$work/corpus.jsonl"
    stage "$documents" create_voc create_voc --bow_paths "$work/bow_paths" --voc_name "$work/voc"
    stage "$documents" reduce_voc reduce_voc --old_voc_name "$work/voc" --new_voc_name "$work/voc_reduced" --min_df 2 --max_df 1e18
    stage "$documents" create_vecs create_vecs --bow_paths "$work/bow_paths" --voc_name "$work/voc_reduced" --vec_dir "$work/vecs" --vec_paths "$work/vec_paths"
    discard "$work/bows" "$work/bow_paths" "$work/voc" "$work/voc_reduced"
}

# sign DOCUMENTS NAME [create_sigs flags]: the vectors of $work to signatures of 1024 bits.
sign() {
    local documents=$1 name=$2
    shift 2
    stage "$documents" "$name" create_sigs --vec_paths "$work/vec_paths" --sig_len 1024 --sig_dir "$work/sigs" --sig_paths "$work/sig_paths" "$@"
}

# discard FILE…: removes working data, unless KEEP=1.
discard() {
    if [ "${KEEP:-0}" != 1 ]; then
        rm -rf "$@"
    fi
}
