"""Time and memory against documents on logarithmic axes, with the slope of each stage: plot_growth.py CSV OUT (writes OUT.png and OUT.svg)."""

import csv
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import matplotlib.ticker
import numpy as np

# Seconds; executables tell hundredths.
SHORTEST = 0.01

# Colours that the colour-blind can tell apart (Okabe and Ito), with a marker each for print without colour.
STYLES = {
    "similarity_80": ("similarity ≥ 0.8", "#D55E00", "s"),
    "create_sigs_gauss": ("create_sigs, N(0,1)", "#0072B2", "o"),
    "create_sigs_levels": ("create_sigs, levels", "#56B4E9", "v"),
    "hamming_95": ("hamming ≥ 95 % (50 iterations)", "#009E73", "^"),
    "hamming_full_95": ("hamming_full ≥ 95 %", "#CC79A7", "D"),
}


def measured(path, column):
    """{stage: (documents, values of a column)}, in the order of STYLES."""
    with open(path) as file:
        lines = list(csv.DictReader(file))
    found = {}
    for stage in STYLES:
        points = sorted((int(line["documents"]), float(line[column])) for line in lines if line["stage"] == stage)
        if points:
            found[stage] = tuple(map(np.array, zip(*points)))
    return found


def draw(axes, stage, documents, values):
    """The points, the fitted line, and its slope at the line's end."""
    name, colour, marker = STYLES[stage]
    # What took no measurable time has no place on a logarithmic axis.
    values = np.maximum(values, SHORTEST)
    label = name
    if len(documents) > 1:
        slope, offset = np.polyfit(np.log(documents), np.log(values), 1)
        axes.plot(documents, np.exp(offset) * documents**slope, color=colour, linewidth=1.5)
        label = f"{name}: {slope:.2f}"
    axes.plot(documents, values, marker, color=colour, markersize=6, label=label)


def panel(axes, stages, what):
    for stage, (documents, values) in stages.items():
        draw(axes, stage, documents, values)
    sizes = sorted({int(size) for documents, _ in stages.values() for size in documents})
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    axes.xaxis.set_minor_locator(matplotlib.ticker.NullLocator())
    axes.yaxis.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set_xlabel("documents")
    axes.set_ylabel(what)
    axes.grid(True, which="major", color="#dddddd", linewidth=0.8)
    axes.legend(title="slope", frameon=False, fontsize=9, loc="upper center", bbox_to_anchor=(0.5, -0.16))


def main(path, out):
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 6), layout="constrained")
    panel(left, measured(path, "seconds"), "seconds, whole executable with its files")
    panel(right, measured(path, "peak_mb"), "peak memory, MB")
    figure.suptitle("Growth with the collection (synthetic documents of 250 words); slope 1 is linear, 2 quadratic", fontsize=11)
    figure.savefig(f"{out}.png", dpi=150)
    # Without a date, so that the same numbers give the same file.
    figure.savefig(f"{out}.svg", metadata={"Date": None})


if __name__ == "__main__":
    main(*sys.argv[1:])
