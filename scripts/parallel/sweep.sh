#!/usr/bin/env bash
# The parameter grid of an experiment, exp/EXPERIMENT, in N shards of rows: the tables of an unsharded run in res/experiments or DIR.
# Runs the shards of a stage with GNU parallel; options after '--' go to it, such as --jobs or --sshlogin. Run again, it keeps complete shards. A failed
# shard is reported at once with its log; the exit code is then 1. With --sshlogin, DIR must be visible on all machines under the same path.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
source "$root/scripts/parallel/run.sh"
run_workflow sweep "$@"
