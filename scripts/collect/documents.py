"""Documents as JSON lines: what every maker of a collection writes with."""

import json
import signal

# Ctrl-C ends a maker of a collection without a trace of where it was; who started it tidies up.
signal.signal(signal.SIGINT, signal.SIG_DFL)


def write(path, documents):
    """Write (id, text) pairs, one {"id": …, "text": …} a line, in the order they come. Two with the same id are an error."""
    seen = set()
    with open(path, "w", encoding="utf-8", newline="\n") as lines:
        for name, text in documents:
            if name in seen:
                raise SystemExit(f"{path}: two documents are called {name}")
            seen.add(name)
            lines.write(json.dumps({"id": name, "text": text}, ensure_ascii=False) + "\n")


def read(path):
    """The (id, line) pairs of a collection, lines as bytes with their ends. U+2028 ends no line: bytes are split, not text."""
    with open(path, "rb") as lines:
        return [(json.loads(line)["id"], line) for line in lines]
