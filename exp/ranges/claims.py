"""`ranges`: which Hamming similarities go with which cosines, and how random hyperplanes split a collection."""

import math

from report import closed_form, plots
from report.estimate import estimate
from report.frames import cases, groups, mean
from report.markdown import shown
from report.measures import SHARE_CLASSES
from report.verdict import Case, Claim, at_most

ORDER = 50

# Largest share of pairs below 45 %, in per cent.
HARDLY_ANY = 1
# Largest mean distance from the curve, as a factor of the largest distance sampling explains.
BY_SAMPLING = 1.1

PAIR_COLUMNS = {
    "pairs per seed": "pairs",
    "mean c (%)": "cosine_mean",
    "mean h (%)": "hamming_mean",
    "min h (%)": "hamming_least",
    "pairs with h < 45 % (%)": "share_below_45",
    "mean distance from the curve (points)": "mean_distance_from_curve",
    "correlation of c and h": "correlation",
}
PLANE_COLUMNS = {
    "min share (%)": "share_least",
    "mean share (%)": "share_mean",
    "max share (%)": "share_greatest",
    "standard deviation (points)": "share_deviation",
}


def write(source, chapter):
    pairs, planes = source.rows("density"), source.rows("planes")
    chapter.text(
        "Figure 2.5 of the thesis: all pairs of a sample document and a document of the collection, over all seeds. "
        "The thesis observed that Hamming similarities hardly fall below 45 % and attributed it to the uneven distribution of documents. "
        "The curve is the expected Hamming similarity 1 − θ/π of a pair at angle θ = arccos c: 50 % at a cosine of 0."
    )
    closed_form.density_plots(source, chapter)
    add_table(chapter, "Figure 2.5 in numbers", pairs, PAIR_COLUMNS)
    chapter.text(
        "Figure 2.6 of the thesis: the share of documents on the positive side of each random hyperplane. Terms common to all documents, such as the most frequent words with tf, "
        "put nearly all documents on one side of many hyperplanes. Nearly orthogonal documents, as with tf_idf, are split about in half by every hyperplane."
    )
    for (collection,), rows in groups(planes, "collection"):
        title = f"{collection}: hyperplanes by the share of documents on their positive side"
        panels = [(weighting, shares(part)) for (weighting,), part in groups(rows, "weighting")]
        chapter.picture(f"planes-{collection}", title, plots.histograms(title, "documents on the positive side (%)", "hyperplanes (%)", panels))
    add_table(chapter, "Figure 2.6 in numbers: the share of documents on the positive side of a hyperplane", planes, PLANE_COLUMNS)
    chapter.claim(floor(pairs))
    chapter.claim(curve(pairs))


def add_table(chapter, caption, rows, columns):
    lines = [[name, *(shown(mean(part, column)) for column in columns.values())] for name, part in cases(rows)]
    chapter.table(caption, ["collection", *columns], lines, 1)


def shares(rows):
    """Returns the Estimate of the share of hyperplanes per class, in per cent of the signature's bits."""
    return [estimate(100 * rows[column] / rows["sig_len"].astype(float)) for column in SHARE_CLASSES]


def floor(rows):
    judged = []
    for name, part in cases(rows):
        share = mean(part, "share_below_45")
        if share:
            judged.append(Case(name, at_most(share, HARDLY_ANY), f"{shown(share)} % of the pairs below 45 %"))
    return Claim(
        text="Hamming similarities hardly fall below 45 %.",
        source="figure 2.5",
        rule=f"Holds if the interval of the share of pairs with h < 45 % lies below {HARDLY_ANY} %; fails if it lies above.",
        cases=judged,
        reason="With short signatures, sampling error alone puts pairs with cosine 0 below 45 %.",
    )


def curve(rows):
    judged = []
    for name, part in cases(rows):
        # The mean of |normal| is √(2/π) deviations, and the deviation is largest at 50 %.
        most = 100 * math.sqrt(2 / math.pi) * 0.5 / math.sqrt(float(part["sig_len"].iloc[0]))
        distance = mean(part, "mean_distance_from_curve")
        if distance:
            judged.append(Case(name, at_most(distance, most * BY_SAMPLING), f"{shown(distance)} points, sampling at most {most:.3f}"))
    return Claim(
        text="The range of Hamming similarities follows from the curve h = 1 − arccos(c)/π; it is not a property of the collection.",
        rule=f"Holds if the mean distance of h from the curve is at most {BY_SAMPLING} times the largest mean sampling error of K bits, 100·√(2/π)·√(0.25/K).",
        cases=judged,
        reason="All pairs of a seed share the hyperplanes: with tf, a few frequent words dominate all documents, so nearly all pairs have the sampling error of these words in common.",
    )
