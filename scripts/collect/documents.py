"""Reads and writes collections as JSON Lines."""

import json
import signal

# Ctrl-C ends the process without a traceback; the calling script removes its files.
signal.signal(signal.SIGINT, signal.SIG_DFL)


def write(path, documents):
    """Write (id, text) pairs, one {"id": …, "text": …} per line. Duplicate ids are an error."""
    seen = set()
    with open(path, "w", encoding="utf-8", newline="\n") as lines:
        for name, text in documents:
            if name in seen:
                raise SystemExit(f"{path}: duplicate document id {name!r}")
            seen.add(name)
            lines.write(json.dumps({"id": name, "text": text}, ensure_ascii=False) + "\n")


def read(path):
    """Return (id, line) pairs; lines are bytes with their ends. Bytes are split, not text, because U+2028 ends no line."""
    with open(path, "rb") as lines:
        return [(json.loads(line)["id"], line) for line in lines]
