"""`recall_estimate`: PLEB's own estimate of its recall against the truth."""

import math

from report import plots
from report.estimate import estimate
from report.frames import ascending, at, groups, mean
from report.markdown import plain, shown
from report.verdict import Case, Claim, all_of, within

ORDER = 90

TRUTH, ESTIMATE = "found_signature_pairs_pct", "estimate_pct"
# Largest error of the estimate, in points.
AGREES = 2
# The shift_count that draws a fresh permutation per iteration.
FRESH = "full"


def write(source, chapter):
    rows = source.rows("pleb")
    chapter.text(
        "After each iteration `hamming` estimates the share of all signature pairs found so far from the rate of repeated candidates; with too few candidates it gives no estimate. "
        "The truth comes from `hamming_full`. Each point is one seed after one number of iterations."
    )
    for (collection,), part in groups(rows, "collection"):
        title = f"{collection}: PLEB's own estimate of its recall against the truth"
        panels = [panel(threshold, own) for (threshold,), own in groups(part, "threshold")]
        chapter.picture(f"recall-{collection}", title, plots.curves(title, panels))
    add_table(rows, chapter)
    chapter.claim(agreement("with a fresh permutation per iteration", rows[rows["shift_count"] == FRESH]))
    chapter.claim(agreement("with a few transpositions per iteration", rows[rows["shift_count"] != FRESH]))


def panel(threshold, rows):
    series, values = [], []
    for index, ((shift,), part) in enumerate(groups(rows, "shift_count")):
        points = [(x, y, None) for x, y in zip(part[TRUTH], part[ESTIMATE], strict=True) if not math.isnan(x + y)]
        if points:
            series.append(plots.Series(f"shift_count {shift}", plots.scattered(index), points))
        values += [value for x, y, _ in points for value in (x, y)]
    ends = (10 * math.floor(min(values, default=0) / 10) - 1, 101)
    return plots.Panel(
        "pairs found, truth (%)", "pairs found, estimate (%)", series, f"threshold {threshold} %", x_limits=ends, y_limits=ends, diagonal="estimate = truth"
    )


def runs(rows):
    """Yields (name, rows) per collection, threshold and shift_count."""
    for (collection, threshold, shift), part in groups(rows, "collection", "threshold", "shift_count"):
        yield f"{collection}, threshold {threshold}, shift_count {shift}", part


def errors(rows):
    """Returns {iterations: Estimate of estimate − truth}, without those that have no estimate."""
    found = {count: estimate(part[ESTIMATE] - part[TRUTH]) for count, part in by_iterations(rows)}
    return {count: error for count, error in found.items() if error}


def by_iterations(rows):
    return [(count, at(rows, "iter_count", count)) for count in ascending(rows, "iter_count")]


def add_table(rows, chapter):
    lines = []
    for name, run in runs(rows):
        for count, part in by_iterations(run):
            guess = mean(part, ESTIMATE)
            seeds = f"{guess.count if guess else 0} of {len(part)}"
            error = estimate(part[ESTIMATE] - part[TRUTH])
            lines.append([name, plain(count), shown(mean(part, TRUTH)), shown(guess), shown(error), seeds])
    head = ["run", "iterations", "truth (%)", "estimate (%)", "error (points)", "seeds with an estimate"]
    chapter.table("Estimate against truth", head, lines, 1)


def agreement(when, rows):
    return Claim(
        text=f"PLEB's own estimate of its recall agrees with the truth, {when}.",
        rule="For every collection, threshold and shift_count, holds if after every number of iterations with an estimate "
        f"the interval of estimate − truth lies within ±{AGREES} points; fails if one lies outside.",
        cases=[case(name, run) for name, run in runs(rows)],
        reason="The estimate is unbiased if all pairs are equally likely to become candidates. Otherwise unlikely pairs appear neither once nor twice, "
        "and the estimate is too high. With few pairs, or few transpositions between iterations, it rests on few repeated candidates.",
    )


def case(name, rows):
    found = errors(rows)
    evidence = "no estimate"
    if found:
        worst = max(reversed(found), key=lambda count: abs(found[count].mean))
        evidence = f"largest error after {plain(worst)} iterations: {shown(found[worst])} points"
    return Case(name, all_of(within(error, -AGREES, AGREES) for error in found.values()), evidence)
