"""`pleb_parameters`: the share of pairs PLEB finds, by beam, shift_count and iter_count."""

import itertools
from dataclasses import dataclass

from report import plots
from report.estimate import exponent
from report.frames import ascending, at, cases, mean, per_seed, spelling_numbers, where
from report.markdown import fixed, maybe, plain, shown
from report.verdict import Case, Claim, Verdict, above, all_of

ORDER = 10

FOUND = "found_pairs_pct"
# From this share on, in per cent, nothing is left to find.
ALL = 99.95
# An exponent needs at least this many settings that miss pairs.
MIN_POINTS = 3
UNITS = {"beam": "signatures compared with each", "shift_count": "transpositions per iteration", "iter_count": "iterations"}


@dataclass(frozen=True)
class Sweep:
    """A table of the thesis: one parameter grows, two are fixed."""

    table: str
    over: str
    fixed: dict

    def rows(self, rows):
        """Selects the rows of this sweep."""
        return spelling_numbers(where(rows, **self.fixed), self.over)

    def settings(self):
        """Spells the fixed parameters: `beam 10, iter_count 500`."""
        return ", ".join(f"{key} {value}" for key, value in self.fixed.items())

    def means(self, rows, column):
        """Returns {value of the parameter: Estimate}."""
        rows = self.rows(rows)
        found = {value: mean(at(rows, self.over, value), column) for value in ascending(rows, self.over)}
        return {value: one for value, one in found.items() if one}

    def gain(self, rows, column=FOUND):
        """Returns the points gained from the smallest to the largest value; None for less than two values."""
        points = [one.mean for one in self.means(rows, column).values()]
        return points[-1] - points[0] if len(points) > 1 else None

    def exponent(self, rows, column=FOUND):
        """Returns e of the missed share a·xᵉ; None if too few settings miss pairs."""
        missed = [(value, 100 - one.mean) for value, one in self.means(rows, column).items() if one.mean < 100]
        fit = exponent(missed) if len(missed) >= MIN_POINTS else None
        return fit and fit.slope


SWEEPS = (
    Sweep("2.1", "beam", {"shift_count": "50", "iter_count": "100"}),
    Sweep("2.2", "shift_count", {"beam": "10", "iter_count": "500"}),
    Sweep("2.3", "shift_count", {"beam": "20", "iter_count": "500"}),
    Sweep("2.4", "iter_count", {"beam": "50", "shift_count": "40"}),
)


def write(source, chapter):
    rows = source.rows("pleb")
    chapter.text(
        "Share of the pairs of `hamming_full` at or above the threshold that `hamming` finds. Our values have 95 % intervals over seeds; "
        "a seed determines the hyperplanes and the permutations."
    )
    for over in UNITS:
        if not rows.empty:
            title = f"Pairs found by PLEB, by {over}"
            chapter.picture(f"pleb-{over}", title, plot(title, source, rows, over))
        chapter.claim(growth(rows, over))
    for sweep in SWEEPS:
        add_table(source, rows, sweep, chapter)
    add_effects(source, rows, chapter)
    chapter.claim(matters_by_gain(source, rows))
    chapter.claim(matters_by_exponent(source, rows))


def sweeps_over(parameter):
    return [sweep for sweep in SWEEPS if sweep.over == parameter]


def plot(title, source, rows, over):
    series, ours = [], itertools.count()
    for index, sweep in enumerate(sweeps_over(over)):
        for name, part in cases(rows):
            points = [(value, one.mean, one.half) for value, one in sweep.means(part, FOUND).items()]
            series.append(plots.Series(f"{name}, {sweep.settings()}", plots.measured(next(ours)), points))
        table = source.published(sweep.table)
        points = [(float(row[over]), row["value"], None) for _, row in table.iterrows()]
        series.append(plots.Series(f"thesis, {sweep.settings()}", plots.published(index), points))
    return plots.curves(title, [plots.Panel(f"{over} ({UNITS[over]})", "pairs found (% of hamming_full)", series, y_limits=(None, 101))])


def add_table(source, rows, sweep, chapter):
    lines = []
    for _, row in source.published(sweep.table).iterrows():
        value = row[sweep.over]
        own = [shown(mean(where(sweep.rows(part), **{sweep.over: value}), FOUND)) for _, part in cases(rows)]
        lines.append([value, row["printed"], *own])
    head = [sweep.over, "thesis (%)", *(f"{name} (%)" for name, _ in cases(rows))]
    chapter.table(f"Table {sweep.table}: pairs found by {sweep.over} ({sweep.settings()})", head, lines, 1)


