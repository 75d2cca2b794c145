"""Bible translations by chapter, from the unpacked PyPI packages pythonbible-*.

Usage: bible.py PACKAGE_DIR OUT TRUTH TRANSLATION...

PACKAGE_DIR holds one folder pythonbible_TRANSLATION per translation. Writes the chapters as JSON Lines to OUT, translation by
translation, with ids such as kjv.Genesis.1, and every pair of translations of the same chapter to TRUTH. The packages' files are
parsed, never run.
"""

import ast
import re
import sys
from itertools import combinations
from pathlib import Path

import documents

PSALMS = 19
SONG_OF_SONGS = 22
# Poems whose verses begin with the letters of the Hebrew alphabet: Psalms, Proverbs, Lamentations.
ACROSTICS = (PSALMS, 20, 25)

# The WEB file appends lines that belong to no verse to the verse before them:
# the heading of the next Psalm, and the letters that head the parts of
# Psalm 119. The Song of Songs has speakers' names between its lines. Omitted
# verses hold an editor's note.
WEB_HEADING = re.compile(r"\s+(BOOK [IV]+\s+)?Psalm \d+\b.*$|\s{2,}[A-Z]{3,}( AND [A-Z]+)?$")
WEB_SPEAKER = re.compile(r"\s(Beloved|Lover|Friends)(?=\s+[A-Z]|\s*$)")
WEB_NO_VERSE = re.compile(r"(dummy verses inserted|empty verses content detected) by amos")

# The NHEB file does the same and joins lines without a space: "my just cause.You sit". The space is restored where a line ends in
# a stop or the next begins with a capital; elsewhere two words stay joined ("saythat"), in one or two hundred places.
LETTERS = "ALEPH|BET|GIMEL|DALET|HEY|VAV|ZAYIN|HET|TET|YOD|KA(?:PH|F)|LAMED|MEM|NUN|SAMEKH|AYIN|PEY|TZADE|QOPH|RESH|SIN and SHIN|SHIN|TAV"
NHEB_LETTER = re.compile(rf"(?:{LETTERS})(?=[^A-Z]|[A-Z][a-z]|I\b|$)")
NHEB_BOOK = re.compile(r"BOOK [IV]+$")
NHEB_SPEAKER = re.compile(r"(?<=[^\w\s])(Beloved|Lover|Friends)(?=[A-Z]|\s*$)")
NHEB_LINE = re.compile(r"""(?<=[.,;:?!])(?=\w)|(?<=[.,;:?!]\])(?=\w)|(?<=["'])(?=\[)|(?<=[a-z])(?=[A-Z][a-z])""")
NHEB_QUOTE = re.compile(r"""(?<=[.,;:?!])(["']+)(?=\w)""")

# The YLT file puts the letters of Psalm 119 in brackets.
YLT_LETTER = re.compile(r"^\s*\[[A-Z][a-z]+\.\]")


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
    """Return the file name of a package's book: SAMUEL_1 -> 1_samuel."""
    name, _, number = key.lower().rpartition("_")
    return f"{number}_{name}" if number.isdigit() else key.lower()


def without_web_headings(raw, book):
    """Return a verse of the WEB file without headings, speakers and notes."""
    raw = WEB_HEADING.sub("", raw)
    if book == SONG_OF_SONGS:
        raw = WEB_SPEAKER.sub("", raw)
    return "" if WEB_NO_VERSE.search(raw) else raw


def without_nheb_joints(raw, book):
    """Return a verse of the NHEB file without headings and speakers, with spaces between its lines."""
    if book in ACROSTICS:
        raw = NHEB_LETTER.sub(" ", raw)
    if book == PSALMS:
        raw = NHEB_BOOK.sub("", raw)
    if book == SONG_OF_SONGS:
        raw = NHEB_SPEAKER.sub(" ", raw)
    return NHEB_LINE.sub(" ", NHEB_QUOTE.sub(spaced_quote, raw))


def spaced_quote(quote):
    """Return a quotation mark between a stop and a letter with a space: after it if the verse has opened one before, else before."""
    closes = quote.string.count(quote[1][0], 0, quote.start()) % 2 == 1
    return quote[1] + " " if closes else " " + quote[1]


def without_additions(raw, translation, book):
    """Return a verse without the headings and notes of its translation's file."""
    if translation == "web":
        return without_web_headings(raw, book)
    if translation == "nheb":
        return without_nheb_joints(raw, book)
    if translation == "ylt" and book == PSALMS:
        return YLT_LETTER.sub("", raw)
    return raw


def clean(raw, translation, book):
    """Return the words of one verse on one line ("" for an omitted verse)."""
    raw = without_additions(raw, translation, book)
    line = raw.replace("`", "'").replace("\u2019", "'")
    line = re.sub(r"\s*\(\s*", " (", line)
    line = re.sub(r"(?<=[.,;:?!])\[", " [", line)
    line = re.sub(r"[\[\]]", "", line)
    line = re.sub(r"\s+(?=[,.;:?!])", "", line)
    return " ".join(line.split())


def read_chapters(package_dir, translation):
    """Return {(book number, book name, chapter): text} in the books' order."""
    books, verses = read_package(Path(package_dir) / f"pythonbible_{translation}" / "plain_text_readers_bible.py")
    chapters = {}
    for verse, raw in verses.items():
        book, chapter = verse // 1000000, verse // 1000 % 1000
        line = clean(raw, translation, book)
        if line:
            chapters.setdefault((book, books[book - 1], chapter), []).append(line)
    return {key: "\n".join(lines) + "\n" for key, lines in chapters.items()}


def document_id(translation, key):
    """Return the id of a chapter: kjv.Genesis.1, kjv.1_Samuel.2, kjv.Song_of_Songs.3."""
    words = (word if word == "of" else word.capitalize() for word in key[1].split("_"))
    return f"{translation}.{'_'.join(words)}.{key[2]}"


def main():
    """Write the chapters and the true pairs."""
    package_dir, out, truth, *translations = sys.argv[1:]
    bibles = {translation: read_chapters(package_dir, translation) for translation in translations}
    chapters = sorted(next(iter(bibles.values())))
    for translation, bible in bibles.items():
        if sorted(bible) != chapters:
            raise SystemExit(f"bible.py: expected the chapters of {translations[0]} in {translation}, found others")
    documents.write(out, ((document_id(name, key), bible[key]) for name, bible in bibles.items() for key in chapters))
    with open(truth, "w", encoding="utf-8", newline="\n") as lines:
        lines.write("document_1\tdocument_2\n")
        for key in chapters:
            lines.writelines("\t".join(document_id(name, key) for name in pair) + "\n" for pair in combinations(translations, 2))


if __name__ == "__main__":
    main()
