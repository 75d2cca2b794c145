"""The page on more than one machine, from the rows of `stages.csv`: overhead of shards, network and memory per stage, projected and simulated times."""

import argparse
import dataclasses
import pathlib
import sys

import pandas as pd
from scipy.optimize import nnls

from report import plots
from report.estimate import exponent
from report.markdown import duration, number, table

from .makespan import SEEDS, Cluster, Work, extremes, ideal
from .scale import MERGE, SHARD, WHOLE

# Largest ratio of shards and merge to the unsharded run where the work is linear.
LIMIT = 1.3
REASONS = {
    "create_bows": "every shard counts the lines before its own, and the merge verifies the checksums of all bags",
    "create_voc": "not linear: a vocabulary grows more slowly than its collection, so the parts together have several times the terms of the whole",
    "create_vecs": "every shard reads and indexes the whole vocabulary, whatever its number of documents: 0.15 s for 1.1 million terms, a third of a shard here, 0.3 % of a shard of a minute. The merge verifies the checksums of all vectors",
    "create_sigs": "every shard prepares the hyperplanes, and the merge reads signatures up to three times",
    "hamming": "every shard reads all signatures; pairs found in several iterations are written by each shard that finds them",
    "hamming_full": "every shard reads all signatures",
    "similarity": "not linear: every shard reads and indexes vectors of other shards",
    "create_prints": "every shard counts the lines before its own, and the merge verifies the checksums of all prints",
    "match_prints": "not linear: every shard reads all prints",
    "find_near_dups": "not linear: a shard compares parts of the collection with parts, and each part is read by several shards",
    "ngram_index": "the merge writes all postings again",
    "ngram_search": "every shard opens the whole index, and the queries are few",
}
# Stages that compare documents with documents.
QUADRATIC = ("hamming_full", "similarity", "match_prints", "find_near_dups")
SIZES = (10_000_000, 100_000_000, 1_000_000_000)
NODES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
SHARDS_PER_NODE = (1, 4, 16)
# Slurm's default MaxArraySize allows 1,000 tasks per array.
MAX_SHARDS = 1000
WORKFLOWS = {
    "pipeline": ("create_bows", "create_voc", "create_vecs", "create_sigs", "hamming"),
    "find_near_dups": ("find_near_dups",),
}
SIMULATED = 100_000_000
# The stage of large.csv.
LARGE = "find_near_dups"


@dataclasses.dataclass(frozen=True)
class Power:
    """Time ~ n^exponent; at least 1: start-up time must not promise more."""

    exponent: float

    @staticmethod
    def fit(points):
        found = exponent(points)
        return Power(max(1.0, found.slope) if found else 1.0)

    def ratio(self, old, new):
        """Returns the time for `new` documents over that for `old`."""
        return (new / old) ** self.exponent

    def __str__(self):
        return f"n^{self.exponent:.2f}"


@dataclasses.dataclass(frozen=True)
class Quadratic:
    """Time ~ n + share · n²: every document is read, and compared with others."""

    share: float

    @staticmethod
    def fit(points):
        """Fits both terms, neither below 0, to the times per document."""
        (linear, square), _ = nnls([[1.0, documents] for documents, _ in points], [seconds / documents for documents, seconds in points])
        return Quadratic(square / linear if linear else float("inf"))

    def ratio(self, old, new):
        """Returns the time for `new` documents over that for `old`."""
        if self.share == float("inf"):
            return (new / old) ** 2
        return (new + self.share * new**2) / (old + self.share * old**2)

    def __str__(self):
        return f"n + n²/{1 / self.share:,.0f}" if self.share else "n"