def growth(rows, over):
    judged = [case for sweep in sweeps_over(over) for name, part in cases(rows) if (case := growth_case(sweep, name, sweep.rows(part)))]
    return Claim(
        text=f"The share of found pairs grows with {over}.",
        source=", ".join(sweep.table for sweep in sweeps_over(over)),
        rule=f"Holds if the largest {over} finds more pairs than the smallest (interval of the gain per seed above 0) and no step between "
        f"neighbours loses pairs (interval below 0). Cannot be judged if the smallest finds {ALL} %.",
        cases=judged,
        reason="The other parameters already find nearly all pairs, which leaves nothing to add.",
    )


def growth_case(sweep, name, rows):
    means, gain = sweep.means(rows, FOUND), per_seed(rows, sweep.gain)
    if not means or gain is None:
        return None
    first, last = min(means), max(means)
    steps = [step(sweep, rows, pair) for pair in itertools.pairwise(means)]
    verdict = Verdict.OPEN if means[first].mean >= ALL else all_of([*steps, above(gain, 0)])
    evidence = f"{shown(means[first])} % at {plain(first)}, {shown(means[last])} % at {plain(last)}: {shown(gain)} points more"
    return Case(f"{name}, {sweep.settings()}", verdict, evidence)


def step(sweep, rows, pair):
    """Judges a step between neighbours: a loss contradicts growth, a step that shows nothing does not."""
    gain = per_seed(rows[rows[sweep.over].astype(float).isin(pair)], sweep.gain)
    return Verdict.FAILS if gain and gain.high < 0 else Verdict.HOLDS


def matters_by_gain(source, rows):
    return Claim(
        text="shift_count matters most (by the gain over the thesis' ranges).",
        source="2.1–2.4",
        rule="Holds if the gain from the smallest to the largest shift_count exceeds the gains of beam and iter_count over the ranges of tables 2.1 and 2.4 "
        f"(intervals of both differences per seed above 0). {own_numbers(source, Sweep.gain)}",
        cases=most_important(rows, Sweep.gain, "points"),
        reason="The gain depends on the ranges and on the share left to find: the thesis varied beam from 60 to 90 but shift_count from 10 to 90.",
    )


def falling(sweep, rows, column=FOUND):
    """Returns −e: larger means that the parameter matters more."""
    found = sweep.exponent(rows, column)
    return None if found is None else -found


def matters_by_exponent(source, rows):
    return Claim(
        text="shift_count matters most (by equal relative growth of each parameter).",
        source="2.1–2.4",
        rule="The share of missed pairs is fitted as a·xᵉ over each range per seed. Holds if −e of shift_count exceeds that of beam and that of iter_count (intervals of both differences above 0). "
        f"Unlike the gain, e does not depend on the width of the ranges. {own_numbers(source, falling)}",
        cases=most_important(rows, falling, "(−e)"),
        reason="Doubling beam or iter_count doubles the number of compared pairs; doubling shift_count only makes iterations less alike, which helps until they are independent. "
        "Its merit is its cost, which is negligible.",
    )


def own_numbers(source, effect):
    """States the effect of every parameter in the thesis."""
    values = [(sweep, effect(sweep, source.published(sweep.table), "value")) for sweep in SWEEPS]
    listed = ", ".join(f"{sweep.over} {maybe(value, fixed, 2)} (table {sweep.table})" for sweep, value in values)
    return f"The thesis' values by this measure: {listed}."


def most_important(rows, effect, unit):
    return [most_case(f"{name}, {sweep.settings()}", part, sweep, effect, unit) for name, part in cases(rows) for sweep in sweeps_over("shift_count")]


def most_case(name, rows, shift, effect, unit):
    """Judges whether shift_count has more effect than every other parameter, seed by seed."""
    evidence = f"shift_count {shown(per_seed(rows, lambda part: effect(shift, part)))} {unit}"
    verdicts = []
    for other in SWEEPS:
        if other.over == "shift_count":
            continue
        more = per_seed(rows, lambda part, other=other: difference(effect(shift, part), effect(other, part)))
        verdicts.append(above(more, 0) if more else Verdict.OPEN)
        evidence += f", {other.over} {shown(per_seed(rows, lambda part, other=other: effect(other, part)))}"
    return Case(name, all_of(verdicts), evidence)


def difference(one, other):
    return None if one is None or other is None else one - other


def add_effects(source, rows, chapter):
    lines = []
    for sweep in SWEEPS:
        table = source.published(sweep.table)
        cells = [sweep.over, sweep.table, maybe(sweep.gain(table, "value"), fixed, 2), maybe(sweep.exponent(table, "value"), fixed, 2)]
        for _, part in cases(rows):
            cells += [shown(per_seed(part, sweep.gain)), shown(per_seed(part, sweep.exponent))]
        lines.append(cells)
    head = ["parameter", "table", "thesis, gain (points)", "thesis, e"]
    for name, _ in cases(rows):
        head += [f"{name}, gain (points)", f"{name}, e"]
    caption = "Effect of each parameter: points gained over its range, and e in missed share = a·xᵉ"
    chapter.table(caption, head, lines, 2)
