# What the scripts that time stages share; sourced after common.sh, not run.

# begin_stages FILE: starts a table of stages, one CSV line each.
begin_stages() {
    stages=$1
    commit=$(git -C "$root" rev-parse --short=10 HEAD 2>/dev/null || echo unknown)
    mkdir -p "$(dirname "$stages")"
    echo "documents,stage,seconds,peak_mb,wrote,what,command,commit" >"$stages"
}

# stage DOCUMENTS NAME COMMAND…: runs an executable and keeps the time, peak memory and counts that its last line tells. The counts are left in $wrote.
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
    if [ -z "$numbers" ]; then
        echo "$(basename "$0"): $name: no time and memory in '$last'" >&2
        return 1
    fi
    wrote=$(cut -d, -f3 <<<"$numbers")
    # Where the data are is of no interest later.
    local command="$*"
    echo "$documents,$name,$numbers,${command//$work\//},$commit" >>"$stages"
}

# need_space GIGABYTES FOLDER
need_space() {
    local free
    free=$(($(df -Pk "$2" | awk 'NR == 2 { print $4 }') / 1048576))
    if [ "$free" -lt "$1" ]; then
        echo "$(basename "$0"): needs $1 GB in $2, which has $free" >&2
        exit 1
    fi
}

# to_vectors DOCUMENTS [create_corpus flags]: a synthetic collection in $work as tf_idf vectors over terms of two documents or more. Each file goes as soon as
# nothing needs it any more, unless KEEP=1.
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

# sign DOCUMENTS NAME [create_sigs flags]
sign() {
    local documents=$1 name=$2
    shift 2
    stage "$documents" "$name" create_sigs --vec_paths "$work/vec_paths" --sig_len 1024 --sig_dir "$work/sigs" --sig_paths "$work/sig_paths" "$@"
}

discard() {
    if [ "${KEEP:-0}" != 1 ]; then
        rm -rf "$@"
    fi
}
