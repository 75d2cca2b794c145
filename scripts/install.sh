#!/usr/bin/env bash
# Builds all executables and puts them into bin/; makes exp/ for working data and res/ for results.
#
# With --prefix DIR also puts them into DIR/bin, their man pages into DIR/share/man/man1 and their completions for bash, zsh and fish where these shells look under
# DIR/share. What was put there is listed in DIR/share/nearsig/installed: a later install removes what it no longer has, --uninstall removes all of it and nothing else.
# Where NEARSIG_BIN is set, the executables for DIR are taken from there and nothing is built.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage_text='[--prefix DIR [--uninstall]]'
prefix=
uninstall=
while [ $# -gt 0 ]; do
    case $1 in
        --prefix) [ -n "${2:-}" ] || usage 1 "$usage_text"; prefix=$2; shift ;;
        --prefix=?*) prefix=${1#--prefix=} ;;
        --uninstall) uninstall=yes ;;
        *) usage 1 "$usage_text" ;;
    esac
    shift
done
[ -z "$uninstall" ] || [ -n "$prefix" ] || usage 1 "$usage_text"
list=$prefix/share/nearsig/installed

names() {
    local source
    for source in "$root"/src/bin/*.rs; do basename "$source" .rs; done
}

# replace TARGET: standard input becomes the file. Under another name first: an executable that is running cannot be overwritten, but it can be replaced.
replace() {
    mkdir -p "$(dirname "$1")"
    cat > "$1.new"
    mv -f "$1.new" "$1"
}

build() {
    cargo build --release --locked --bins --manifest-path "$root/Cargo.toml"
    mkdir -p "$root/bin" "$exp" "$res"
    local name target=${CARGO_TARGET_DIR:-$root/target}
    for name in $(names); do
        replace_executable "$target/release/$name" "$root/bin/$name"
    done
    echo "installed in $root/bin: $(cd "$root/bin" && echo *)"
}

replace_executable() {
    mkdir -p "$(dirname "$2")"
    cp "$1" "$2.new"
    chmod 755 "$2.new"
    mv -f "$2.new" "$2"
}

# The files of one executable, by what they are and where they belong under DIR.
places() {
    echo "executable bin/$1"
    echo "man share/man/man1/$1.1"
    echo "bash share/bash-completion/completions/$1"
    echo "zsh share/zsh/site-functions/_$1"
    echo "fish share/fish/vendor_completions.d/$1.fish"
}

all_places() {
    local name
    for name in $(names); do places "$name" | cut -d' ' -f2; done
}

# What the list says was installed; what could not have been is passed over.
listed() {
    if [ -f "$list" ]; then grep -E '^(bin|share)/[^/]' "$list" | grep -vF '..' || true; fi
}

# Stops before anything is written if a file of another origin would be replaced.
check_strangers() {
    local place
    while read -r place; do
        if [ -e "$prefix/$place" ] && ! listed | grep -qxF "$place"; then
            echo "install.sh: $prefix/$place was not put there by this script: remove it or choose another DIR" >&2
            exit 1
        fi
    done < <(all_places)
}

remove_listed_without() {
    local place
    while read -r place; do
        if ! grep -qxF "$place" <<< "$1"; then rm -f "$prefix/$place"; fi
    done < <(listed)
}

install_prefix() {
    local bin=${NEARSIG_BIN:-$root/bin} name what place
    check_strangers
    remove_listed_without "$(all_places)"
    # The list first: what a run that is stopped leaves behind is known to the next.
    all_places | replace "$list"
    for name in $(names); do
        while read -r what place; do
            case $what in
                executable) replace_executable "$bin/$name" "$prefix/$place" ;;
                *) "$bin/$name" --generate "$what" | replace "$prefix/$place" ;;
            esac
        done < <(places "$name")
    done
    echo "installed in $prefix: $(names | wc -l) executables, their man pages and completions"
    case :$PATH: in
        *":$prefix/bin:"*) ;;
        *) echo "$prefix/bin is not in PATH" ;;
    esac
}

if [ -n "$uninstall" ]; then
    count=$(listed | wc -l)
    remove_listed_without ''
    rm -f "$list"
    echo "removed from $prefix: $count files"
    exit 0
fi
if [ -z "$prefix" ] || [ -z "${NEARSIG_BIN:-}" ]; then build; fi
if [ -n "$prefix" ]; then
    mkdir -p "$prefix"
    prefix=$(cd "$prefix" && pwd)
    list=$prefix/share/nearsig/installed
    install_prefix
fi
