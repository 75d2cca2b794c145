"""Plot of time and memory over the number of documents, with fitted exponents."""

import pandas as pd

from report import plots
from report.estimate import exponent

# Executables report hundredths of a second; a logarithmic axis has no place for 0.
SHORTEST = 0.01
STAGES = {
    "similarity_80": "similarity ≥ 0.8",
    "create_sigs_gauss": "create_sigs, N(0,1)",
    "create_sigs_levels": "create_sigs, levels",
    "hamming_95": "hamming ≥ 95 % (50 iterations)",
    "hamming_full_95": "hamming_full ≥ 95 %",
}


def plot(path, stem):
    """Writes STEM.svg and STEM.png."""
    table = pd.read_csv(path)
    title = "Growth with the collection (synthetic documents of 250 words)"
    panels = [panel(table, "seconds", "time (s)"), panel(table, "peak_mb", "peak memory (MB)")]
    plots.save(plots.curves(title, panels, own_legends=True), stem)


def panel(table, column, label):
    series = []
    for index, (stage, name) in enumerate(STAGES.items()):
        rows = table[table["stage"] == stage].sort_values("documents")
        points = list(zip(rows["documents"], rows[column].clip(lower=SHORTEST), strict=True))
        fit = exponent(points)
        if points:
            text = f"{name}: exponent {fit.slope:.2f}" if fit else name
            series.append(plots.Series(text, plots.measured(index), [(x, y, None) for x, y in points]))
    ticks = sorted(table.loc[table["stage"].isin(STAGES), "documents"].unique())
    return plots.Panel("documents", label, series, logarithmic=True, x_ticks=ticks)
