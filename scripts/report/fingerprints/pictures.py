"""Plots of tables of evaluate_methods: precision over recall, and quality over cost."""

import math

from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

from .. import plots
from . import labels
from .tables import zero

# Curves of equal F.
LEVELS = (0.2, 0.4, 0.6, 0.8)
# Smallest range of the axis of F.
MIN_TOP = 0.05
PLAIN = FuncFormatter(lambda value, _: f"{value:,.10f}".rstrip("0").rstrip("."))


def precision_recall(title, panels, columns=("recall_union", "precision_string")):
    """Draws methods by recall, on a logarithmic axis, and precision, with curves of equal F; `panels` are (heading, Table)."""
    figure, axes = plots._panels(title, len(panels), 5.0)
    points = []
    for axis, (heading, table) in zip(axes, panels, strict=True):
        own = [(index, method, *(table.value(method, column) for column in columns)) for index, method in enumerate(table.methods())]
        own = [one for one in own if one[2] > 0 and not math.isnan(one[3])]
        low = min((recall for *_, recall, _ in own), default=0.1)
        axis.set(xlabel=columns[0], ylabel=columns[1], title=heading, xscale="log", xlim=(low / 3, 2.5), ylim=(-0.1, 1.25), yticks=[0, 0.2, 0.4, 0.6, 0.8, 1])
        axis.xaxis.set(major_locator=FixedLocator(recall_ticks(low)), minor_locator=NullLocator(), major_formatter=PLAIN)
        ends = [draw_level(axis, level) for level in LEVELS]
        for index, _, x, y in own:
            axis.errorbar([x], [y], markersize=6, **plots.scattered(index))
        points.append([one[1:] for one in own])
    for axis, own in zip(axes, points, strict=True):
        labels.add(figure, axis, own, ends)
    return figure


def recall_ticks(low):
    """Returns round numbers from about the lowest recall to 1; powers of ten if there are many."""
    powers = range(math.floor(math.log10(low / 3)), 1)
    steps = (1, 2, 5) if len(powers) < 4 else (1,)
    return [step * 10.0**power for power in powers for step in steps if step * 10.0**power <= 1]


def draw_level(axis, level):
    """Draws the curve on which F has one value; returns its end, where its label begins."""
    recalls = [level / 2 + 0.005 + step / 200 for step in range(200)]
    points = [(recall, level * recall / (2 * recall - level)) for recall in recalls if 2 * recall > level]
    inside = [(x, y) for x, y in points if x <= 1 and y <= 1]
    axis.plot(*zip(*inside, strict=True), color="#dedede", linewidth=1, zorder=0)
    axis.annotate(f"F = {level}", inside[-1], xytext=(3, 0), textcoords="offset points", fontsize=7, color=plots.GREY, verticalalignment="center")
    return inside[-1]


def quality_cost(title, panels, quality="f1"):
    """Draws methods by time per document and quality, the size of their prints as the area of markers; `panels` are (heading, Table, documents)."""
    figure, axes = plots._panels(title, len(panels), 5.0)
    points = []
    for axis, (heading, table, documents) in zip(axes, panels, strict=True):
        own = [(method, 1e6 * table.value(method, "seconds") / documents, zero(table.value(method, quality))) for method in table.methods()]
        axis.set(xlabel="microseconds per document", ylabel=quality, title=heading, xscale="log", **limits(own))
        axis.xaxis.set(major_locator=LogLocator(subs=(1, 2, 5)), minor_locator=NullLocator(), major_formatter=PLAIN)
        for index, (method, cost, value) in enumerate(own):
            area = 20 + 12 * math.log2(1 + zero(table.value(method, "bytes_per_document")))
            style = plots.scattered(index)
            axis.scatter([cost], [value], s=area, color=style["color"], marker=style["marker"], alpha=0.8)
        points.append(own)
    for axis, own in zip(axes, points, strict=True):
        labels.add(figure, axis, own)
    return figure


def limits(points):
    """Returns limits with room for labels around (name, cost, quality) points."""
    costs, top = [cost for _, cost, _ in points], max(MIN_TOP, max(value for *_, value in points))
    return {"xlim": (min(costs) / 1.3, 1.6 * max(costs)), "ylim": (-0.15 * top, 1.15 * top)}
