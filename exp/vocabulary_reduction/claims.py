"""`vocabulary_reduction`: the effect of leaving out rare terms on cosines, and on how well signatures approximate them."""

import math

from report import thesis
from report.estimate import Estimate
from report.frames import groups, mean, only, per_seed, where
from report.markdown import NO_VALUE, fixed, number, shown
from report.verdict import Case, Claim, at_most, within

ORDER = 20

# Largest mean change of a near-duplicate's cosine, in points.
HARDLY_MOVED = 1
# Largest change of a measure, in per cent.
HARDLY_CHANGED = 10
# Our columns for L1, L2, S, and what the thesis prints under R.
MEASURES = ("L1", "L2", "S", "P")
WHOLE = "1"


def write(source, chapter):
    cosines, rows = source.rows("vocabulary"), source.rows("approximation")
    chapter.text(
        "Table 2.10 compares cosines of the same pairs with the whole and with a reduced vocabulary. It depends on no seed, so it has no intervals; "
        "the thesis does not state the weighting. Tables 2.13 to 2.16 compare Hamming similarities with cosines for the same vocabulary."
    )
    add_distortion(source, cosines, chapter)
    add_near_duplicates(cosines, chapter)
    for table in ("2.13", "2.14", "2.15", "2.16"):
        thesis.approximation(chapter, table, source.published(table), rows)
    add_changes(rows, chapter)
    chapter.claim(near_duplicates(cosines))
    chapter.claim(approximation(rows))


def parts(rows):
    """Yields (name, rows) per collection and weighting."""
    for (collection, weighting), part in groups(rows, "collection", "weighting"):
        yield f"{collection}, {weighting}", part


def add_distortion(source, cosines, chapter):
    columns = {"max_diff": ("largest_difference", "largest difference")}
    lines = []
    for _, row in source.published("2.10").iterrows():
        min_df = thesis.MIN_DF[row["vocabulary"].rpartition("_")[2]]
        column, label = columns.get(row["measure"], (row["measure"], row["measure"]))
        values = [shown(mean(where(part, min_df=min_df), column)) for _, part in parts(cosines)]
        lines.append([f"DC ≥ {min_df}", label, row["printed"], *values])
    head = ["vocabulary", "measure", "thesis", *(name for name, _ in parts(cosines))]
    caption = "Table 2.10: change of cosines by a reduced vocabulary, all pairs (points)"
    chapter.table(caption, head, lines, 2)


def add_near_duplicates(cosines, chapter):
    lines = []
    for name, part in parts(cosines):
        for _, row in part.iterrows():
            cells = [name, f"DC ≥ {row['min_df']}", fixed(100 * row["terms"] / row["terms_whole"], 1)]
            values = (row[column] for column in ("near_pairs", "near_L1", "near_L2", "near_S"))
            lines.append(cells + [NO_VALUE if math.isnan(value) else number(value) for value in values])
    head = ["collection", "vocabulary", "terms left (%)", "pairs", "L1", "L2", "S"]
    caption = "Near-duplicates only: pairs with a cosine of at least threshold_sim with the whole vocabulary"
    chapter.table(caption, head, lines, 2)


def near_duplicates(cosines):
    judged = []
    for name, part in parts(cosines):
        for _, row in part[part["near_L1"].notna()].iterrows():
            evidence = f"{number(row['near_L1'])} points on average ({row['near_pairs']:.0f} pairs)"
            judged.append(Case(f"{name}, DC ≥ {row['min_df']}", at_most(Estimate(row["near_L1"]), HARDLY_MOVED), evidence))
    return Claim(
        text="Reducing the vocabulary to DC ≥ 2 or DC ≥ 5 hardly moves near-duplicates.",
        source="2.10",
        rule=f"Holds if the cosines of pairs at or above threshold_sim change by at most {HARDLY_MOVED} point on average.",
        cases=judged,
        reason="Removing a term changes a cosine more if the documents are short and if rare terms carry much weight. "
        "The thesis' documents were newspaper articles, and half of its terms occurred in one document only. Short texts have fewer terms to lose, and tf_idf weights exactly the removed terms most.",
    )


def change(rows, min_df, column):
    """Returns the Estimate over seeds of the change of a measure against the whole vocabulary, in per cent."""

    def of_seed(part):
        whole, reduced = only(where(part, min_df=WHOLE), column), only(where(part, min_df=min_df), column)
        return 100 * (reduced / whole - 1) if whole and reduced is not None else None

    return per_seed(rows, of_seed)


def changes(rows):
    """Yields (case, min_df, {measure: Estimate or None})."""
    for name, part in parts(rows):
        for min_df in part["min_df"].unique():
            if min_df != WHOLE:
                yield name, min_df, {column: change(part, min_df, column) for column in MEASURES}


def add_changes(rows, chapter):
    head = ["collection", "vocabulary", *(f"{column} (%)" for column in MEASURES)]
    lines = [[name, f"DC ≥ {min_df}", *map(shown, values.values())] for name, min_df, values in changes(rows)]
    chapter.table("Change of the measures against the whole vocabulary, per seed", head, lines, 2)


def approximation(rows):
    judged = []
    for name, min_df, values in changes(rows):
        for column, value in values.items():
            if value:
                verdict = within(value, -HARDLY_CHANGED, HARDLY_CHANGED)
                judged.append(Case(f"{name}, DC ≥ {min_df}, {column}", verdict, f"changes by {shown(value)} %"))
    return Claim(
        text="Reducing the vocabulary changes neither L1, L2, S nor R.",
        source="2.13–2.16",
        rule=f"Holds for L1, L2 and S over all pairs, and for P (printed as R in the thesis), if the interval of the change against the whole vocabulary lies within ±{HARDLY_CHANGED} % "
        "(the thesis' values change by up to 9 %); fails if it lies outside.",
        cases=judged,
        reason="P depends on threshold_ham, the smallest h of any similar pair: a single pair decides it, and the hyperplanes differ between vocabularies. "
        "L1 and L2 follow the cosines, which rise when rare terms are removed.",
    )
