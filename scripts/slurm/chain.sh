#!/usr/bin/env bash
# Documents to similar pairs through the whole pipeline (create_bows to hamming), each stage in N shards: DIR/pairs has the bytes of an unsharded run.
# One Slurm job array per stage; options after '--' go to sbatch, such as --partition, --account, --time, --mem or --cpus-per-task. Run again, it keeps
# complete shards. A failed shard is reported at once with its log; the exit code is then 1. DIR must be visible on all nodes under the same path.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
source "$root/scripts/slurm/submit.sh"
run_workflow chain "$@"
