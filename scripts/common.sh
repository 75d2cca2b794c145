# What the scripts of the chain share; sourced, not run.
# Executables come from bin/, working data go to exp/ and results to res/ of the project, or to $NEARSIG_BIN, $NEARSIG_EXP and $NEARSIG_RES where
# these are set. Paths are absolute, so that a script works from any folder and the lists it writes can be read from any other.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
exp=${NEARSIG_EXP:-$root/exp}
res=${NEARSIG_RES:-$root/res}
PATH=${NEARSIG_BIN:-$root/bin}:$PATH

# usage COUNT TEXT "$@": stops unless at least COUNT arguments are there.
usage() {
    local needed=$1 text=$2
    shift 2
    if [ $# -lt "$needed" ] || [ "${1:-}" = -h ] || [ "${1:-}" = --help ]; then
        echo "usage: $(basename "$0") $text" >&2
        exit 2
    fi
}

# Stops with a hint if the executables are not installed yet.
need_executables() {
    if ! command -v create_bows >/dev/null; then
        echo "$(basename "$0"): no executables in $root/bin: run scripts/install.sh first" >&2
        exit 1
    fi
    mkdir -p "$exp" "$res"
}
