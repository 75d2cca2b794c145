#!/usr/bin/env bash
# Creates text collections of nine languages in exp/collections/languages, or NEARSIG_COLLECTIONS/languages: LANGUAGE.jsonl with one
# {"id": …, "text": …} per line, and SOURCE with the packages. The texts are messages of LibreOffice, Evolution and VLC in their
# translations, from packages of apt; English is what the translations into Russian translate. Needs apt-get and dpkg-deb, not root, and
# python3. Existing collections are kept.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
source "$root/scripts/collect/fetch.sh"
usage 0 "" "$@"
folder=${NEARSIG_COLLECTIONS:-$exp/collections}/languages
packages=(libreoffice-l10n-{zh-cn,ja,ko,th,hi,ar,ru,el} evolution-common vlc-l10n)
# Language and the name of its catalogues.
languages=(zh:zh_CN ja:ja ko:ko th:th hi:hi ar:ar ru:ru el:el en:ru)

[ ! -e "$folder" ] || { echo "$folder exists"; exit 0; }
need_tool "the collections of languages" apt-get
need_tool "the collections of languages" dpkg-deb
making=$folder.making
rm -rf "$making"
mkdir -p "$making/packages"
trap 'rm -rf "$making"' EXIT
fetch_debs "$making/packages/debs" "${packages[@]}"
for pair in "${languages[@]}"; do
    language=${pair%:*} locale=${pair#*:} usr=$making/packages/debs/usr
    python3 "$root/scripts/collect/languages.py" "$language" "$making/$language.jsonl" \
        "$usr/lib/libreoffice/program/resource/$locale" "$usr/share/locale/$locale"
done
(cd "$making/packages/debs.apt" && printf '%s\n' *.deb) | sed 's/_all\.deb$//; s/_/ /; s/%3a/:/' >"$making/SOURCE"
rm -rf "$making/packages"
mv "$making" "$folder"
wc -l "$folder"/*.jsonl
