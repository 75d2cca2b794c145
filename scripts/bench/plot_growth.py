"""Time against documents on logarithmic axes, with the slope of each stage: plot_growth.py CSV OUT (writes OUT.png and OUT.svg)."""

import csv
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

# Colours that the colour-blind can tell apart (Okabe and Ito), with a marker each for print without colour.
STYLES = {
    "similarity_80": ("similarity ≥ 0.8", "#D55E00", "s"),
    "create_sigs_gauss": ("create_sigs, N(0,1)", "#0072B2", "o"),
    "create_sigs_levels": ("create_sigs, levels", "#56B4E9", "v"),
    "hamming_95": ("hamming ≥ 95 % (50 iterations)", "#009E73", "^"),
    "hamming_full_95": ("hamming_full ≥ 95 %", "#CC79A7", "D"),
}


def measured(path):
    """{stage: (documents, seconds)}, in the order of STYLES."""
    with open(path) as file:
        lines = list(csv.DictReader(file))
    found = {}
    for stage in STYLES:
        points = sorted((int(line["documents"]), float(line["seconds"])) for line in lines if line["stage"] == stage)
        if points:
            found[stage] = tuple(map(np.array, zip(*points)))
    return found


def draw(axes, stage, documents, seconds):
    """The points, the fitted line, and its slope in the legend."""
    name, colour, marker = STYLES[stage]
    # A stage that takes no measurable time has no place on a logarithmic axis.
    seconds = np.maximum(seconds, 0.01)
    label = name
    if len(documents) > 1:
        slope, offset = np.polyfit(np.log(documents), np.log(seconds), 1)
        axes.plot(documents, np.exp(offset) * documents**slope, color=colour, linewidth=1.5)
        label = f"{name}: slope {slope:.2f}"
    axes.plot(documents, seconds, marker, color=colour, markersize=7, label=label)


def main(path, out):
    stages = measured(path)
    figure, axes = plt.subplots(figsize=(8, 5.2), layout="constrained")
    for stage, (documents, seconds) in stages.items():
        draw(axes, stage, documents, seconds)
    sizes = sorted({int(size) for documents, _ in stages.values() for size in documents})
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    axes.minorticks_off()
    axes.yaxis.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set_xlabel("documents (synthetic, 250 words in the mean)")
    axes.set_ylabel("seconds, whole executable with its files")
    axes.set_title("Time against the size of the collection; slope 1 is linear, 2 quadratic", fontsize=11)
    axes.grid(True, which="major", color="#dddddd", linewidth=0.8)
    axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    figure.savefig(f"{out}.png", dpi=150)
    # Without a date, so that the same numbers give the same file.
    figure.savefig(f"{out}.svg", metadata={"Date": None})


if __name__ == "__main__":
    main(*sys.argv[1:])
