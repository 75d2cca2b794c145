"""Compares the files of a collection with the recorded checksums, or records them.

Usage: check.py check  SUMS FOLDER NAME [changes]      exit 1 if a file differs; with `changes` only a note
       check.py record SUMS FOLDER NAME

SUMS has one line `# NAME: SOURCE` per collection (the content of NAME.source: the packages it comes from) and, per file, a line
`# FILE: N documents` and a line of sha256sum, so that `sha256sum -c` reads it too. The files of a collection are NAME.jsonl,
NAME-small.jsonl, NAME-large.jsonl and, where the true pairs are known, NAME.truth.tsv.
"""

import hashlib
import sys
from pathlib import Path

HEAD = "# Collections of scripts/collect/collections.sh: sources, number of documents or pairs, and SHA-256 of their files."


def files(folder, name):
    """Return the files of a collection that exist in the folder."""
    names = (f"{name}.jsonl", f"{name}-small.jsonl", f"{name}-large.jsonl", f"{name}.truth.tsv")
    return [file for file in names if (Path(folder) / file).exists()]


def describe(path):
    """Return (number of documents or pairs, checksum) of a file."""
    content = path.read_bytes()
    lines = content.count(b"\n")
    amount = f"{lines - 1} pairs" if path.suffix == ".tsv" else f"{lines} documents"
    return amount, hashlib.sha256(content).hexdigest()


def read_sums(path):
    """Return {collection: (source, {file: (amount, checksum)})} of a file of checksums."""
    recorded, name, amounts = {}, None, {}
    lines = path.read_text(encoding="utf-8").splitlines()[1:] if path.exists() else []
    for line in lines:
        if not line.startswith("# "):
            checksum, file = line.split("  ")
            recorded[name][1][file] = (amounts[file], checksum)
        else:
            key, _, value = line[2:].partition(": ")
            if "." in key:
                amounts[key] = value
            else:
                name = key
                recorded[name] = (value, {})
    return recorded


def write_sums(path, recorded):
    """Write a file of checksums, atomically."""
    lines = [HEAD]
    for name, (source, sums) in recorded.items():
        lines.append(f"# {name}: {source}")
        for file, (amount, checksum) in sums.items():
            lines += [f"# {file}: {amount}", f"{checksum}  {file}"]
    temporary = path.with_name(path.name + ".new")
    temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")
    temporary.replace(path)


def differences(recorded, made):
    """Yield one line per file that differs from the record."""
    for file in sorted(recorded.keys() | made.keys()):
        was, is_now = recorded.get(file), made.get(file)
        if was is None or is_now is None:
            yield f"{file}: " + ("not recorded" if was is None else "missing")
        elif was != is_now:
            yield f"{file}: {is_now[0]}, sha256 {is_now[1]}; recorded: {was[0]}, sha256 {was[1]}"


def check(sums, name, source, made, changes):
    """Print the differences; return the exit code."""
    recorded_source, recorded = read_sums(sums).get(name, ("nothing", {}))
    different = list(differences(recorded, made))
    kind = "note" if changes else "error"
    for line in different:
        print(f"collections.sh: {kind}: {line}", file=sys.stderr)
    if different and source != recorded_source:
        print(f"collections.sh: {kind}: {name} comes from {source}; recorded: {recorded_source}", file=sys.stderr)
    return 1 if different and not changes else 0


def main():
    """Check or record one collection."""
    action, sums, folder, name, *changes = sys.argv[1:]
    sums, source = Path(sums), (Path(folder) / f"{name}.source").read_text(encoding="utf-8").strip()
    made = {file: describe(Path(folder) / file) for file in files(folder, name)}
    if action == "check":
        sys.exit(check(sums, name, source, made, bool(changes)))
    write_sums(sums, {**read_sums(sums), name: (source, made)})


if __name__ == "__main__":
    main()
