#!/usr/bin/env bash
# Vectors to signatures of 1024 bits. Further flags go to create_sigs, e.g. -rnd_seed or -use_hdd.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
usage 0 "[create_sigs flags]" "$@"
need_executables

create_sigs -vec_paths "$exp/vec_paths" -sig_len 1024 -sig_dir "$exp/sigs" -sig_paths "$exp/sig_paths" "$@"
