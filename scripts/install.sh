#!/usr/bin/env bash
# Builds all executables and puts them into bin/; makes exp/ for working data and res/ for results.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

cargo build --release --locked --bins --manifest-path "$root/Cargo.toml"
mkdir -p "$root/bin" "$exp" "$res"
target=${CARGO_TARGET_DIR:-$root/target}
for source in "$root"/src/bin/*.rs; do
    name=$(basename "$source" .rs)
    # Under another name first: an executable that is running cannot be overwritten, but it can be replaced.
    cp "$target/release/$name" "$root/bin/.$name.new"
    mv "$root/bin/.$name.new" "$root/bin/$name"
done
echo "installed in $root/bin: $(cd "$root/bin" && echo *)"
