"""Writes the documents of exp/sample as JSON Lines.

Usage: sample.py PROJECT OUT

PROJECT is the project's folder. Ids are the relative paths of exp/sample/doc_list.
"""

import sys
from pathlib import Path

import documents


def main():
    """Write all documents."""
    project, out = Path(sys.argv[1]), sys.argv[2]
    names = (project / "exp/sample/doc_list").read_text(encoding="utf-8").split()
    documents.write(out, ((name, (project / name).read_text(encoding="utf-8")) for name in names))


if __name__ == "__main__":
    main()
