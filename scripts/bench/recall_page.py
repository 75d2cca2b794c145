"""The page of the recall of find_near_dups, made from recall.csv and known_pairs.csv without measuring."""

import pandas as pd

from report import files
from report.markdown import table

NO_VALUE = "–"
TEXT = """\
# Recall of `find_near_dups`

**Generated** by `scripts/bench/page.sh`; manual changes are lost.

Measured by `scripts/bench/recall.sh` over {seeds} seeds of the hyperplanes, on 19,043 Reuters articles and 5,945 Bible chapters, against exact cosines. One row per \
run: [recall.csv](recall.csv). Left to choose, `find_near_dups` takes the exact method on both collections; these runs force the others with `--method`.

A pair exactly at the threshold is the hardest to find; "within 0.01 of the threshold" are the pairs with a cosine of at most 0.01 above it.

{recall}
Pairs that are the same chapter in two translations (`find_near_dups` on the Bible chapters, five translations): [known_pairs.csv](known_pairs.csv)

{known}
![Overview of the HTML report](overview.png)
"""


def write(folder):
    """Writes FOLDER/README.md if the measurements are there."""
    if (folder / "recall.csv").exists() and (folder / "known_pairs.csv").exists():
        files.write(folder / "README.md", page(folder))


def page(folder):
    runs = pd.read_csv(folder / "recall.csv", dtype={"threshold": str})
    known = pd.read_csv(folder / "known_pairs.csv", dtype={"threshold": str})
    return TEXT.format(seeds=runs["seed"].nunique(), recall=recall_table(runs), known=known_table(known))


def recall_table(runs):
    lines = []
    for (name, threshold, method), part in runs.groupby(["collection", "threshold", "method"], sort=False):
        total = part.sum(numeric_only=True)
        near = f"{total['near_found'] / total['near']:.5f} of {part['near'].iloc[0]:,}" if total["near"] else NO_VALUE
        cells = [f"{part['pairs'].iloc[0]:,}", f"{part['promised'].min():.5f}", f"{total['found'] / total['pairs']:.5f}", near, f"{total['wrong']:.0f}"]
        lines.append([name, threshold, method, *cells])
    head = ["collection", "cosine ≥", "method", "pairs", "guaranteed", "recall, all pairs", "recall, pairs within 0.01 of the threshold", "false positives"]
    return table(head, lines, 3)


def known_table(known):
    rows = [[row["threshold"], f"{row['pairs']:,}", f"{row['precision']:.3f}", f"{row['recall']:.3f}"] for row in known.to_dict("records")]
    return table(["cosine ≥", "pairs", "precision: same chapter", "recall of all 11,890 such pairs"], rows, 1)
