#!/usr/bin/env bash
# Tests shards on a real Slurm: starts a private cluster of four nodes on loopback, runs the pipeline, find_near_dups and a sweep in shards, and compares the bytes
# with those of unsharded runs. Kills a node in the middle of a shard, makes a shard fail by bad input and resumes, interrupts a run. Does the same work with
# GNU parallel. Stops what it has started and checks that no process is left.
# Installs the Debian packages of Slurm and GNU parallel if they are missing, as root. Without them, it says so and exits with 77, or with 1 if CI=true.
# Builds, unless NEARSIG_BIN names a folder of executables.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
usage 0 "" "$@"
PATH=$PATH:/usr/sbin:/sbin

# skip WHY: ends the test without a result.
skip() {
    echo "test_cluster.sh: skipped: $1" >&2
    [ "${CI:-}" != true ] || exit 1
    exit 77
}

packages=()
for name in munged slurmctld slurmd sbatch; do
    command -v "$name" >/dev/null || packages=(munge slurmctld slurmd slurm-client)
done
command -v parallel >/dev/null || packages+=(parallel)
if [ ${#packages[@]} -gt 0 ]; then
    why="${packages[*]} not found"
    command -v apt-get >/dev/null || skip "$why, and no apt-get to install them"
    [ "$(id -u)" = 0 ] || skip "$why, and only root can install them"
    echo "== installing ${packages[*]}"
    export DEBIAN_FRONTEND=noninteractive
    install=(apt-get install -y -q --no-install-recommends "${packages[@]}")
    { "${install[@]}" || { apt-get update -q && "${install[@]}"; }; } >&2 || skip "$why, and they could not be installed"
fi
if [ -z "${NEARSIG_BIN:-}" ]; then
    cargo build --locked --bins --manifest-path "$root/Cargo.toml"
    bin=$target/debug
fi
PATH=$bin:$PATH

scratch=$(mktemp -d)
cluster=$scratch/cluster
# shellcheck disable=SC2317 # called by the trap
clean_up() {
    local code=$?
    trap - EXIT
    [ -z "${chain_run:-}" ] || kill "$chain_run" 2>/dev/null || true
    wait
    [ ! -e "$cluster/slurm.conf" ] || "$root/scripts/dev/slurm_down.sh" "$cluster" || code=1
    if [ "$code" = 0 ]; then
        rm -rf "$scratch"
    else
        echo "test_cluster.sh: failed; logs and outputs: $scratch" >&2
    fi
    exit "$code"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# expect WHAT COMMAND…: fails with a message unless the command succeeds.
expect() {
    local what=$1
    shift
    "$@" || fail "expected $what"
    echo "   $what"
}

# indented COMMAND…: shows what a command prints, with short paths. Returns its exit code.
indented() {
    "$@" 2>&1 | sed "s|$scratch|…|g; s/^/   | /"
}

# same FOLDER: the results in a folder must have the bytes of those in $scratch/expected. Shards are no results, nor are manifests of what was read.
same() {
    local exclude=(--exclude='*-of-*' --exclude='*.manifest.json' --exclude=tasks --exclude=logs --exclude=lock)
    diff -r "${exclude[@]}" "$scratch/expected" "$1"
}

# whole_chain INPUT: the unsharded pipeline into $scratch/chain, which becomes $scratch/expected: lists name their folder.
whole_chain() {
    local out=$scratch/chain
    rm -rf "$out" "$scratch/expected"
    mkdir -p "$out"
    create_bows --quiet "$1" --bow_paths "$out/bow_paths" --bow_dir "$out/bows" --words --bows_per_file 20
    create_voc --quiet --bow_paths "$out/bow_paths" --voc_name "$out/voc"
    reduce_voc --quiet --old_voc_name "$out/voc" --new_voc_name "$out/voc_reduced" --min_df 2 --max_df 1e18
    create_vecs --quiet --bow_paths "$out/bow_paths" --voc_name "$out/voc_reduced" --vec_dir "$out/vecs" --vec_paths "$out/vec_paths"
    create_sigs --quiet --vec_paths "$out/vec_paths" --sig_len 1024 --sig_dir "$out/sigs" --sig_paths "$out/sig_paths"
    hamming --quiet --sig_paths "$out/sig_paths" --out "$out/pairs" --threshold 80 --iter_count 24 --beam 20 --shift_count 70
    mv "$out" "$scratch/expected"
}
chain_flags=(--flags create_bows "--words --bows_per_file 20" --flags hamming "--threshold 80 --iter_count 24 --beam 20 --shift_count 70" --shards 8)

# wrap EXECUTABLE: replaces an executable of the jobs by a script, read from standard input. The original is $original.
mkdir "$scratch/bin"
ln -s "$bin"/* "$scratch/bin/"
export NEARSIG_BIN=$scratch/bin NEARSIG_EXP=$scratch/exp NEARSIG_RES=$scratch/res NEARSIG_COLLECTIONS=$scratch/collections NEARSIG_SLURM_POLL=0.5
wrap() {
    rm "$scratch/bin/$1"
    { printf '#!/bin/bash\noriginal=%q scratch=%q\n' "$bin/$1" "$scratch" && cat; } >"$scratch/bin/$1"
    chmod +x "$scratch/bin/$1"
}

# nothing_runs: whether no job is left, and no executable of a task.
nothing_runs() {
    [ -z "$(squeue --noheader)" ] && ! grep -qsF "$scratch/docs" /proc/[0-9]*/cmdline
}

# await_file FILE: waits up to 60 seconds for a file.
await_file() {
    for _ in $(seq 600); do
        [ ! -e "$1" ] || return 0
        sleep 0.1
    done
    fail "waited for $1 in vain"
}

echo "== a private cluster of four nodes"
eval "$("$root/scripts/dev/slurm_up.sh" "$cluster" 4 1)"
export SLURM_CONF
daemons=$(cat "$cluster"/pids/*)
indented sinfo
mkdir "$scratch/docs"
create_corpus --quiet --doc_count 480 --mean_words 60 --out "$scratch/all.jsonl"
split --lines 60 --additional-suffix .jsonl --numeric-suffixes "$scratch/all.jsonl" "$scratch/docs/part-"
whole_chain "$scratch/docs"

echo "== the pipeline in 8 shards, a node lost in the middle of one"
# The first attempt at shard 3 stops when it has begun its outputs, until its node is killed.
wrap create_sigs <<'WRAPPER'
[[ " $* " == *" --shard 3/8 "* ]] && [ ! -e "$scratch/attempt" ] || exec "$original" "$@"
"$original" "$@" &
until compgen -G "$scratch/chain/sigs/*.3-of-8*.part" >/dev/null; do
    kill -0 $! 2>/dev/null || { echo "the shard has ended before it could be stopped"; exit 9; }
done
kill -STOP $!
echo "$SLURMD_NODENAME" >"$scratch/attempt.part"
mv "$scratch/attempt.part" "$scratch/attempt"
wait
WRAPPER
"$root/scripts/slurm/chain.sh" "$scratch/docs" --out "$scratch/chain" "${chain_flags[@]}" -- --time 10 --mem 200M --partition main >"$scratch/chain.log" 2>&1 &
chain_run=$!
await_file "$scratch/attempt"
lost=$(cat "$scratch/attempt")
begun=$(cd "$scratch/chain/sigs" && compgen -G "*.3-of-8*.part" | wc -l)
lost_at=$SECONDS
"$root/scripts/dev/slurm_down.sh" "$cluster" "$lost"
expect "node $lost killed; unfinished files of create_sigs, shard 3: $begun" [ "$begun" -gt 0 ]
expect "no list of the killed shard" [ ! -e "$scratch/chain/sig_paths.3-of-8" ]

# While Slurm finds out.
echo "== near-duplicates in 4 shards"
rm -rf "$scratch/whole"
mkdir "$scratch/whole"
find_near_dups --quiet "$scratch/docs" --out "$scratch/whole/pairs.tsv" --clusters "$scratch/whole/clusters.tsv"
"$root/scripts/slurm/near_dups.sh" "$scratch/docs" --out "$scratch/near_dups" --shards 4 -- --time 10 2>"$scratch/near_dups.log" || { cat "$scratch/near_dups.log" && exit 1; }
expect "same bytes: pairs.tsv, $(wc -l <"$scratch/whole/pairs.tsv") lines" cmp "$scratch/whole/pairs.tsv" "$scratch/near_dups/pairs.tsv"
expect "same bytes: clusters.tsv" cmp "$scratch/whole/clusters.tsv" "$scratch/near_dups/clusters.tsv"

echo "== a sweep in 4 shards"
mkdir -p "$scratch/sweep" "$scratch/collections"
cp "$scratch/all.jsonl" "$scratch/collections/planted.jsonl"
cat >"$scratch/sweep/experiment.toml" <<'TOML'
title = "A test"
[[grid]]
measure = "approximation"
collection = "planted"
weighting = ["tf", "tf_idf"]
min_df = 2
sample = 40
rnd_seed = [1, 2, 3]
sig_len = [128, 256]
threshold_sim = 80
threshold_ham = "lowest"
TOML
# The collection is no download.
sweep() {
    "$root/scripts/$1/sweep.sh" "$scratch/sweep" --shards 4 --out "$scratch/tables-$1" "${@:2}"
}
run_experiment --quiet --experiment "$scratch/sweep" --collections "$scratch/collections" --work_dir "$scratch/work" --res_dir "$scratch/tables"
sweep slurm -- --time 10 2>"$scratch/sweep.log" || { cat "$scratch/sweep.log" && exit 1; }
expect "same table: $(($(wc -l <"$scratch/tables/sweep-approximation.csv") - 1)) rows" diff -r "$scratch/tables" "$scratch/tables-slurm"

echo "== the lost shard"
code=0
wait "$chain_run" || code=$?
chain_run=
[ "$code" = 0 ] || { cat "$scratch/chain.log" && exit 1; }
requeued=$(grep -c "Requeuing JobId" "$cluster/log/slurmctld.log")
expect "$requeued job requeued; the pipeline ended $((SECONDS - lost_at)) s after the loss of $lost" [ "$requeued" -ge 1 ]
expect "same bytes: all files of the pipeline" same "$scratch/chain"
expect "no unfinished file" [ -z "$(find "$scratch/chain" -name '*.part')" ]

echo "== a shard with bad input"
cp -r "$scratch/docs" "$scratch/bad"
chain_of_bad() {
    "$root/scripts/$1/chain.sh" "$scratch/bad" --out "$scratch/chain" "${chain_flags[@]}" "${@:2}"
}
for engine in slurm parallel; do
    cp "$scratch/docs/part-05.jsonl" "$scratch/bad/"
    whole_chain "$scratch/bad"
    # The same length: sizes of files decide which shard reads what.
    sed -i '30s/^{/X/' "$scratch/bad/part-05.jsonl"
    code=0
    indented chain_of_bad "$engine" || code=$?
    expect "$engine: exit code 1" [ "$code" = 1 ]
    expect "$engine: nothing left running" nothing_runs
    sed -i '30s/^X/{/' "$scratch/bad/part-05.jsonl"
    echo "   fixed; the same command again"
    chain_of_bad "$engine" >"$scratch/resumed.log" 2>&1 || { cat "$scratch/resumed.log" && exit 1; }
    kept=$(grep -l "complete: not run again" "$scratch"/chain/logs/1-create_bows.*.log | wc -l)
    expect "$engine: 7 of 8 shards of create_bows kept" [ "$kept" = 7 ]
    expect "$engine: same bytes: all files of the pipeline" same "$scratch/chain"
done

echo "== a complete run again"
chain_of_bad parallel >"$scratch/again.log" 2>&1 || { cat "$scratch/again.log" && exit 1; }
kept=$(grep -l "complete: not run again" "$scratch"/chain/logs/*.log | wc -l)
expect "all 32 shards of 4 stages kept" [ "$kept" = 32 ]
expect "same bytes: all files of the pipeline" same "$scratch/chain"

echo "== GNU parallel"
"$root/scripts/parallel/near_dups.sh" "$scratch/docs" --out "$scratch/near_dups_parallel" --shards 4 2>"$scratch/near_dups.log" || { cat "$scratch/near_dups.log" && exit 1; }
expect "same bytes: pairs.tsv" cmp "$scratch/whole/pairs.tsv" "$scratch/near_dups_parallel/pairs.tsv"
"$root/scripts/parallel/near_dups.sh" "$scratch/docs" --out "$scratch/near_dups_parallel" --shards 4 2>"$scratch/near_dups.log"
kept=$(grep -l "complete: not run again" "$scratch"/near_dups_parallel/logs/1-*.log | wc -l)
expect "run again: all 4 shards kept" [ "$kept" = 4 ]
expect "same bytes: clusters.tsv" cmp "$scratch/whole/clusters.tsv" "$scratch/near_dups_parallel/clusters.tsv"
rm -rf "$scratch/exp/sweeps"
sweep parallel 2>"$scratch/sweep.log" || { cat "$scratch/sweep.log" && exit 1; }
expect "same table" diff -r "$scratch/tables" "$scratch/tables-parallel"

echo "== interrupted runs"
wrap find_near_dups <<'WRAPPER'
touch "$scratch/started"
exec sleep 98765
WRAPPER
for engine in slurm parallel; do
    rm -f "$scratch/started"
    "$root/scripts/$engine/near_dups.sh" "$scratch/docs" --out "$scratch/interrupted" --shards 4 2>"$scratch/interrupted.log" &
    run=$!
    await_file "$scratch/started"
    kill -TERM "$run"
    code=0
    wait "$run" || code=$?
    expect "$engine: exit code 143" [ "$code" = 143 ]
    expect "$engine: nothing left running" nothing_runs
done

echo "== no process left"
"$root/scripts/dev/slurm_down.sh" "$cluster"
left=
for pid in $daemons $(grep -lsF "$scratch" /proc/[0-9]*/environ /proc/[0-9]*/cmdline | sed -E 's|/proc/([0-9]+)/.*|\1|' | sort -u); do
    if [ "$pid" != $$ ] && [ "$pid" != "$BASHPID" ] && grep -qsE '^State:\s+[^ZX]' "/proc/$pid/status"; then
        left+=" $pid"
        tr '\0' ' ' <"/proc/$pid/cmdline" >&2
    fi
done
expect "no process left" [ -z "$left" ]
echo "test_cluster.sh: all tests passed in $SECONDS s"
