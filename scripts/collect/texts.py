"""Text files of a folder as JSON Lines.

Usage: texts.py [--body] OUT FOLDER GLOB...

A document is a file below FOLDER, its id the relative path. GLOBs match file names without `.gz`; such files are decompressed.
Symbolic links, blank files and files with a zero byte are left out. UTF-8 is expected; other text is read as Latin-1. With --body,
a header between two lines `---` is left out.
"""

import gzip
import sys
from fnmatch import fnmatchcase
from pathlib import Path

import documents


def texts(folder, globs):
    """Yield (relative path, text) per file, in the order of paths."""
    for path in sorted(folder.rglob("*")):
        if any(fnmatchcase(path.name.removesuffix(".gz"), glob) for glob in globs) and path.is_file() and not path.is_symlink():
            content = path.read_bytes()
            text = decode(gzip.decompress(content) if path.suffix == ".gz" else content)
            if text.strip() and "\0" not in text:
                yield path.relative_to(folder).as_posix(), text


def decode(content):
    """Return the text of some bytes."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def body(text):
    """Return the text after a header between two lines `---`."""
    head, mark, rest = text.partition("\n---\n")
    return rest.lstrip("\n") if mark and head.startswith("---\n") else text


def main():
    """Write all documents."""
    arguments = sys.argv[1:]
    is_body = arguments[0] == "--body"
    out, folder, *globs = arguments[is_body:]
    found = ((name, body(text) if is_body else text) for name, text in texts(Path(folder), globs))
    documents.write(out, (document for document in found if document[1].strip()))


if __name__ == "__main__":
    main()
