"""The cost of syncing outputs to disk. Started by scripts/bench/durability.sh.

    python -m bench.durability DOCUMENTS WORK_FOLDER RESULT_FOLDER
"""

import datetime
import json
import os
import pathlib
import statistics
import sys

from bench.measure import Measurements, commit, describe_machine, remove, run_ours

REPETITIONS = 5
THREADS = 2
# Names of all outputs.
OUTPUTS = ("clean*", "kept*", "pairs*", "index", "*_paths*", "bows", "vecs", "sigs", "voc*", "full*")
PIPELINE = [
    "create_bows docs.jsonl --bow_paths bow_paths --bow_dir bows --bows_per_file 100",
    "create_voc --bow_paths bow_paths --voc_name voc",
    "create_vecs --bow_paths bow_paths --voc_name voc --vec_paths vec_paths --vec_dir vecs",
    "create_sigs --vec_paths vec_paths --sig_len 256 --rnd_dist levels --sig_paths sig_paths --sig_dir sigs",
    "hamming_full --sig_paths sig_paths --threshold 95 --out full",
]
ROWS = {
    "find_near_dups, files to a folder": ["find_near_dups docs --dedup clean/"],
    "find_near_dups, JSON Lines, pairs and index": ["find_near_dups docs.jsonl --dedup kept.jsonl --out pairs.tsv --save_index index"],
    "pipeline, 100 documents per file": PIPELINE,
}


def write_documents(folder, documents):
    """Writes the same documents as JSON Lines and as files."""
    run_ours(folder, [f"create_corpus --doc_count {documents} --out docs.jsonl"], THREADS)
    with open(folder / "docs.jsonl") as lines:
        for number, line in enumerate(lines):
            path = folder / "docs" / f"{number % 100:02}" / f"{number}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.loads(line)["text"])


def main():
    documents, work, results = int(sys.argv[1]), pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    stem = results / f"{datetime.date.today()}-{commit()}-durability"
    describe_machine(f"{stem}-machine.txt", f"scripts/bench/durability.sh {documents}")
    write_documents(work, documents)
    measurements = Measurements(stem)
    for row, commands in ROWS.items():
        seconds = {"nearsig": [], "nearsig --no_sync": []}
        for repetition in range(1, REPETITIONS + 1):
            for tool, times in seconds.items():
                remove(work, *OUTPUTS)
                os.sync()
                flag = tool.removeprefix("nearsig")
                taken, command, answer = run_ours(work, [command + flag for command in commands], THREADS)
                measurements.record(row, tool, THREADS, repetition, taken, documents, "documents", command, answer)
                times.append(taken)
        with_sync, without = (statistics.median(times) for times in seconds.values())
        print(f"{row}: {with_sync:.2f} s, without sync {without:.2f} s: {100 * (with_sync / without - 1):+.0f} %")


if __name__ == "__main__":
    main()
