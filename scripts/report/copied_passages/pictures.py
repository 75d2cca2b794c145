"""Plots of the experiments with the n-gram index."""

from .. import plots
from .extraction import CLUSTER, EMBEDDED, EXPORT, EXTRACTOR
from .plan import CONDITIONS, LENGTH
from .source import document_f1

TOOLS = {EMBEDDED: "ngram_index, embedded", EXPORT: "ngram_index, embedded, with export of hashes", CLUSTER: "ngram_index, Redis cluster", EXTRACTOR: "irstlm ngt, one thread"}


def extraction(rows):
    """Draws time and memory over the size of the text."""
    panels = []
    for column, label, heading in (("seconds", "seconds", "Time"), ("peak_megabytes", "peak memory of the process (MB)", "Memory")):
        series = []
        for index, (tool, name) in enumerate(TOOLS.items()):
            points = sorted((float(row["megabytes"]), float(row[column]), None) for row in rows if row["tool"] == tool)
            series.append(plots.Series(name, plots.measured(index), points))
        sizes = sorted({float(row["megabytes"]) for row in rows})
        panels.append(plots.Panel("text (MB)", label, series, heading, logarithmic=True, x_ticks=sizes))
    return plots.curves("Extraction of 7-grams: time and memory", panels)


def shape(tables, published):
    """Draws distinct n-grams by n, relative to n = 7."""
    series = []
    for index, (name, rows) in enumerate(tables):
        counts = {int(row["n"]): int(row["distinct"]) for row in rows}
        series.append(plots.Series(name, plots.measured(index), [(n, count / counts[LENGTH], None) for n, count in sorted(counts.items())]))
    theirs = {int(column.partition("-")[0]): value for (row, column), value in published.items() if row == "number of n-grams"}
    series.append(plots.Series("Pekař 2015", plots.published(3), [(n, value / theirs[LENGTH], None) for n, value in sorted(theirs.items())]))
    return plots.curves("Distinct n-grams by n", [plots.Panel("n (words)", "distinct n-grams, relative to n = 7", series)])


def found(tables, published):
    """Draws the shares of table 6.1 as bars: groups by corpus and kind of document, one bar per condition."""
    groups = []
    names = {"original": "original", "large copies": "copies of larger parts", "small copies": "copies of smaller parts"}
    for group, row in names.items():
        label = f"{group}, clean" if group == "original" else group
        values = [published.get((row, condition)) for condition in CONDITIONS]
        groups.append((f"Pekař 2015: {label}", [None if value is None else plots.Bar(value, f"{value:.0f} %") for value in values]))
        for name, rows in tables:
            own = {one["condition"]: 100 * float(one["share"]) for one in rows if (one["grouping"], one["group"]) == ("length", group)}
            groups.append((f"{name}: {label}", [plots.Bar(own[condition], f"{own[condition]:.0f} %") for condition in CONDITIONS]))
    return plots.bars("Documents found, n = 7", "% of documents", list(CONDITIONS), groups)


def quality(listed, aligned, lengths):
    """Draws F1 of listed sources by n, one line per rules of an index, and plagdet of aligned passages, one per rules and alignment."""
    panels = []
    for heading, rows, value, name in (
        ("Sources listed", listed, document_f1, lambda row: row["preset"]),
        ("Passages aligned", aligned, lambda row: float(row["plagdet"] or 0), lambda row: f"{row['preset']}, by {row['align']}"),
    ):
        own = [row for row in rows if row["group"] == "all"]
        names = list(dict.fromkeys(map(name, own)))
        points = {(name(row), int(row["n"])): value(row) for row in own}
        series = [plots.Series(one, plots.measured(index), [(n, points[one, n], None) for n in lengths if (one, n) in points]) for index, one in enumerate(names)]
        panels.append(plots.Panel("n (words)", "F1 of documents" if rows is listed else "plagdet", series, heading, y_limits=(0, 1)))
    return plots.curves("Our corpus: quality by n", panels, own_legends=True)
