#!/usr/bin/env bash
# The parameter grid of an experiment, exp/EXPERIMENT, in N shards of rows: the tables of an unsharded run in res/experiments or DIR.
# One Slurm job array per stage; options after '--' go to sbatch, such as --partition, --account, --time, --mem or --cpus-per-task. Run again, it keeps
# complete shards. A failed shard is reported at once with its log; the exit code is then 1. DIR must be visible on all nodes under the same path.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
source "$root/scripts/slurm/submit.sh"
run_workflow sweep "$@"