class Measured:
    """The rows of one run, those of the largest collection by stage."""

    def __init__(self, folder):
        self.rows = pd.read_csv(pathlib.Path(folder) / "stages.csv")
        machine = (pathlib.Path(folder) / "machine.txt").read_text().splitlines()
        self.machine = {line.split()[0]: line.split(maxsplit=1)[1] for line in machine}
        self.documents = int(self.rows["documents"].max())
        self.full = self.rows[self.rows["documents"] == self.documents]
        self.stages = list(dict.fromkeys(self.full["stage"]))
        self.shards = int(self.full["index"].max())
        large = pathlib.Path(folder) / "large.csv"
        self.large = pd.read_csv(large) if large.exists() else None

    def of_large(self, stage, kind):
        """Returns the rows of a kind on the large collection, none if it was not measured."""
        return self.large[self.large["run"] == kind] if stage == LARGE and self.large is not None else self.rows.head(0)

    def of(self, stage, kind):
        return self.full[(self.full["stage"] == stage) & (self.full["run"] == kind)]

    def seconds(self, stage, kind):
        """Returns the time of all runs of a kind, one after the other."""
        return float(self.of(stage, kind)["seconds"].sum())

    def ratio(self, stage):
        """Returns the time of shards and merge over that of the unsharded run."""
        return (self.seconds(stage, SHARD) + self.seconds(stage, MERGE)) / self.seconds(stage, WHOLE)

    def spread(self, stage):
        """Returns the times of the shards relative to their mean."""
        seconds = self.of(stage, SHARD)["seconds"]
        return tuple(seconds / seconds.mean())

    def growth(self, stage):
        """Returns the law by which the unsharded times of a stage grow over the sizes, that of the large collection's part included."""
        rows = self.rows[(self.rows["stage"] == stage) & (self.rows["run"] == WHOLE)]
        points = [point for table in (rows, self.of_large(stage, WHOLE)) for point in zip(table["documents"], table["seconds"], strict=True)]
        return Quadratic.fit(points) if stage in QUADRATIC else Power.fit(points)

    def projected(self, stage, kind, documents):
        """Returns the projected seconds of all runs of a kind, from those of the largest measured collection. Merges are linear."""
        measured, seconds = self.documents, self.seconds(stage, kind)
        of_large = self.of_large(stage, kind)
        if len(of_large):
            measured, seconds = int(of_large["documents"].max()), float(of_large["seconds"].sum())
        return seconds * (documents / measured if kind == MERGE else self.growth(stage).ratio(measured, documents))

    def work(self, names, documents):
        """Returns the stages of a workflow for the simulation."""
        return tuple(Work(name, self.projected(name, SHARD, documents), self.spread(name), self.projected(name, MERGE, documents)) for name in names if name in self.stages)


def page(folder):
    """Returns the text of the page."""
    measured = Measured(folder)
    said = measured.machine
    return "\n".join(
        [
            "# More than one machine\n",
            f"Generated by `{said['run']}`. {said['cpu']}, {said['memory']}, {said['date']}, commit `{said['commit']}`. {measured.documents:,} synthetic documents of 250 words "
            f"(`create_corpus`), {measured.shards} shards run one after the other with all cores; medians of several runs. Raw numbers: [stages.csv](stages.csv), [machine.txt](machine.txt).\n",
            "## Overhead of shards\n",
            overhead(measured),
            *large(measured, pathlib.Path(folder)),
            "## Number of shards\n",
            advice(measured),
            "## Network\n",
            network(measured),
            "## Memory per task\n",
            memory(measured),
            "## Projected times\n",
            projection(measured),
            "## Simulated makespan\n",
            simulation(measured),
        ]
    )


def overhead(measured):
    rows = []
    for stage in measured.stages:
        times = [measured.seconds(stage, kind) for kind in (WHOLE, SHARD, MERGE)]
        rows.append([f"`{stage}`", *map(number, times), f"{measured.ratio(stage):.2f}"])
    head = ["stage", "unsharded (s)", f"{measured.shards} shards (s)", "merge (s)", "ratio"]
    text = (
        f"Time of {measured.shards} shards one after the other plus the merge, against the unsharded run. The merged files have the bytes of the unsharded run, which the measurement checks.\n\n"
        + table(head, rows, 1)
    )
    above = [stage for stage in measured.stages if measured.ratio(stage) > LIMIT]
    reasons = [f"- `{stage}`: {REASONS[stage]}.\n" for stage in above]
    return text + (f"\nAbove {LIMIT}:\n\n" + "".join(reasons) if above else f"\nNo stage is above {LIMIT}.\n")


