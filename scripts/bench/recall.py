"""Which share of the pairs find_near_dups finds, against what it promises. Started by scripts/recall_guarantee.sh.

    recall.py COLLECTIONS_FOLDER WORK_FOLDER RESULT.csv SEEDS

Prints tables for the README; the result has a line for every run.
"""

import csv
import pathlib
import re
import subprocess
import sys

THRESHOLDS = ("0.7", "0.8", "0.9", "0.95")
COLLECTIONS = ("reuters", "bible")
METHODS = ("scan", "join", "tables")
# Below this the join has nearly as many chunks as bits, and compares everything many times over.
LEAST_FOR_JOIN = 0.95
# "At the threshold": pairs with a cosine up to this much above it.
NEAR = 0.01


def find(work, corpus, threshold, *flags):
    """Runs once. Gives the pairs with their cosines, and what the summary says."""
    out = work / "pairs.tsv"
    ran = subprocess.run(["find_near_dups", corpus, "--threshold", threshold, "--out", out, *flags], capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        sys.exit(ran.stderr)
    with open(out, newline="") as lines:
        rows = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        next(rows)
        pairs = {(one, other): float(similarity) for similarity, one, other in rows}
    return pairs, ran.stderr


def promised(told):
    found = re.search(r"recall at least ([0-9.]+)", told)
    return float(found.group(1)) if found else 1.0


def taken(told):
    """The way that the summary names."""
    if "exact cosines" in told:
        return "exact"
    return "tables" if "times:" in told else "join" if "in a part" in told else "scan"


def measure(collections, work, seeds):
    """A line for every run of a way that is among the plans."""
    for name in COLLECTIONS:
        corpus = collections / f"{name}.jsonl"
        for threshold in THRESHOLDS:
            exact, _ = find(work, corpus, threshold, "--exact")
            near = {pair for pair, cosine in exact.items() if cosine < float(threshold) + NEAR}
            for method in METHODS:
                if method == "join" and float(threshold) < LEAST_FOR_JOIN:
                    continue
                for seed in range(1, seeds + 1):
                    found, told = find(work, corpus, threshold, "--method", method, "--rnd_seed", str(seed))
                    if taken(told) != method:
                        break
                    wrong = sum(exact.get(pair) != cosine for pair, cosine in found.items())
                    yield [name, threshold, method, seed, len(exact), len(found), wrong, len(near), len(near & found.keys()), promised(told)]


COLUMNS = "collection threshold method seed pairs found wrong near near_found promised".split()


def table(rows):
    lines = ["| collection | cosine ≥ | way | pairs | promised | found, all pairs | found, within 0.01 above the threshold | wrong |", "|---|---|---|---|---|---|---|---|"]
    for key in dict.fromkeys(tuple(row[:3]) for row in rows):
        runs = [row for row in rows if tuple(row[:3]) == key]
        total = lambda column: sum(row[COLUMNS.index(column)] for row in runs)
        near = f"{total('near_found') / total('near'):.5f} of {total('near') // len(runs)}" if total("near") else "–"
        least = min(row[-1] for row in runs)
        lines.append(f"| {' | '.join(key)} | {runs[0][4]:,} | {least:.5f} | {total('found') / total('pairs'):.5f} | {near} | {total('wrong')} |")
    return "\n".join(lines)


def truth(collections, work):
    """Against the same chapters of other translations."""
    with open(collections / "bible.truth.tsv", newline="") as lines:
        known = {frozenset(row) for row in csv.reader(lines, delimiter="\t")}
    lines = ["| cosine ≥ | pairs | of them the same chapter | of all 11,890 such pairs |", "|---|---|---|---|"]
    for threshold in ("0.6", *THRESHOLDS):
        found, _ = find(work, collections / "bible.jsonl", threshold)
        right = sum(frozenset(pair) in known for pair in found)
        lines.append(f"| {threshold} | {len(found):,} | {right / len(found):.3f} | {right / (len(known) - 1):.3f} |")
    return "\n".join(lines)


def main(collections, work, result, seeds):
    rows = []
    with open(result, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in measure(pathlib.Path(collections), pathlib.Path(work), int(seeds)):
            writer.writerow(row)
            rows.append(row)
    print(table(rows))
    print()
    print(truth(pathlib.Path(collections), pathlib.Path(work)))
    broken = [row for row in rows if row[COLUMNS.index("wrong")]]
    sys.exit(f"wrong pairs: {broken}" if broken else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
