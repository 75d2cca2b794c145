"""`calibration`: L1 and L2 of the raw Hamming similarity and of the cosine it estimates."""

from report import closed_form, plots
from report.estimate import Estimate, estimate
from report.frames import cases, mean, only, where
from report.markdown import fixed, maybe, number, shown
from report.thesis import class_of
from report.verdict import Case, Claim, at_most

ORDER = 70

# Calibration removes the problem of ranges if calibrated L1 exceeds the sampling limit by this factor at most.
REMOVED = 1.25
KINDS = {
    "raw: |c − h|": "L1",
    "calibrated: |c − cos(π(1 − h))|": "L1_calibrated",
    "sampling limit of calibrated": "L1_calibrated_theory",
}
# The table of the thesis per weighting.
TABLES = {"tf": "2.17", "tf_idf": "2.20"}


def write(source, chapter):
    rows = source.rows("approximation")
    chapter.text(
        "ĉ = 100·cos(π(1 − h)) is the cosine estimated by a Hamming similarity h. The sampling limit, a lower bound of its L1 with K random bits, is "
        "the mean over all pairs of 100·√(2/π)·π·sin θ·√(p(1 − p)/K)."
    )
    sentence = summary(source, rows)
    if sentence:
        chapter.text(sentence)
    if not rows.empty:
        title = "L1 over all pairs: raw, calibrated, and the sampling limit"
        chapter.picture("calibration-L1", title, plot(title, source, rows))
    add_table(source, rows, chapter)
    closed_form.density_plots(source, chapter)
    chapter.claim(irremovable(rows))


def published(source, rows):
    """Returns the thesis' L1 for the weighting and length of these rows; None unless they stand for Coll_Mixed."""
    first = rows.iloc[0]
    if class_of(first["collection"]) != "Coll_Mixed" or first["weighting"] not in TABLES:
        return None
    return only(where(source.published(TABLES[first["weighting"]]), sig_len=first["sig_len"], measure="L1"), "value")


def summary(source, rows):
    """States the most important number: L1 with tf_idf over all documents."""
    rows_tf_idf = where(rows, weighting="tf_idf")
    parts = []
    for name, part in cases(rows_tf_idf):
        raw, calibrated, limit = (mean(part, column) for column in KINDS.values())
        if raw and calibrated and limit:
            parts.append(f"{name}: raw {shown(raw)}, calibrated **{shown(calibrated)}**, limit {shown(limit)}")
    own = None if rows_tf_idf.empty else published(source, rows_tf_idf)
    if own is None or not parts:
        return None
    bits = ", ".join(rows["sig_len"].unique())
    return f"**L1 over all documents, tf_idf, {bits} bits.** Thesis: {number(own)} raw. Ours: {'; '.join(parts)}."


def plot(title, source, rows):
    def bar(value):
        return value and plots.Bar(value.mean, fixed(value.mean, 2), value.half)

    groups = []
    for name, part in cases(rows):
        own = published(source, part)
        values = [mean(part, column) for column in KINDS.values()] + [None if own is None else Estimate(own)]
        groups.append((name, [bar(value) for value in values]))
    return plots.bars(title, "L1 (points)", [*KINDS, "thesis' Coll_Mixed, raw"], groups)


def in_limits(rows):
    """Returns the Estimate of calibrated L1 in units of the sampling limit."""
    rows = rows[rows["L1_calibrated_theory"] > 0]
    return estimate(rows["L1_calibrated"] / rows["L1_calibrated_theory"])


def add_table(source, rows, chapter):
    head = ["collection", "bits", "thesis' L1, raw", "L1, raw", "L1, calibrated", "sampling limit", "calibrated / limit", "L2, raw", "L2, calibrated"]
    lines = []
    for name, part in cases(rows):
        cells = [name, ", ".join(part["sig_len"].unique()), maybe(published(source, part), number)]
        cells += [shown(mean(part, column)) for column in KINDS.values()]
        cells += [shown(in_limits(part)), shown(mean(part, "L2")), shown(mean(part, "L2_calibrated"))]
        lines.append(cells)
    chapter.table("L1 and L2 over all pairs, raw and calibrated (points, squared points)", head, lines, 1)


def irremovable(rows):
    judged = []
    for name, part in cases(rows):
        ratio = in_limits(part)
        if ratio:
            evidence = f"L1 {shown(mean(part, 'L1'))} raw, {shown(mean(part, 'L1_calibrated'))} calibrated: {shown(ratio)} of the sampling limit"
            judged.append(Case(name, at_most(ratio, REMOVED).inverse, evidence))
    return Claim(
        text="The problem of ranges cannot be removed: L1 and L2 over all pairs stay large.",
        source="2.4.2, 2.13–2.20",
        rule=f"Does not hold if calibration removes it: the interval of calibrated L1 / sampling limit lies below {REMOVED}. Holds if it lies above.",
        cases=judged,
        reason="The range comes from the map h = 1 − arccos(c)/π, which has an inverse. Applied to the Hamming similarity, it estimates the cosine itself; only the sampling error of K bits remains.",
    )
