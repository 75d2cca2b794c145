#!/usr/bin/env bash
# Writes the tasks of a workflow in shards, for scripts/slurm and scripts/parallel: the one place that knows the commands of the stages.
# A task file takes the shard (from 1) and the number of threads; in a Slurm job array, both come from Slurm. It is safe to run again: shards
# that are complete, by the parameters and checksums of their manifests, are kept.
# Writes the tasks to DIR/tasks and creates DIR/logs; a sweep has both in sweeps/EXPERIMENT of the working data. Prints one line per stage: name, number of
# shards (0 for one task without shards), task file, log file, tab-separated. '%a' in the log file stands for the shard. Each stage needs all tasks of
# the one before.
#
# plan.sh chain INPUT… --out DIR       documents to similar pairs through the pipeline: DIR/pairs
# plan.sh near_dups INPUT… --out DIR   find_near_dups: DIR/pairs.tsv and DIR/clusters.tsv
# plan.sh sweep EXPERIMENT             the grid of exp/EXPERIMENT through run_experiment: tables in res/experiments, or in the folder of --out
#   --shards N             number of shards per stage (default 8)
#   --search STAGE         search of chain: hamming, hamming_full or similarity (default hamming)
#   --flags STAGE 'FLAGS'  further flags of an executable, spelled as for a shell; may be given for several
#   --small                small version of the experiment
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
source "$root/scripts/collect/needed.sh"
usage 2 "chain|near_dups|sweep INPUT… [--out DIR] [--shards N] [--search STAGE] [--flags STAGE 'FLAGS']… [--small]" "$@"
workflow=$1
shift

shards=8 out='' search=hamming small='' inputs=()
declare -A flags=(
    [create_bows]="--words"
    [reduce_voc]="--min_df 2 --max_df 1e18"
    [create_sigs]="--sig_len 1024"
    [hamming]="--threshold 90 --iter_count 100 --beam 50 --shift_count 70"
    [hamming_full]="--threshold 90"
    [similarity]="--threshold 80"
)
known=" create_bows create_voc reduce_voc create_vecs create_sigs hamming hamming_full similarity find_near_dups run_experiment "
while [ $# -gt 0 ]; do
    case $1 in
        --out | --shards | --search) [ $# -ge 2 ] || fail "$1: expected a value, found none" ;;&
        --out) out=$2 && shift ;;
        --shards) shards=$2 && shift ;;
        --search) search=$2 && shift ;;
        --flags)
            [ $# -ge 3 ] || fail "--flags: expected STAGE and 'FLAGS'"
            [[ $known == *" $2 "* ]] || fail "--flags: expected one of${known}, found '$2'"
            flags[$2]=$3
            shift 2
            ;;
        --small) small=--small ;;
        -*) fail "unexpected argument '$1'; options of the engine follow '--'" ;;
        *) inputs+=("$1") ;;
    esac
    shift
