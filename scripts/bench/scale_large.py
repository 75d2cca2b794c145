"""find_near_dups in shards on a collection that outgrows the memory of a task, and its pairs next to those of an unsharded run on a part.

    python -m bench.scale_large DOCUMENTS SHARDS PART WORK RESULTS

Shards run one after the other. Every process is one row of RESULTS/large.csv, saved after each one. A shard that is complete is not run again.
"""

import argparse
import csv
import pathlib
import subprocess
import sys

from .measure import describe_machine, say
from .scale import MERGE, SHARD, WHOLE, part_name, run

COLUMNS = "documents run index seconds peak_mb read_mb written_mb pairs command".split()
DOCUMENTS_PER_FILE = 250_000
PAIRS = "pairs.tsv"


def create_documents(folder, documents):
    """Writes the collection in files, as a shard of one large file would have to count the lines before its own."""
    if folder.exists():
        return
    part = folder.with_name(folder.name + ".part")
    part.mkdir(parents=True)
    split = f"split --lines {DOCUMENTS_PER_FILE} --numeric-suffixes --suffix-length 4 --additional-suffix .jsonl - {part}/"
    subprocess.run(["bash", "-o", "pipefail", "-c", f"create_corpus --quiet --doc_count {documents} --out - | {split}"], check=True)
    part.rename(folder)


def lines_of(path):
    """Returns the number of pairs in a file; its first line is a header."""
    with open(path, "rb") as file:
        return sum(1 for _ in file) - 1


def measure(work, table, documents, kind, index, command, output):
    seconds, peak, read, written = run(work, command)
    pairs = lines_of(work / output)
    row = [documents, kind, index, f"{seconds:.2f}", f"{peak:.1f}", f"{read:.0f}", f"{written:.0f}", pairs, command]
    with open(table, "a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if file.tell() == 0:
            writer.writerow(COLUMNS)
        writer.writerow(row)
    say(f"{kind} {index or ''}: {seconds:.1f} s, {peak:.0f} MB, {pairs} pairs")


def pairs_within(path, documents):
    """Returns the lines of pairs of the first documents; ids are numbers from 1."""
    with open(path) as file:
        rows = csv.reader(file, delimiter="\t")
        header = next(rows)
        first, second = header.index("document_1"), header.index("document_2")
        return sorted(tuple(row) for row in rows if int(row[first]) <= documents and int(row[second]) <= documents)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("documents", "shards", "part"):
        parser.add_argument(name, type=int)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("results", type=pathlib.Path)
    flags = parser.parse_args()
    flags.results.mkdir(parents=True, exist_ok=True)
    table = flags.results / "large.csv"
    table.unlink(missing_ok=True)
    describe_machine(flags.results / "large-machine.txt", f"scripts/bench/scale.sh large {flags.documents} {flags.shards} {flags.part}")
    create_documents(flags.work / "docs", flags.documents)
    names = [f"{index}-of-{flags.shards}" for index in range(1, flags.shards + 1)]
    for index, name in enumerate(names, 1):
        command = f"find_near_dups docs --out {PAIRS} --shard {index}/{flags.shards}"
        measure(flags.work, table, flags.documents, SHARD, index, command, part_name(PAIRS, name))
    parts = " ".join(part_name(PAIRS, name) for name in names)
    measure(flags.work, table, flags.documents, MERGE, 0, f"merge_pairs --out {PAIRS} {parts}", PAIRS)
    files = sorted((flags.work / "docs").iterdir())[: flags.part // DOCUMENTS_PER_FILE]
    whole = f"find_near_dups {' '.join(str(file.relative_to(flags.work)) for file in files)} --out whole.tsv"
    measure(flags.work, table, flags.part, WHOLE, 0, whole, "whole.tsv")
    ours, theirs = pairs_within(flags.work / PAIRS, flags.part), pairs_within(flags.work / "whole.tsv", flags.part)
    say(f"pairs of the first {flags.part} documents: {len(ours)} of the shards, {len(theirs)} unsharded: {'the same' if ours == theirs else 'DIFFERENT'}")
    return 0 if ours == theirs else 1


if __name__ == "__main__":
    sys.exit(main())
