"""Measures every stage that can run in shards: unsharded, in shards one after the other, and the merge.

Both runs have a folder each and relative paths, so that their files can be compared: merged bytes must be those of the unsharded run. Every process is one row of
`stages.csv`. Bytes read and written are those of the process' system calls, cached or not: what moves over the network if the files are on a shared file system.
"""

import argparse
import csv
import dataclasses
import filecmp
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time

from .measure import describe_machine, say

COLUMNS = "documents stage run index seconds peak_mb read_mb written_mb command".split()
WHOLE, SHARD, MERGE = "whole", "shard", "merge"
MEGA = 1e6
# At the end of the last message of an executable.
PEAK = re.compile(r"peak memory ([0-9.]+) MB\n?\Z")


@dataclasses.dataclass(frozen=True)
class Stage:
    """A stage: its command, its merge (`{parts}` are the parts of `output`), and the files to compare. `part` is the command of a shard if it is no flag. If
    `anew`, the output is removed before every run, which would add to it."""

    name: str
    command: str
    merge: str
    output: str
    compared: tuple
    part: str = ""
    anew: bool = False


def stages():
    """Returns the stages in an order in which each finds its inputs."""
    documents = "../docs.jsonl"
    bows = "create_bows {} --words --bow_paths bow_paths --bow_dir bows"
    return (
        Stage("create_bows", bows.format(documents), "merge_paths --out bow_paths {parts}", "bow_paths", ("bow_paths", "bows")),
        Stage(
            "create_voc",
            "create_voc --bow_paths bow_paths --voc_name voc",
            "merge_voc --voc_name voc {parts}",
            "voc",
            ("voc",),
            part="create_voc --bow_paths bow_paths.{part} --voc_name voc.{part}",
        ),
        Stage(
            "create_vecs",
            "create_vecs --bow_paths bow_paths --voc_name voc_reduced --vec_dir vecs --vec_paths vec_paths",
            "merge_paths --out vec_paths {parts}",
            "vec_paths",
            ("vec_paths", "vecs"),
        ),
        Stage(
            "create_sigs",
            "create_sigs --vec_paths vec_paths --sig_len 1024 --rnd_dist levels --sig_dir sigs --sig_paths sig_paths",
            "merge_sigs --sig_paths sig_paths --sig_dir sigs {parts}",
            "sig_paths",
            ("sig_paths", "sigs"),
        ),
        Stage("hamming", "hamming --sig_paths sig_paths --out hamming --threshold 90 --iter_count 100 --beam 50 --shift_count 70", "merge_pairs --out hamming {parts}", "hamming", ("hamming",)),
        Stage("hamming_full", "hamming_full --sig_paths sig_paths --out full --threshold 95", "merge_pairs --out full {parts}", "full", ("full",)),
        Stage("similarity", "similarity --vec_paths vec_paths --out similar --threshold 80", "merge_pairs --out similar {parts}", "similar", ("similar",)),
        Stage(
            "create_prints",
            f"create_prints {documents} --method minhash --threshold 0.7 --print_dir prints --print_paths print_paths",
            "merge_paths --out print_paths {parts}",
            "print_paths",
            ("print_paths", "prints"),
        ),
        Stage("match_prints", "match_prints --print_paths print_paths --out matches.tsv", "merge_pairs --out matches.tsv {parts}", "matches.tsv", ("matches.tsv",)),
        Stage("find_near_dups", f"find_near_dups {documents} --out pairs.tsv", "merge_pairs --out pairs.tsv {parts}", "pairs.tsv", ("pairs.tsv",)),
        Stage("ngram_index", f"ngram_index add {documents} --index index", "merge_index --index index {parts}", "index", ("index",), anew=True),
        Stage("ngram_search", "ngram_search --index index ../queries.jsonl --format jsonl --out found.jsonl", "cat {parts} > found.jsonl", "found.jsonl", ("found.jsonl",)),
    )


# Between stages, in both folders and not measured.
AFTER = {"create_voc": "reduce_voc --old_voc_name voc --new_voc_name voc_reduced --min_df 2 --max_df 1e18"}


def part_name(output, part):
    """Returns the name of a part: `.I-of-N` before the extension."""
    path = pathlib.PurePath(output)
    return f"{path.stem}.{part}{path.suffix}"


def run(folder, command):
    """Runs a command in a folder; `> FILE` at its end keeps its output. Returns its seconds, peak memory, bytes read and bytes written, all but the first in MB."""
    words, _, target = command.partition(" > ")
    with open(folder / "messages", "w+") as messages, open(folder / target if target else os.devnull, "w") as output:
        start = time.perf_counter()
        process = subprocess.Popen(words.split(), cwd=folder, stdout=output, stderr=messages)
        # The counts of a process are there until somebody asks for its exit code.
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        seconds = time.perf_counter() - start
        with open(f"/proc/{process.pid}/io") as counts:
            io = dict(line.split(": ") for line in counts.read().splitlines())
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        messages.seek(0)
        told = messages.read()
        if process.returncode != 0:
            raise RuntimeError(f"{command}: exit code {process.returncode}: {told[-500:]}")
    # What the system knows begins with the memory of this process, before it became the executable.
    peak = PEAK.search(told)
    megabytes = float(peak[1]) if peak else usage.ru_maxrss * 1024 / MEGA
    return seconds, megabytes, int(io["rchar"]) / MEGA, int(io["wchar"]) / MEGA