done
[[ $shards =~ ^[1-9][0-9]{0,5}$ ]] && [ "$shards" -le 100000 ] || fail "--shards: expected a number from 1 to 100000, found '$shards'"
[[ " hamming hamming_full similarity " == *" $search "* ]] || fail "--search: expected hamming, hamming_full or similarity, found '$search'"
[ ${#inputs[@]} -gt 0 ] || fail "expected documents or an experiment, found none"
need_executables

# quoted WORD…: the words as a shell reads them.
quoted() {
    printf '%q' "$1"
    [ $# = 1 ] || printf ' %q' "${@:2}"
}

# parts FILE: the parts of an output, as words of a task file.
parts() {
    local stem=$1 extension='' index names=()
    [[ $(basename "$1") != *.* ]] || { stem=${1%.*} extension=.${1##*.}; }
    for index in $(seq "$shards"); do
        names+=("$stem.$index-of-$shards$extension")
    done
    quoted "${names[@]}"
}

number=0
# task STAGE COUNT: writes the task of a stage, whose commands are read from standard input, and prints its line.
task() {
    local name=$1 count=$2 file log
    number=$((number + 1))
    file=$folder/tasks/$number-$name.sh
    log=$folder/logs/$number-$name.log
    [ "$count" = 0 ] || log=$folder/logs/$number-$name.%a.log
    {
        echo "#!/usr/bin/env bash"
        echo "# $workflow, stage $number: $name. Arguments: shard, from 1 to $((count > 0 ? count : 1)); threads, 0 for one per core."
        echo "set -euo pipefail"
        echo "PATH=$(quoted "$bin"):\$PATH"
        echo "cd $(quoted "$PWD")"
        # shellcheck disable=SC2016 # expanded by the task
        echo 'shard=${1:-${SLURM_ARRAY_TASK_ID:-1}} threads=${2:-${SLURM_CPUS_ON_NODE:-0}}'
        cat
        # A task that Slurm has forgotten by the time it is asked for has ended well if this file names its job.
        echo "[ -z \"\${SLURM_JOB_ID:-}\" ] || echo \"\${SLURM_ARRAY_JOB_ID:-\$SLURM_JOB_ID}\" >$(quoted "$folder/tasks/$number-$name.")\"\$shard\".done"
    } >"$file.part"
    mv "$file.part" "$file"
    printf '%s\t%s\t%s\t%s\n' "$name" "$count" "$file" "$log"
}

# The end of a command: its threads, its shard, and no work for a shard that is complete.
alone="--threads \"\$threads\""
of_shard="--shard \"\$shard/$shards\" --resume $alone"

chain() {
    local documents
    documents=$(quoted "${inputs[@]}")
    local bows vocs
    bows=$(quoted "$out/bow_paths") vocs=$(quoted "$out/voc")
    # A part of the vocabulary needs only the bags of the same shard.
    task create_bows "$shards" <<TASK
create_bows $documents --bow_paths $bows --bow_dir $(quoted "$out/bows") ${flags[create_bows]} $of_shard
create_voc --bow_paths $(quoted "$out/bow_paths.")"\$shard-of-$shards" --voc_name $(quoted "$out/voc.")"\$shard-of-$shards" ${flags[create_voc]:-} $alone
TASK
    task merge_bows 0 <<TASK
merge_paths --out $bows $(parts "$out/bow_paths") $alone
merge_voc --voc_name $vocs $(parts "$out/voc") $alone
reduce_voc --old_voc_name $vocs --new_voc_name $(quoted "$out/voc_reduced") ${flags[reduce_voc]} $alone
TASK
    task create_vecs "$shards" <<TASK
create_vecs --bow_paths $bows --voc_name $(quoted "$out/voc_reduced") --vec_dir $(quoted "$out/vecs") --vec_paths $(quoted "$out/vec_paths") ${flags[create_vecs]:-} $of_shard
TASK
    task merge_vecs 0 <<TASK
merge_paths --out $(quoted "$out/vec_paths") $(parts "$out/vec_paths") $alone
TASK
    if [ "$search" = similarity ]; then
        search_pairs vec_paths
        return
    fi
    task create_sigs "$shards" <<TASK
create_sigs --vec_paths $(quoted "$out/vec_paths") --sig_dir $(quoted "$out/sigs") --sig_paths $(quoted "$out/sig_paths") ${flags[create_sigs]} $of_shard
TASK
    task merge_sigs 0 <<TASK
merge_sigs --sig_paths $(quoted "$out/sig_paths") --sig_dir $(quoted "$out/sigs") $(parts "$out/sig_paths") $alone
TASK
    search_pairs sig_paths
}

# search_pairs LIST: searches a list of vectors or signatures.
search_pairs() {
    task "$search" "$shards" <<TASK
$search --$1 $(quoted "$out/$1") --out $(quoted "$out/pairs") ${flags[$search]} $of_shard
TASK
    task merge_pairs 0 <<TASK
merge_pairs --out $(quoted "$out/pairs") $(parts "$out/pairs") $alone
TASK
}

near_dups() {
    # Results without unreadable input are not the shard's: exit code 3 fails, and the shard is searched again.
    task find_near_dups "$shards" <<TASK
find_near_dups $(quoted "${inputs[@]}") --out $(quoted "$out/pairs.tsv") ${flags[find_near_dups]:-} $of_shard || {
    code=\$?
    [ "\$code" != 3 ] || rm -f $(quoted "$out/pairs.")"\$shard-of-$shards.tsv.manifest.json"
    exit "\$code"
}
TASK
    task merge_pairs 0 <<TASK
merge_pairs --out $(quoted "$out/pairs.tsv") $(parts "$out/pairs.tsv") $alone
merge_clusters --pairs $(parts "$out/pairs.tsv") --out $(quoted "$out/clusters.tsv") $alone
TASK
}

sweep() {
    local experiment=${inputs[0]} collections=${NEARSIG_COLLECTIONS:-$exp/collections} run created
    [ ${#inputs[@]} = 1 ] || fail "expected one experiment, found ${#inputs[@]}"
    [ -e "$experiment" ] || experiment=$root/exp/$experiment
    [ -e "$experiment" ] || fail "${inputs[0]}: expected an experiment, a folder of exp/"
    run="run_experiment --experiment $(quoted "$experiment") --collections $(quoted "$collections") --res_dir $(quoted "$folder/tables") $small ${flags[run_experiment]:-}"
    mkdir -p "$collections"
    # shellcheck disable=SC2086 # no value or one word
    created=$(run_experiment --experiment "$experiment" --collections "$collections" --dry_run --quiet $small)
    collect_needed "$created" "$collections" >&2
    # Shards may need the same synthetic collection: it is created before them.
    created=$(sed -nE '/^create_corpus /p' <<<"$created" | sort -u)
    [ -z "$created" ] || task create_corpus 0 <<<"$(while IFS= read -r line; do
        echo "[ -e $(sed -E 's/.* --out ([^ ]+).*/\1/' <<<"$line") ] || $line"
    done <<<"$created")"
    # A folder of derived files each: shards that share one take turns.
    task run_experiment "$shards" <<TASK
$run --work_dir $(quoted "$folder/work/")"\$shard" --shard "\$shard/$shards" $alone
TASK
    task merge_tables 0 <<TASK
$run --merge_shards $shards $alone
mkdir -p $(quoted "$out")
find $(quoted "$folder/tables") -maxdepth 1 -name '*.csv' ! -name '*-of-*' -exec cp -t $(quoted "$out") {} +
TASK
}

case $workflow in
    chain | near_dups)
        [ -n "$out" ] || fail "expected --out DIR, found none"
        out=$(absolute "$out") folder=$(absolute "$out")
        ;;
    sweep)
        out=$(absolute "${out:-$res/experiments}")
        folder=$exp/sweeps/$(basename "${inputs[0]%/}")$([ -z "$small" ] || echo -small)
        ;;
    *) fail "expected chain, near_dups or sweep, found '$workflow'" ;;
esac
mkdir -p "$folder/tasks" "$folder/logs"
rm -f "$folder"/tasks/*
"$workflow"
