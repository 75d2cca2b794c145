"""`theory`: S as measured against its closed form."""

from report import closed_form
from report.frames import ascending, at, cases, mean
from report.estimate import estimate
from report.markdown import mean as shown, plain
from report.verdict import Case, Claim, within

ORDER = 80

# Largest deviation of S from its closed form, as a share of it.
AGREES = 0.1


def write(source, chapter):
    rows = source.rows("approximation")
    chapter.text(
        "A Hamming similarity of K bits is binomial, so that the variance of a bin at a cosine c is 10⁴·p(1 − p)/K with p = 1 − arccos(c)/π. "
        "The closed form is the mean of this over the bins that hold pairs; the part of S that comes from the width of the bins is added to it in the second column."
    )
    if not rows.empty:
        title = "S as measured, as the closed form has it, and as the thesis found it"
        chapter.picture("theory-S", title, closed_form.plot(title, rows, [source.published(table) for table in ("2.17", "2.20")]))
    head = ["collection", "bits", "S", "closed form", "with the width of bins", "S / closed form with width"]
    columns = ("S", "S_theory", "S_theory_with_bin_width")
    lines = [[name, plain(bits), *(shown(mean(part, column)) for column in columns), shown(ratio(part))] for name, bits, part in by_length(rows)]
    chapter.table("S and its closed form", head, lines, 1)
    chapter.claim(agreement(rows))


def by_length(rows):
    """Yields (case, bits, rows)."""
    for name, part in cases(rows):
        for bits in ascending(part, "sig_len"):
            yield name, bits, at(part, "sig_len", bits)


def ratio(rows):
    """Returns the Estimate of S over its closed form."""
    rows = rows[rows["S_theory_with_bin_width"] > 0]
    return estimate(rows["S"] / rows["S_theory_with_bin_width"])


def agreement(rows):
    judged = []
    for name, bits, part in by_length(rows):
        value = ratio(part)
        if value is not None:
            judged.append(Case(f"{name}, {plain(bits)} bits", within(value, 1 - AGREES, 1 + AGREES), f"{shown(value)} of the closed form"))
    return Claim(
        text="S agrees with the closed form 10⁴·p(1 − p)/K.",
        rule=f"For every collection, weighting and length, holds when the interval of S / closed form (with the width of the bins) lies within 1 ± {AGREES} and fails when it lies beyond.",
        cases=judged,
        reason="The pairs of a bin share documents and all of them share the random vectors: the part of the sampling error that they have in common moves the whole bin and does not show as variance within it. "
        "Bins of few pairs lose most by this, so that S lies below the closed form.",
    )
