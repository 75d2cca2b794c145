"""Closed forms behind the measurements, and plots that show them beside measured values."""

import math

from . import plots
from .frames import ascending, at, groups, mean, where

# Straight segments of the curve in a density plot.
STEPS = 50


def expected_hamming(cosine):
    """Returns the expected Hamming similarity of a pair with this cosine, both in per cent: 100·(1 − arccos(c)/π)."""
    return 100 * (1 - math.acos(min(max(cosine / 100, -1.0), 1.0)) / math.pi)


def over_length(rows, column):
    """Returns (bits, mean, half-interval) per signature length."""
    values = [(bits, mean(at(rows, "sig_len", bits), column)) for bits in ascending(rows, "sig_len")]
    return [(bits, value.mean, value.half) for bits, value in values if value]


def plot(title, rows, published):
    """Plots S over the signature length with its closed form and the published values, one panel per weighting."""
    return plots.curves(title, [_panel(weighting, rows, published) for weighting in rows["weighting"].unique()])


def _panel(weighting, rows, published):
    own = where(rows, weighting=weighting)
    series = [
        plots.Series(collection, plots.measured(index), over_length(where(own, collection=collection), "S"))
        for index, collection in enumerate(rows["collection"].unique())
    ]
    theory = [(bits, value, None) for bits, value, _ in over_length(own, "S_theory")]
    series.append(plots.Series("closed form", plots.theory(), theory))
    points = [
        (float(row["sig_len"]), row["value"], None) for table in published for _, row in where(table, weighting=weighting, measure="S").iterrows()
    ]
    series.append(plots.Series("thesis", plots.published(3), points))
    lengths = sorted({x for one in series for x, _, _ in one.points})
    ticks = [length for length in lengths if math.log2(length).is_integer()]
    return plots.Panel("signature length (bits)", "S (squared points)", series, weighting, logarithmic=True, x_ticks=ticks)


def density_plots(source, chapter):
    """Adds a density plot per collection, weighting and length, unless the page shows it already."""
    for (collection, weighting, bits), rows in groups(source.rows("density"), "collection", "weighting", "sig_len"):
        name, bins = f"density-{collection}-{weighting}-{bits}", source.bins(rows)
        if name not in source.shown and not bins.empty:
            seeds = rows["rnd_seed"].nunique()
            of_seeds = f" of {seeds} seeds" if seeds > 1 else ""
            title = f"{collection}, {weighting}, {bits} bits: Hamming similarity over cosine, {bins['pairs'].sum():,.0f} pairs{of_seeds}"
            chapter.picture(name, title, _density(title, bins))


def _density(title, bins):
    # Equal steps of the angle: the curve is steep near a cosine of 1.
    cosines = [100 * math.sin(math.pi / 2 * step / STEPS) for step in range(STEPS + 1)]
    labels = {
        "x": "cosine c (%)",
        "y": "Hamming similarity h (%)",
        "count": "pairs per bin of 1 % × 1 %",
        "curve": "h = 1 − arccos(c)/π",
    }
    return plots.density(title, bins, [(cosine, expected_hamming(cosine)) for cosine in cosines], labels)
