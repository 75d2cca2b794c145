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
case $prefix in
    '' | /*) ;;
    *) prefix=$PWD/$prefix ;;
esac
list=$prefix/share/nearsig/installed
names=$(for source in "$root"/src/bin/*.rs; do basename "$source" .rs; done)

# put TARGET MODE COMMAND…: the file becomes what the command prints. Under another name first: an executable that is running cannot be overwritten, but it can be
# replaced.
put() {
    local target=$1 mode=$2
    shift 2
    mkdir -p "$(dirname "$target")"
    if ! "$@" > "$target.new"; then
        rm -f "$target.new"
        exit 1
    fi
    chmod "$mode" "$target.new"
    mv -f "$target.new" "$target"
}

build() {
    cargo build --release --locked --bins --manifest-path "$root/Cargo.toml"
    mkdir -p "$exp" "$res"
    local name target=${CARGO_TARGET_DIR:-$root/target}
    for name in $names; do
        put "$root/bin/$name" 755 cat "$target/release/$name"
    done
    echo "installed in $root/bin: $(cd "$root/bin" && echo *)"
}

# Where the files of an executable belong under DIR, and what they are.
places() {
    echo "bin/$1 executable"
    echo "share/man/man1/$1.1 man"
    echo "share/bash-completion/completions/$1 bash"
    echo "share/zsh/site-functions/_$1 zsh"
    echo "share/fish/vendor_completions.d/$1.fish fish"
}

# What the list says was installed; what could not have been is passed over.
listed() {
    if [ -f "$list" ]; then grep -E '^(bin|share)/[^/]' "$list" | grep -vF '..' || true; fi
}

# Stops before anything is written if a file of another origin would be replaced: NEW and OLD are the places of this and of the last install.
check_strangers() {
    local place
    while read -r place; do
        if [ -e "$prefix/$place" ] && ! grep -qxF -- "$place" <<< "$2"; then
            echo "install.sh: $prefix/$place was not put there by this script: remove it or choose another DIR" >&2
            exit 1
        fi
    done <<< "$1"
}

# Removes the files of OLD that are not in NEW.
remove_old() {
    local place
    while read -r place; do
        if [ -n "$place" ] && ! grep -qxF -- "$place" <<< "$1"; then rm -f "$prefix/$place"; fi
    done <<< "$2"
}

install_files() {
    local bin=${NEARSIG_BIN:-$root/bin} name place what
    for name in $names; do
        while read -r place what; do
            case $what in
                executable) put "$prefix/$place" 755 cat "$bin/$name" ;;
                *) put "$prefix/$place" 644 "$bin/$name" --generate "$what" ;;
            esac
        done < <(places "$name")
    done
}

install_prefix() {
    local new old
    new=$(for name in $names; do places "$name"; done | cut -d' ' -f1)
    old=$(listed)
    check_strangers "$new" "$old"
    remove_old "$new" "$old"
    # The list comes first: what a run that is stopped leaves behind is known to the next.
    put "$list" 644 echo "$new"
    install_files
    echo "installed in $prefix: $(wc -w <<< "$names") executables, their man pages and completions"
    case :$PATH: in
        *":$prefix/bin:"*) ;;
        *) echo "$prefix/bin is not in PATH" ;;
    esac
}

if [ -n "$uninstall" ]; then
    old=$(listed)
    remove_old '' "$old"
    rm -f "$list"
    echo "removed from $prefix: $(wc -w <<< "$old") files"
    exit 0
fi
if [ -z "$prefix" ] || [ -z "${NEARSIG_BIN:-}" ]; then build; fi
if [ -n "$prefix" ]; then install_prefix; fi
