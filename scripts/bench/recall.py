"""Recall of find_near_dups by signatures against its guarantee. Started by scripts/bench/recall.sh.

    python -m bench.recall COLLECTIONS_FOLDER WORK_FOLDER RESULT_FOLDER SEEDS

Writes recall.csv with one row per run, and known_pairs.csv with precision and recall where the true pairs are known.
"""

import csv
import pathlib
import re
import subprocess
import sys

THRESHOLDS = ("0.7", "0.8", "0.9", "0.95")
COLLECTIONS = ("reuters", "bible")
METHODS = ("scan", "join", "tables")
# Below this threshold the join has nearly as many chunks as bits and compares everything many times.
MIN_JOIN_THRESHOLD = 0.95
# Pairs with a cosine up to this much above the threshold are near it.
NEAR = 0.01
COLUMNS = "collection threshold method seed pairs found wrong near near_found promised".split()


def find(work, corpus, threshold, *flags):
    """Runs find_near_dups. Returns the pairs with their cosines, and the summary."""
    out = work / "pairs.tsv"
    command = ["find_near_dups", corpus, "--threshold", threshold, "--out", out, *flags]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        sys.exit(ran.stderr)
    with open(out, newline="") as lines:
        rows = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        next(rows)
        return {(one, other): float(similarity) for similarity, one, other in rows}, ran.stderr


def guarantee(summary):
    """Returns the method and the recall a summary states: `method join, distance <= 80, recall >= 0.99903`."""
    stated = re.search(r"method (\w+).*?, recall (?:>= )?([0-9.]*[0-9])", summary)
    if not stated:
        sys.exit(f"recall.py: expected a method and a recall in the summary, found: {summary}")
    return stated.group(1), float(stated.group(2))


def measure(collections, work, seeds):
    """Yields one row per run of a method that can meet the guarantee."""
    for name in COLLECTIONS:
        corpus = collections / f"{name}.jsonl"
        for threshold in THRESHOLDS:
            exact, _ = find(work, corpus, threshold, "--exact")
            near = {pair for pair, cosine in exact.items() if cosine < float(threshold) + NEAR}
            for method in METHODS:
                if method == "join" and float(threshold) < MIN_JOIN_THRESHOLD:
                    continue
                for seed in range(1, seeds + 1):
                    found, summary = find(work, corpus, threshold, "--method", method, "--rnd_seed", str(seed))
                    used, promised = guarantee(summary)
                    if used != method:
                        break
                    wrong = sum(exact.get(pair) != cosine for pair, cosine in found.items())
                    yield [name, threshold, method, seed, len(exact), len(found), wrong, len(near), len(near & found.keys()), promised]


def known_pairs(collections, work):
    """Yields threshold, pairs, precision and recall against the same chapters of other translations."""
    with open(collections / "bible.truth.tsv", newline="") as lines:
        known = {frozenset(row) for row in list(csv.reader(lines, delimiter="\t"))[1:]}
    for threshold in ("0.6", *THRESHOLDS):
        found, _ = find(work, collections / "bible.jsonl", threshold)
        right = sum(frozenset(pair) in known for pair in found)
        yield [threshold, len(found), f"{right / len(found):.4f}", f"{right / len(known):.4f}"]


def save(path, columns, rows):
    """Writes rows as they come; returns them."""
    kept = []
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for row in rows:
            writer.writerow(row)
            file.flush()
            kept.append(row)
    return kept


def main(collections, work, results, seeds):
    collections, work, results = map(pathlib.Path, (collections, work, results))
    rows = save(results / "recall.csv", COLUMNS, measure(collections, work, int(seeds)))
    save(results / "known_pairs.csv", ["threshold", "pairs", "precision", "recall"], known_pairs(collections, work))
    wrong = [row for row in rows if row[COLUMNS.index("wrong")]]
    sys.exit(f"false positives: {wrong}" if wrong else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
