"""Package descriptions, from apt's translation files.

Usage: debian.py OUT < TRANSLATIONS

A document is the short line and the long text of a description, without the marks that Debian's control files put in front of
lines. Its id is the package's name. Documents are sorted by name; the first of several descriptions is taken (they are mostly the
same text in an archive and in its security updates).
"""

import re
import sys

import documents

ENTRY = re.compile(r"Package: (\S+)\n(?:[A-Z][\w-]*: .*\n)*?Description-en: (.*)", re.DOTALL)


def descriptions(translations):
    """Return {package: description}; the first description of a package wins."""
    found = {}
    for entry in translations.split("\n\n"):
        matched = ENTRY.match(entry.strip("\n"))
        if matched:
            found.setdefault(matched[1], plain(matched[2]))
        elif entry.strip():
            raise SystemExit(f"debian.py: expected Package and Description-en, found {entry[:100]!r}")
    return found


def plain(description):
    """Return a description without the leading space of its lines and the stops that mark empty lines."""
    lines = (line.removeprefix(" ") for line in description.split("\n"))
    return "\n".join("" if line == "." else line.rstrip() for line in lines)


def main():
    """Write all descriptions."""
    found = descriptions(sys.stdin.buffer.read().decode("utf-8"))
    if not found:
        raise SystemExit("debian.py: expected English descriptions, found none")
    documents.write(sys.argv[1], sorted(found.items()))


if __name__ == "__main__":
    main()
