"""`theory`: S as measured against its closed form."""

from report import closed_form
from report.estimate import estimate
from report.frames import ascending, at, cases, mean
from report.markdown import plain, shown
from report.verdict import Case, Claim, within

ORDER = 80

# Largest deviation of S from its closed form, as a share of it.
AGREES = 0.1


def write(source, chapter):
    rows = source.rows("approximation")
    chapter.text(
        "A Hamming similarity of K bits is binomial: the variance in a bin at cosine c is 10⁴·p(1 − p)/K with p = 1 − arccos(c)/π. "
        "The closed form averages this over the bins that contain pairs; its second column adds the variance due to the bin width."
    )
    if not rows.empty:
        title = "S over signature length: measured, closed form and thesis"
        chapter.picture("theory-S", title, closed_form.plot(title, rows, [source.published(table) for table in ("2.17", "2.20")]))
    head = ["collection", "bits", "S", "closed form", "with bin width", "S / closed form with bin width"]
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
        rule=f"For every collection, weighting and length, holds if the interval of S / closed form with bin width lies within 1 ± {AGREES}; fails if it lies outside.",
        cases=judged,
        reason="Pairs of a bin share documents and hyperplanes. The sampling error they have in common shifts the whole bin and adds no variance within it. "
        "Bins with few pairs lose most, so S lies below the closed form.",
    )