class Table:
    """Rows of `stages.csv`, saved after each one."""

    def __init__(self, path, documents):
        self.path, self.documents = path, documents

    def measure(self, folder, stage, kind, index, command, repetitions, removed=None):
        """Runs a command several times and keeps the median time and the largest of the other values."""
        found = []
        for _ in range(repetitions):
            if removed:
                shutil.rmtree(folder / removed, ignore_errors=True)
            found.append(run(folder, command))
        seconds = statistics.median(one[0] for one in found)
        others = [max(one[column] for one in found) for column in (1, 2, 3)]
        with open(self.path, "a", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            if file.tell() == 0:
                writer.writerow(COLUMNS)
            writer.writerow([self.documents, stage, kind, index, f"{seconds:.4f}", *(f"{value:.3f}" for value in others), command])
        return seconds


def differences(whole, merged, names):
    """Returns the files and folders of these names whose bytes differ; parts are left out."""
    found_names = []
    for name in names:
        left, right = whole / name, merged / name
        found = [path.relative_to(whole) for path in (sorted(left.rglob("*")) if left.is_dir() else [left]) if path.is_file()]
        found = [path for path in found if "-of-" not in path.name]
        differing = [str(path) for path in found if not (merged / path).is_file() or not filecmp.cmp(whole / path, merged / path, shallow=False)]
        if not found or differing or not right.exists():
            found_names.append(f"{name} ({', '.join(differing) or 'no files'})")
    return found_names


def measure_stage(stage, table, work, shards, repetitions):
    """Measures one stage in both folders. Returns the outputs whose merged bytes differ from those of the unsharded run."""
    whole, parts = work / "whole", work / "parts"
    removed = stage.output if stage.anew else None
    alone = table.measure(whole, stage.name, WHOLE, 0, stage.command, repetitions, removed)
    total = 0.0
    names = [f"{index}-of-{shards}" for index in range(1, shards + 1)]
    for index, name in enumerate(names, 1):
        command = stage.part.format(part=name) if stage.part else f"{stage.command} --shard {index}/{shards}"
        total += table.measure(parts, stage.name, SHARD, index, command, repetitions, removed and part_name(removed, name))
    merge = stage.merge.format(parts=" ".join(part_name(stage.output, name) for name in names))
    total += table.measure(parts, stage.name, MERGE, 0, merge, repetitions, removed)
    say(f"{stage.name}: unsharded {alone:.2f} s, {shards} shards and merge {total:.2f} s: {total / alone:.2f}×")
    return differences(whole, parts, stage.compared)


def collection(work, documents):
    """Creates the documents, and a part of them as queries."""
    path = work / "docs.jsonl"
    run(work, f"create_corpus --doc_count {documents} --out docs.jsonl")
    with open(path) as lines, open(work / "queries.jsonl", "w") as queries:
        for number, line in enumerate(lines):
            if number % 100 == 0:
                queries.write(line)


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("documents", type=int)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--shards", type=int, default=8)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--stages", nargs="*", help="only these, in order; their inputs must be there")
    flags = parser.parse_args()
    flags.results.mkdir(parents=True, exist_ok=True)
    path = flags.results / "stages.csv"
    path.unlink(missing_ok=True)
    describe_machine(flags.results / "machine.txt", f"scripts/bench/scale.sh {flags.documents} {flags.shards}")
    wanted = [stage for stage in stages() if not flags.stages or stage.name in flags.stages]
    missing = {name for stage in wanted for name in (stage.command.split()[0], stage.merge.split()[0]) if not shutil.which(name)}
    if missing:
        parser.error(f"not found: {', '.join(sorted(missing))}")
    differing = []
    # Smaller collections first, unsharded: how the time of a stage grows.
    for documents in (flags.documents // 4, flags.documents // 2, flags.documents):
        fresh(flags.work)
        for folder in ("whole", "parts"):
            (flags.work / folder).mkdir()
        collection(flags.work, documents)
        table = Table(path, documents)
        for stage in wanted:
            if documents == flags.documents:
                differing += measure_stage(stage, table, flags.work, flags.shards, flags.repetitions)
            else:
                table.measure(flags.work / "whole", stage.name, WHOLE, 0, stage.command, flags.repetitions, stage.output if stage.anew else None)
            for folder in ("whole", "parts") if documents == flags.documents else ("whole",):
                if stage.name in AFTER:
                    run(flags.work / folder, AFTER[stage.name])
    if differing:
        say(f"merged bytes differ from the unsharded run: {'; '.join(differing)}")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
