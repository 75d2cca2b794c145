#!/usr/bin/env bash
# Documents to similar pairs through the whole pipeline (create_bows to hamming), each stage in N shards: DIR/pairs has the bytes of an unsharded run.
# Runs the shards of a stage with GNU parallel; options after '--' go to it, such as --jobs or --sshlogin. Run again, it keeps complete shards. A failed
# shard is reported at once with its log; the exit code is then 1. With --sshlogin, DIR must be visible on all machines under the same path.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
source "$root/scripts/parallel/run.sh"
run_workflow chain "$@"