def large(measured, folder):
    """Returns the section on a collection that outgrows the memory of a task, if it was measured."""
    if measured.large is None:
        return []
    shards, merge, whole = (measured.of_large(LARGE, kind) for kind in (SHARD, MERGE, WHOLE))
    documents, part = int(shards["documents"].max()), int(whole["documents"].max())
    total = shards["seconds"].sum() + merge["seconds"].sum()
    projected = measured.projected(LARGE, WHOLE, documents)
    head = ["run", "time", "peak memory (MB)", "read (GB)", "pairs"]

    def line(name, one, pairs):
        return [name, duration(one["seconds"].sum()), number(one["peak_mb"].max()), number(one["read_mb"].sum() / 1000), f"{int(pairs):,}"]

    longest = shards.loc[[shards["seconds"].idxmax()]]
    cells = [
        line(f"{len(shards)} shards, one after the other", shards, merge["pairs"].max()),
        line("the longest of them", longest, longest["pairs"].max()),
        line("merge", merge, merge["pairs"].max()),
        line(f"unsharded, the first {part:,} documents", whole, whole["pairs"].max()),
    ]
    said = dict(line.split(maxsplit=1) for line in (folder / "large-machine.txt").read_text().splitlines())
    return [
        f"## {documents:,} documents\n",
        f"`{said['run']}`. {said['cpu']}, commit `{said['commit']}`: `find_near_dups` on {documents:,} documents of 250 words, both cores per shard, once. In all {duration(total)}; an unsharded run is projected "
        f"to take {duration(projected)}. The pairs of the first {part:,} documents are those of an unsharded run on them, which the measurement checks. Raw numbers: [large.csv](large.csv).\n\n" + table(head, cells, 1),
    ]


def advice(measured):
    longest = max(measured.stages, key=lambda stage: measured.seconds(stage, WHOLE) / measured.documents)
    rate = measured.documents / measured.seconds(longest, WHOLE)
    return (
        "- At least as many shards as nodes, better 4 per node: a slow or lost node then costs a quarter of a node's share, which others take over (simulation below).\n"
        "- Shards of at least a minute: starting a task costs seconds on a busy cluster. "
        f"The slowest stage here, `{longest}`, does {rate:,.0f} documents per second, so a minute is {60 * rate:,.0f} documents.\n"
        "- Shards whose peak fits the memory of a task (`--mem`): see below.\n"
        "- Many files rather than one: a shard of a file with one document per line also reads the lines before its own, to count them. Compressed files are not cut at all.\n"
        f"- At most {MAX_SHARDS:,} shards per stage, unless the cluster raises Slurm's `MaxArraySize`.\n"
        "- More shards do not slow down merges of lists, vocabularies and pairs, which read every part once. Stages that compare documents read more with more shards: see *Network*.\n"
    )


def network(measured):
    rows = []
    for stage in measured.stages:
        whole, shards, merge = (measured.of(stage, kind) for kind in (WHOLE, SHARD, MERGE))
        cells = [whole["read_mb"].sum(), shards["read_mb"].sum(), shards["written_mb"].sum(), merge["read_mb"].sum(), merge["written_mb"].sum()]
        times_read = cells[1] / cells[0] if cells[0] else 1.0
        rows.append([f"`{stage}`", *(number(1e6 * cell / measured.documents) for cell in cells), f"{times_read:.1f}"])
    head = ["stage", "unsharded: read", "shards: read", "shards: written", "merge: read", "merge: written", "shards read, times"]
    return (
        "Bytes per document that processes read and write. On a cluster, all of them pass the shared file system. The last column is what the shards read together, over what the unsharded run reads: "
        f"1 means that every byte is read once, {measured.shards} that every shard reads everything.\n\n" + table(head, rows, 1)
    )


def memory(measured):
    rows = []
    for stage in measured.stages:
        peaks = [float(measured.of(stage, kind)["peak_mb"].max()) for kind in (WHOLE, SHARD, MERGE)]
        rows.append([f"`{stage}`", *map(number, peaks), number(1e6 * peaks[1] / (measured.documents / measured.shards))])
    head = ["stage", "unsharded (MB)", "largest shard (MB)", "merge (MB)", "shard, bytes per document of it"]
    return "Peak memory of a process. The last column bounds what a task needs from above: part of a peak does not grow with the documents.\n\n" + table(head, rows, 1)


