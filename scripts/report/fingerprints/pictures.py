"""Plots of tables of evaluate_methods: precision over recall, and quality over cost."""

import math

from .. import plots
from .tables import zero

# Curves of equal F.
LEVELS = (0.2, 0.4, 0.6, 0.8)


def precision_recall(title, panels, columns=("recall_union", "precision_string")):
    """Draws methods by recall and precision, with curves of equal F; `panels` are (heading, Table)."""
    figure, axes = plots._panels(title, len(panels), 5.0)
    for axis, (heading, table) in zip(axes, panels, strict=True):
        axis.set(xlabel=columns[0], ylabel=columns[1], title=heading, xlim=(-0.03, 1.05), ylim=(-0.03, 1.08))
        for level in LEVELS:
            draw_level(axis, level)
        for index, method in enumerate(table.methods()):
            draw_method(axis, index, method, table.value(method, columns[0]), table.value(method, columns[1]))
    return figure


def draw_level(axis, level):
    """Draws the curve on which F has one value."""
    recalls = [level / 2 + 0.005 + step / 200 for step in range(200)]
    points = [(recall, level * recall / (2 * recall - level)) for recall in recalls if 2 * recall > level]
    inside = [(x, y) for x, y in points if x <= 1 and y <= 1]
    axis.plot(*zip(*inside, strict=True), color="#dedede", linewidth=1, zorder=0)
    axis.annotate(f"F = {level}", inside[-1], fontsize=7, color=plots.GREY)


def draw_method(axis, index, method, x, y):
    """Draws a method as a marker with its name; nothing where a value is undefined."""
    if math.isnan(x) or math.isnan(y):
        return
    axis.errorbar([x], [y], markersize=6, **plots.scattered(index))
    axis.annotate(method, (x, y), xytext=(5, 4), textcoords="offset points", fontsize=7.5)


def quality_cost(title, panels, quality="f1"):
    """Draws methods by time per document and quality, the size of their prints as the area of markers; `panels` are (heading, Table, documents)."""
    figure, axes = plots._panels(title, len(panels), 5.0)
    for axis, (heading, table, documents) in zip(axes, panels, strict=True):
        axis.set(xlabel="microseconds per document", ylabel=quality, title=heading, xscale="log", ylim=(-0.03, 1.08))
        for index, method in enumerate(table.methods()):
            cost = 1e6 * table.value(method, "seconds") / documents
            area = 20 + 12 * math.log2(1 + zero(table.value(method, "bytes_per_document")))
            style = plots.scattered(index)
            axis.scatter([cost], [zero(table.value(method, quality))], s=area, color=style["color"], marker=style["marker"], alpha=0.8)
            axis.annotate(method, (cost, zero(table.value(method, quality))), xytext=(5, 4), textcoords="offset points", fontsize=7.5)
    return figure
