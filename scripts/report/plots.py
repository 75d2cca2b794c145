"""Plots of the reports: one look for all, distinguishable without colour vision and in print. The same input gives the same files."""

import io
import math
from dataclasses import dataclass, field

import matplotlib
import numpy as np
from matplotlib.colors import LinearSegmentedColormap, LogNorm
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

from . import files

matplotlib.rcParams.update(
    {
        "axes.axisbelow": True,
        "axes.edgecolor": "#5a5a5a",
        "axes.grid": True,
        "axes.labelsize": 10,
        "axes.titlesize": 10,
        "axes.titleweight": "bold",
        "figure.constrained_layout.h_pad": 0.08,
        "figure.constrained_layout.w_pad": 0.1,
        "figure.dpi": 120,
        "font.family": "DejaVu Sans",
        "font.size": 9.5,
        "grid.color": "#dedede",
        "legend.frameon": False,
        # Identifiers in SVG files depend on the content only; text stays text.
        "svg.hashsalt": "nearsig",
        "svg.fonttype": "none",
    }
)

# The colours of Okabe and Ito that stand out from white; neighbours differ in lightness too.
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00")
VERMILION, GREY = "#d55e00", "#5a5a5a"
MARKERS = "o^sDv"
# Lightness falls from few to many, so that the order survives print.
RAMP = LinearSegmentedColormap.from_list("few_to_many", ("#fde778", "#a0da39", "#35b779", "#21918c", "#365c8d", "#440154"))
WIDTH = 10.0
PANELS_PER_ROW = 2
# Legends with a name longer than this have two columns.
LONG_NAME = 36
MAX_COLUMNS = 6
# Leading digits of the distance between ticks.
ROUND_STEPS = (1, 2, 5, 10)
# Series with more points get smaller markers.
MANY_POINTS = 12


def measured(index):
    """Returns the style of a measured series; different indexes look different."""
    line = ("-", "--")[index // len(COLOURS) % 2]
    return {"color": COLOURS[index % len(COLOURS)], "marker": MARKERS[index % len(MARKERS)], "linestyle": line}


def scattered(index):
    """Returns the style of a measured series without lines between its points."""
    return measured(index) | {"linestyle": "none"}


def published(index):
    """Returns the style of a published series."""
    return {"color": "black", "marker": MARKERS[index % len(MARKERS)], "linestyle": ":", "markerfacecolor": "white"}


def theory():
    """Returns the style of a theoretical curve."""
    return {"color": "black", "linestyle": "--"}


@dataclass(frozen=True)
class Series:
    """Points (x, y, half-interval or None) of one name and style; the same name looks the same in every panel."""

    name: str
    style: dict
    points: list


@dataclass(frozen=True)
class Panel:
    """One pair of axes. `vertical` is (x, label) of a vertical mark, `diagonal` the label of the line x = y."""

    x_label: str
    y_label: str
    series: list
    heading: str = ""
    x_limits: tuple | None = None
    y_limits: tuple | None = None
    logarithmic: bool = False
    x_ticks: list = field(default_factory=list)
    vertical: tuple | None = None
    diagonal: str = ""


def curves(title, panels, own_legends=False):
    """Draws series of points with error bars, two panels per row, with one legend for all panels or one for each."""
    figure, axes = _panels(title, len(panels), 5.0 if len(panels) == 1 else 4.6)
    for axis, panel in zip(axes, panels, strict=True):
        _draw_panel(axis, panel)
    if own_legends:
        for axis in axes:
            axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14))
        return figure
    marks = [label for panel in panels for label in ((panel.vertical or ("", ""))[1], panel.diagonal)]
    _legend(figure, axes, [series.name for panel in panels for series in panel.series] + marks)
    return figure


def _panels(title, count, height):
    """Returns a figure with a title, and `count` axes."""
    rows = math.ceil(count / PANELS_PER_ROW)
    figure = _figure(title, height * rows)
    axes = np.ravel(figure.subplots(rows, min(count, PANELS_PER_ROW), squeeze=False))
    for unused in axes[count:]:
        unused.set_axis_off()
    return figure, axes[:count]


def _figure(title, height):
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    figure.suptitle(title, x=0.01, horizontalalignment="left", fontsize=12, fontweight="bold")
    return figure


def _draw_panel(axis, panel):
    axis.set(xlabel=panel.x_label, ylabel=panel.y_label, title=panel.heading)
    for series in panel.series:
        _draw_series(axis, series)
    if panel.logarithmic:
        _make_logarithmic(axis, panel.x_ticks)
    else:
        axis.xaxis.set_major_locator(MaxNLocator(steps=ROUND_STEPS))
    axis.set(xlim=panel.x_limits, ylim=panel.y_limits)
    if panel.vertical:
        axis.axvline(panel.vertical[0], color=VERMILION, linestyle="--", label=panel.vertical[1], zorder=1)
    if panel.diagonal:
        axis.axline((0, 0), slope=1, color=GREY, linestyle="--", linewidth=1, label=panel.diagonal, zorder=1)
    if not any(series.points for series in panel.series):
        axis.text(0.05, 0.9, "no values", transform=axis.transAxes, color=GREY)