def projection(measured):
    rows = []
    for stage in measured.stages:
        times = [measured.projected(stage, SHARD, size) + measured.projected(stage, MERGE, size) for size in SIZES]
        rows.append([f"`{stage}`", str(measured.growth(stage)), *map(duration, times)])
    for name, parts in WORKFLOWS.items():
        times = [sum(work.seconds + work.merge_seconds for work in measured.work(parts, size)) for size in SIZES]
        rows.append([f"**{name}**", "", *map(duration, times)])
    head = ["stage", "growth", *(f"{size // 1_000_000:,} million" for size in SIZES)]
    also = f" (`{LARGE}`: {int(measured.large['documents'].max()):,})" if measured.large is not None else ""
    return (
        f"**A projection, not a measurement**: time on one node like this machine, shards and merges, from the times at {measured.documents:,} documents{also} and the growth of the unsharded run over all measured sizes "
        "(of n documents; at least n, merges n). Stages that compare documents have a term n²; where it is too small to be seen at these sizes, the projection is too low. It assumes that memory, file system "
        "and network keep pace. Divide by the number of nodes for a lower bound.\n\n" + table(head, rows, 1)
    )


def curves(measured):
    """Returns the plot of simulated makespans: hours over nodes, by shards per node."""
    panels = []
    for name, parts in WORKFLOWS.items():
        work = measured.work(parts, SIMULATED)
        if not work:
            continue
        series = [plots.Series("ideal: no delays, stragglers, failures or merges", plots.theory(), [(nodes, ideal(work, nodes) / 3600, None) for nodes in NODES])]
        for index, per_node in enumerate(SHARDS_PER_NODE):
            points = [(nodes, extremes(work, nodes, nodes * per_node, Cluster())[0] / 3600, None) for nodes in NODES]
            series.append(plots.Series(f"{per_node} shard{'s' if per_node > 1 else ''} per node", plots.measured(index), points))
        panels.append(plots.Panel("nodes", "makespan (h)", series, heading=name, logarithmic=True, x_ticks=[1, 10, 100, 1000]))
    return plots.curves(f"Simulated makespan of {SIMULATED // 1_000_000} million documents", panels)


def simulation(measured):
    cluster = Cluster()
    text = (
        f"![Makespan over nodes](makespan.png)\n\n**Simulated**, {SIMULATED // 1_000_000} million documents: shard times are projected as above and vary like the {measured.shards} measured shards of the stage. "
        f"Assumptions: {cluster.start_delay:.0f} s to start a task; {100 * cluster.straggler_share:.0f} % of the tasks take {cluster.straggler_factor[0]} to {cluster.straggler_factor[1]} times as long; a node fails every "
        f"{cluster.node_mtbf / 86_400:.0f} days on average, its task starts anew after {cluster.requeue_delay:.0f} s, and the node is back after {cluster.repair / 3600:.0f} h; one merge per stage on one node; "
        f"all shards together do the work of {measured.shards} shards, although stages that compare documents read more with more of them. "
        f"Median, least and largest of {SEEDS} seeds.\n"
    )
    for name, parts in WORKFLOWS.items():
        work = measured.work(parts, SIMULATED)
        if not work:
            continue
        rows = []
        for nodes in NODES:
            cells = []
            for per_node in SHARDS_PER_NODE:
                median, low, high = extremes(work, nodes, nodes * per_node, cluster)
                cells.append(f"{duration(median)} ({duration(low)}–{duration(high)})")
            rows.append([f"{nodes:,}", duration(ideal(work, nodes)), *cells])
        text += f"\n### {name}\n\n" + table(["nodes", "ideal", *(f"{per_node} shard{'s' if per_node > 1 else ''} per node" for per_node in SHARDS_PER_NODE)], rows, 1)
        serial = sum(one.merge_seconds for one in work)
        text += f"\nMerges alone take {duration(serial)}, whatever the number of nodes.\n"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder
    plots.save(curves(Measured(folder)), str(folder / "makespan"))
    (folder / "README.md").write_text(page(folder))


if __name__ == "__main__":
    sys.exit(main())
