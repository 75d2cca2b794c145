"""`thresholds`: precision and recall over threshold_ham at a fixed threshold_sim."""

from report import plots
from report.closed_form import expected_hamming
from report.estimate import estimate
from report.frames import ascending, at, cases, groups, mean, per_seed, spelling_numbers, where
from report.markdown import number, shown
from report.thesis import class_of
from report.verdict import Case, Claim, within

ORDER = 40

# Largest distance of the best threshold, in points.
NEAR = 2
# Best threshold_ham per threshold_sim, as the thesis reads them off its figures.
PUBLISHED = {"Coll_Mixed": "79–80 for 80", "Coll_Small": "76 for 70", "Coll_Large": "80 for 80"}


def write(source, chapter):
    rows = source.rows("approximation")
    chapter.text(
        "P, R and F1 by the thesis' formulas, averaged over the documents of the sample. The calibrated threshold is the expected Hamming similarity of a pair at threshold_sim: "
        "100·(1 − arccos(c)/π). The thesis has figures only and reads the best threshold off them."
    )
    for (collection,), part in groups(rows, "collection"):
        threshold = ", ".join(part["threshold_sim"].unique())
        title = f"{collection}: P, R and F1 over threshold_ham, threshold_sim {threshold} %"
        panels = [panel(weighting, own) for (weighting,), own in groups(part, "weighting")]
        chapter.picture(f"thresholds-{collection}", title, plots.curves(title, panels))
    add_table(rows, chapter)
    chapter.claim(equal_to_threshold_sim(rows))
    chapter.claim(equal_to_calibrated(rows))


def threshold_sim(rows):
    return float(rows["threshold_sim"].iloc[0])


def panel(weighting, rows):
    swept = spelling_numbers(rows, "threshold_ham")
    places = ascending(swept, "threshold_ham")
    series = []
    for index, column in enumerate(("P", "R", "F1")):
        values = [(place, mean(at(swept, "threshold_ham", place), column)) for place in places]
        series.append(plots.Series(column, plots.measured(index), [(place, value.mean, value.half) for place, value in values if value]))
    calibrated = expected_hamming(threshold_sim(rows))
    ends = (places[0] - 0.5, places[-1] + 0.5) if places else None
    mark = (calibrated, f"calibrated threshold ({calibrated:.1f} %)")
    return plots.Panel("threshold_ham (%)", "P, R, F1", series, weighting, x_limits=ends, vertical=mark)


def best(rows):
    """Returns the threshold_ham with the highest F1 of one seed, the middle of several; None without scores."""
    rows = spelling_numbers(rows, "threshold_ham")
    highest = rows[rows["F1"] == rows["F1"].max()]
    value = estimate(map(float, highest["threshold_ham"]))
    return value and value.mean


def highest_f1(rows):
    return spelling_numbers(rows, "threshold_ham")["F1"].max()


def add_table(rows, chapter):
    head = [
        "collection",
        "thesis' best threshold_ham",
        "best threshold_ham",
        "F1 at best threshold",
        "F1 at threshold_sim",
        "calibrated threshold",
        "F1 at calibrated",
        "P at calibrated",
        "R at calibrated",
    ]
    lines = []
    for name, part in cases(rows):
        equal, calibrated = at(part, "threshold_ham", threshold_sim(part)), where(part, threshold_ham="calibrated")
        cells = [name, PUBLISHED[class_of(part["collection"].iloc[0])], shown(per_seed(part, best)), shown(per_seed(part, highest_f1))]
        cells += [shown(mean(equal, "F1")), number(expected_hamming(threshold_sim(part)))]
        lines.append(cells + [shown(mean(calibrated, column)) for column in ("F1", "P", "R")])
    chapter.table("Figures 2.29, 2.30, 2.43, 2.44, 2.57, 2.58: the threshold_ham with the highest F1", head, lines, 2)


def rule(name):
    return f"The best threshold_ham of a seed is the whole per cent with the highest F1. Holds if its interval lies within {NEAR} points of {name}; fails if it lies outside."


def judged(rows, name, target):
    """Returns the cases of the claim that the best threshold is near target(threshold_sim)."""
    found = []
    for case, part in cases(rows):
        value, aim = per_seed(part, best), target(threshold_sim(part))
        if value:
            found.append(Case(case, within(value, aim - NEAR, aim + NEAR), f"best {shown(value)} %, {name} {number(aim)} %"))
    return found


def equal_to_threshold_sim(rows):
    return Claim(
        text="The best threshold_ham is about threshold_sim.",
        source="2.29, 2.30, 2.43, 2.44, 2.57, 2.58",
        rule=rule("threshold_sim"),
        cases=judged(rows, "threshold_sim", lambda threshold: threshold),
        reason="The curve h = 1 − arccos(c)/π meets h = c only near 80 % and at 100 %: for 60 % it gives 70.5 %, and the thesis itself found 76 for 70. With many dissimilar pairs just below the threshold, "
        "a higher threshold_ham gains more precision than it loses recall.",
    )


def equal_to_calibrated(rows):
    return Claim(
        text="The best threshold_ham is about the calibrated threshold, 100·(1 − arccos(c)/π).",
        rule=rule("the calibrated threshold"),
        cases=judged(rows, "the calibrated threshold", expected_hamming),
        reason="Sampling spreads h to both sides of the curve, and more pairs lie below the threshold than above: a higher threshold gains more precision than it loses recall.",
    )
