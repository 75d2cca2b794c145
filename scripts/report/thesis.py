"""Tables of the thesis with our values beside the published ones."""

from .frames import mean, where
from .markdown import shown

# Minimum document frequency per vocabulary of the thesis.
MIN_DF = {"full": "1", "medium": "2", "small": "5"}


def class_of(collection):
    """Returns the thesis' collection one of ours stands for: all documents, or the tenth with the fewest or the most distinct words."""
    if collection.endswith("-small"):
        return "Coll_Small"
    return "Coll_Large" if collection.endswith("-large") else "Coll_Mixed"


def of_class(rows, name):
    """Selects the rows of our collections that stand for a collection of the thesis."""
    return rows[rows["collection"].map(class_of) == name]


# Our columns for the measures of the thesis: over all pairs, and over near-duplicates.
ALL_PAIRS = {"distinct_signatures": "distinct_signatures", "L1": "L1", "L2": "L2", "S": "S"}
# The thesis prints P, by its formula, under R.
NEAR_PAIRS = {"R": "P", "L1": "near_L1", "L2": "near_L2", "S": "near_S"}
LABELS = {"R": "R in the thesis, P by its formula", "distinct_signatures": "distinct signatures"}


def approximation(chapter, table, published, ours):
    """Adds a table of the thesis about the approximation of cosines by signatures, with our values."""
    if published.empty:
        return
    first = published.iloc[0]
    is_near = first["threshold_sim"] != ""
    columns = NEAR_PAIRS if is_near else ALL_PAIRS
    ours = of_class(where(ours, weighting=first["weighting"]), first["collection"])
    collections = list(ours["collection"].unique())

    def line(label, row, printed, column):
        same = _same_settings(ours, row)
        values = [shown(mean(where(same, collection=name), column)) for name in collections]
        return [label, row["sig_len"], f"DC ≥ {MIN_DF[row['vocabulary']]}", printed, *values]

    lines = []
    for measure in published["measure"].unique():
        for _, row in where(published, measure=measure).iterrows():
            lines.append(line(LABELS.get(measure, measure), row, row["printed"], columns[measure]))
    if is_near:
        for _, row in where(published, measure="R").iterrows():
            lines.append(line("threshold_ham", row, row["threshold_ham"], "threshold_ham_used"))
    chapter.table(_caption(table, first, is_near), ["measure", "bits", "vocabulary", "thesis", *collections], lines, 3)


def _same_settings(ours, row):
    rows = where(ours, sig_len=row["sig_len"], min_df=MIN_DF[row["vocabulary"]])
    return where(rows, threshold_sim=row["threshold_sim"]) if row["threshold_sim"] else rows


def _caption(table, row, is_near):
    pairs = "all pairs"
    if is_near:
        threshold = row["threshold_sim"]
        pairs = f"near-duplicates, threshold_sim {threshold}, threshold_ham the smallest h of any pair with c ≥ {threshold}"
    return f"Table {table}: {row['collection']}, {row['weighting']}, {pairs}"