def _draw_series(axis, series):
    if series.points:
        x, y, half = zip(*series.points, strict=True)
        errors = None if all(one is None for one in half) else [one or 0.0 for one in half]
        size = 4 if len(x) > MANY_POINTS else 6
        axis.errorbar(x, y, yerr=errors, label=series.name, capsize=3, markersize=size, linewidth=1.5, **series.style)


def _make_logarithmic(axis, x_ticks):
    axis.set(xscale="log", yscale="log")
    axis.set_xticks(x_ticks)
    axis.xaxis.set_minor_locator(NullLocator())
    axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.yaxis.set_minor_formatter(NullFormatter())
    for one in (axis.xaxis, axis.yaxis):
        one.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))


def _legend(figure, axes, order):
    """Adds a legend below all axes that names everything once, in this order."""
    handles = {}
    for axis in axes:
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    names = [name for name in dict.fromkeys(order) if name in handles]
    if names:
        columns = 2 if max(map(len, names)) > LONG_NAME else MAX_COLUMNS
        figure.legend([handles[name] for name in names], names, loc="outside lower center", ncols=min(columns, len(names)))


def density(title, bins, curve, labels):
    """Draws pair counts per 1 % × 1 % bin on a logarithmic colour scale, with a curve of (x, y) points; `labels` name x, y, count and curve."""
    low = math.floor(min(50.0, bins["hamming"].min()) / 10) * 10
    counts = np.full((100 - low + 1, 101), np.nan)
    counts[(bins["hamming"] - low).astype(int), bins["cosine"].astype(int)] = bins["pairs"]
    figure = _figure(title, 5.6)
    axis = figure.subplots()
    most = max(float(bins["pairs"].max()), 2.0)
    image = axis.imshow(
        counts, origin="lower", extent=(0, 101, low, 101), aspect="auto", interpolation="nearest", cmap=RAMP, norm=LogNorm(1, most), zorder=1
    )
    x, y = zip(*curve, strict=True)
    axis.plot(x, y, color="white", linewidth=4, zorder=2)
    axis.plot(x, y, color=VERMILION, linewidth=2, label=labels["curve"], zorder=3)
    axis.set(xlabel=labels["x"], ylabel=labels["y"], xlim=(0, 100), ylim=(low, 100))
    figure.colorbar(image, ax=axis, label=labels["count"], format=FuncFormatter(lambda value, _: f"{value:,.0f}"))
    _legend(figure, [axis], [labels["curve"]])
    return figure


@dataclass(frozen=True)
class Bar:
    """A bar: its length, the text beside it, and half of its interval."""

    value: float
    label: str
    half: float | None = None


def bars(title, x_label, kinds, groups, logarithmic=False):
    """Draws horizontal bars: `groups` are (name, one Bar or None per kind); a kind without a bar leaves no gap."""
    figure = _figure(title, 1.6 + 0.17 * len(groups) * (len(kinds) + 1))
    axis = figure.subplots()
    axis.set(xlabel=x_label, xscale="log" if logarithmic else "linear")
    axis.grid(visible=False, axis="y")
    thickness = 0.8 / len(kinds)
    for row, (_, group) in enumerate(groups):
        present = [(kind, bar) for kind, bar in enumerate(group) if bar]
        for place, (kind, bar) in enumerate(present):
            y = row + (place - (len(present) - 1) / 2) * thickness
            _draw_bar(axis, y, thickness, bar, kind, kinds[kind])
    axis.set_yticks(range(len(groups)), [name for name, _ in groups])
    axis.set_ylim(len(groups) - 0.5, -0.5)
    axis.margins(x=0.12)
    if logarithmic:
        axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}" if value < 1e6 else f"{value:,.0f}"))
    _legend(figure, [axis], kinds)
    return figure


def _draw_bar(axis, y, thickness, bar, kind, name):
    axis.barh(y, bar.value, height=0.9 * thickness, color=COLOURS[kind], label=name)
    if bar.half is not None:
        axis.errorbar(bar.value, y, xerr=bar.half, color="black", capsize=2)
    axis.annotate(
        bar.label, (bar.value + (bar.half or 0.0), y), xytext=(6, 0), textcoords="offset points", verticalalignment="center", color=GREY, fontsize=8
    )


def histograms(title, x_label, y_label, panels):
    """Draws classes of equal width from 0 to 100, one panel per (heading, one Estimate per class)."""
    figure, axes = _panels(title, len(panels), 4.0)
    for axis, (heading, classes) in zip(axes, panels, strict=True):
        width = 100 / len(classes)
        middles = [width * (index + 0.5) for index in range(len(classes))]
        halves = [one.half or 0.0 for one in classes]
        axis.bar(middles, [one.mean for one in classes], width=0.92 * width, color=COLOURS[0], yerr=halves, error_kw={"elinewidth": 1.2})
        axis.set(xlabel=x_label, ylabel=y_label, title=heading, xlim=(0, 100), ylim=(0, None))
    return figure


def save(figure, stem):
    """Writes a figure as STEM.svg and STEM.png without dates; returns the number of files."""
    for ending, metadata in (("svg", {"Date": None, "Creator": None}), ("png", {"Software": None})):
        buffer = io.BytesIO()
        figure.savefig(buffer, format=ending, metadata=metadata)
        files.write(f"{stem}.{ending}", buffer.getvalue())
    return 2
