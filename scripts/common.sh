# shellcheck shell=bash disable=SC2034
# Settings and helpers shared by all scripts. Sourced, not run.
#
# NEARSIG_BIN, NEARSIG_EXP and NEARSIG_RES name the folders of executables, working data and results
# (default: bin/, exp/ and res/ of the project); scripts/README.md lists all variables. Paths are made
# absolute: a script works from any folder, and the lists it writes can be read from any other.

# absolute PATH: the path, relative to the folder the script was started in.
absolute() {
    case $1 in
        /*) echo "$1" ;;
        *) echo "$PWD/$1" ;;
    esac
}

for variable in NEARSIG_BIN NEARSIG_EXP NEARSIG_RES NEARSIG_COLLECTIONS NEARSIG_VENV CARGO_TARGET_DIR; do
    [ -z "${!variable:-}" ] || export "$variable=$(absolute "${!variable}")"
done
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
bin=${NEARSIG_BIN:-$root/bin}
exp=${NEARSIG_EXP:-$root/exp}
res=${NEARSIG_RES:-$root/res}
target=${CARGO_TARGET_DIR:-$root/target}
PATH=$bin:$PATH

# usage COUNT TEXT "$@": prints the usage and exits if fewer than COUNT arguments are given, or -h.
usage() {
    local needed=$1 text=$2
    shift 2
    if [ $# -lt "$needed" ] || [ "${1:-}" = -h ] || [ "${1:-}" = --help ]; then
        echo "usage: $(basename "$0") $text" >&2
        exit 2
    fi
}

# fail MESSAGE: prints the message with the script's name and exits.
fail() {
    echo "$(basename "$0"): $1" >&2
    exit 1
}

# need_executables: exits with a hint if the executables are not installed.
need_executables() {
    command -v create_bows >/dev/null || fail "no executables in $bin: run scripts/install.sh first"
    mkdir -p "$exp" "$res"
}

# build_executables: builds and installs all executables, unless NEARSIG_BIN names a folder of them.
build_executables() {
    [ -n "${NEARSIG_BIN:-}" ] || "$root/scripts/install.sh"
    need_executables
}

# find_browser: prints the path of a browser the tests of the report page can drive; fails without.
find_browser() {
    local name
    for name in ${NEARSIG_BROWSER:+"$NEARSIG_BROWSER"} chromium chromium-browser google-chrome google-chrome-stable; do
        ! command -v "$name" || return 0
    done
    return 1
}
