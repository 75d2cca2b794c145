"""Descriptions of packages, from the files of translations that apt keeps.

Usage: debian.py OUT < TRANSLATIONS

A description is its short line and its long text, without the marks that Debian's control files put in front of lines. A package is
called by its name and stands once, sorted by name; the first of several descriptions counts, which are mostly the same text in an
archive and in its security updates.
"""

import re
import sys

import documents

ENTRY = re.compile(r"Package: (\S+)\n(?:[A-Z][\w-]*: .*\n)*?Description-en: (.*)", re.DOTALL)


def descriptions(translations):
    """{package: description}; the first description of a package counts."""
    found = {}
    for entry in translations.split("\n\n"):
        matched = ENTRY.match(entry.strip("\n"))
        if matched:
            found.setdefault(matched[1], plain(matched[2]))
        elif entry.strip():
            raise SystemExit(f"an entry without Package and Description-en: {entry[:100]!r}")
    return found


def plain(description):
    """Lines lose the space in front of them, and a stop that stands for an empty line goes."""
    lines = (line[1:] if line.startswith(" ") else line for line in description.split("\n"))
    return "\n".join("" if line == "." else line.rstrip() for line in lines)


def main():
    found = descriptions(sys.stdin.buffer.read().decode("utf-8"))
    if not found:
        raise SystemExit("apt has no English descriptions")
    documents.write(sys.argv[1], sorted(found.items()))


if __name__ == "__main__":
    main()
