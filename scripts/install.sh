#!/usr/bin/env bash
# Builds all executables into bin/ and creates exp/ for working data and res/ for results.
#
# With --prefix DIR, also installs them to DIR/bin, their man pages to DIR/share/man/man1 and their completions for
# bash, zsh and fish below DIR/share. DIR/share/nearsig/installed lists the installed files: a later install removes
# obsolete ones, --uninstall removes all of them and nothing else. If NEARSIG_BIN is set, the executables for DIR come
# from there and nothing is built.
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
[ -z "$prefix" ] || prefix=$(absolute "$prefix")
list=$prefix/share/nearsig/installed
names=$(for source in "$root"/src/bin/*.rs; do basename "$source" .rs; done)

# put TARGET MODE COMMAND…: writes the output of a command to a file. Writes to a temporary name, then renames: a
# running executable cannot be overwritten, but replaced.
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
    local name
    for name in $names; do
        put "$root/bin/$name" 755 cat "$target/release/$name"
    done
    echo "installed in $root/bin: $(cd "$root/bin" && echo *)"
}

# places NAME: the files of an executable below DIR, and what they are.
places() {
    echo "bin/$1 executable"
    echo "share/man/man1/$1.1 man"
    echo "share/bash-completion/completions/$1 bash"
    echo "share/zsh/site-functions/_$1 zsh"
    echo "share/fish/vendor_completions.d/$1.fish fish"
}

# listed: the installed files according to the list. Skips entries that no install can have written.
listed() {
    if [ -f "$list" ]; then grep -E '^(bin|share)/[^/]' "$list" | grep -vF '..' || true; fi
}

# check_foreign NEW OLD: exits before anything is written if a file of NEW exists and no earlier install put it there.
check_foreign() {
    local place
    while read -r place; do
        if [ -e "$prefix/$place" ] && ! grep -qxF -- "$place" <<< "$2"; then
            fail "$prefix/$place was not installed by this script: remove it or choose another DIR"
        fi
    done <<< "$1"
}

# remove_old NEW OLD: removes the files of OLD that are not in NEW.
remove_old() {
    local place
    while read -r place; do
        if [ -n "$place" ] && ! grep -qxF -- "$place" <<< "$1"; then rm -f "$prefix/$place"; fi
    done <<< "$2"
}

install_files() {
    local name place what
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
    check_foreign "$new" "$old"
    remove_old "$new" "$old"
    # The list is written first, so the next install knows the files of an interrupted one.
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
