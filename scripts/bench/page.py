"""The page of the benchmarks, made from the raw numbers without measuring.

    python -m bench.page FOLDER            writes FOLDER/README.md and the growth plot
    python -m bench.page FOLDER SECTION    prints one section
"""

import csv
import pathlib
import sys

import pandas as pd

from bench import growth, raw, real_page
from bench.cells import NO_VALUE, origin, rounded, shown
from report import files, source
from report.markdown import table
from report.origin import ROOT

HERE = pathlib.Path(__file__).resolve().parent
OURS, WITHOUT_FILES = "nearsig", "nearsig, without files"
# 64-bit words of a signature of 1024 bits.
WORDS = 16

# Work, row, our tool, baseline, target ratio of rates.
AGAINST_BASELINES = [
    ("text → tf-idf", "text", OURS, "polars", 5),
    ("text → tf-idf", "text", OURS, "scikit-learn", 15),
    ("signatures, N(0,1)", "signatures_gauss", OURS, "numba", 1.7),
    ("signatures, N(0,1), without files", "signatures_gauss", WITHOUT_FILES, "numba", 1.7),
    ("signatures, N(0,1)", "signatures_gauss", OURS, "scipy", None),
    ("signatures, levels", "signatures_levels", OURS, "numba", 15),
    ("signatures, levels, without files", "signatures_levels", WITHOUT_FILES, "numba", 15),
    ("hamming_full ≥ 80 %", "hamming_full_80", OURS, "faiss", 35),
    ("hamming_full ≥ 95 %", "hamming_full_95", OURS, "faiss", 200),
    ("similarity ≥ 0.8, without files", "similarity_80", WITHOUT_FILES, "sparse_dot_topn", 150),
    ("similarity ≥ 0.8", "similarity_80", OURS, "sparse_dot_topn", 40),
    ("similarity ≥ 0.95, without files", "similarity_95", WITHOUT_FILES, "sparse_dot_topn", 500),
    ("similarity ≥ 0.95", "similarity_95", OURS, "sparse_dot_topn", 60),
    ("text → pairs (different task, for orientation)", "text_to_pairs", OURS, "rensa", None),
    ("text → pairs (different task, for orientation)", "text_to_pairs", OURS, "find-simdoc", None),
]
# Work, row, target seconds, seconds of the thesis.
AGAINST_TIME = [
    ("hamming_full ≥ 95 %", "hamming_full_95_large", 3, "54,748"),
    ("hamming (PLEB) ≥ 95 %, iter_count 50, beam 50, shift_count 70", "hamming_95_large", 10, "1,093"),
    ("similarity ≥ 0.95", "similarity_95_large", 60, "2,175,547"),
]
# Baseline of find_near_dups, target ratio of rates.
DEDUPLICATION = {"rensa": 3.9, "datasketch": 50, "datasketch in batches": 50, "text-dedup": 50}
# Row of find_near_dups next to the executables of earlier commits, which must not be faster.
EARLIER = "find_near_dups_earlier"
# Share of the pairs of hamming_full that PLEB reaches in the thesis with 50 iterations.
THESIS_SHARE = 0.994
# Iterations whose recall is shown.
SHOWN_ITERATIONS = (2, 5, 10, 50)


class Footnotes:
    """Reasons for missed targets, as footnotes of one section."""

    def __init__(self):
        with open(HERE / "limits.csv") as file:
            self.reasons = {line["row"]: line["limit"] for line in csv.DictReader(file)}
        self.used = {}

    def verdict(self, is_met, row):
        """Returns `yes`, or `no` with a footnote where the reason is known."""
        if is_met or row not in self.reasons:
            return "yes" if is_met else "no"
        self.used[row] = self.reasons[row]
        return f"no[^{row}]"

    def text(self):
        return "".join(f"\n[^{row}]: {reason}\n" for row, reason in self.used.items())


def find_near_dups(folder):
    runs = raw.recorded(folder, raw.FIND_NEAR_DUPS)
    if not runs:
        return None
    run = runs[-1]
    rows = []
    for baseline, target in DEDUPLICATION.items():
        measured = deduplication(run, baseline)
        if measured:
            ours, theirs, ratio = measured
            rows.append([baseline, shown(ours), shown(theirs), f"**{rounded(ratio)}×**", f"≥ {target}×", "yes" if ratio >= target else "no"])
    earlier = run.tools(EARLIER)
    for tool in earlier:
        ours, theirs, ratio = run.median(EARLIER, OURS), run.median(EARLIER, tool), run.ratio(EARLIER, tool)
        rows.append([f"`{tool}`", shown(ours), shown(theirs), f"**{rounded(ratio)}×**", "≥ 1×", "yes" if ratio >= 1 else "no"])
    large = run.median("find_near_dups_large", OURS)
    checks = run.checks()[["check", "ours", "theirs", "agree"]].values.tolist()
    return "\n".join(
        [
            "`scripts/bench.sh full find_near_dups` runs `find_near_dups` and deduplication libraries alternately, from JSON Lines on disk to the answer. "
            "rensa (128 permutations, 16 bands) and datasketch run in a Python process that is already started: datasketch word by word, as documented, and in batches of all words of a document. "
            "text-dedup is its command-line tool with two processes, start included, as ours. "
            "Baselines flag documents by estimated Jaccard similarity; ours reports pairs with exact cosines. datasketch and text-dedup ran once, ours five times next to them.\n",
            origin(run),
            table(["baseline", "nearsig (documents/s)", "baseline (documents/s)", "ratio", "target", "met"], rows, 1),
            *(["`nearsig@COMMIT` is the executable of an earlier commit, run alternately with this one.\n"] if earlier else []),
            f"Large collection: {shown(large)}.\n" if large else "",
            table(["check", "nearsig", "baseline or limit", "holds"], checks, 1),
            "Ratios of all recorded runs; runs of the same command differ by up to a fifth on this host, and the first after a pause is the slowest, "
            "because pages reclaimed by the host must be faulted in again:\n",
            table(["run", *DEDUPLICATION], [[run.path.stem, *ratios(run)] for run in runs], 1),
            Footnotes().reasons["find_near_dups"] + "\n",
        ]
    )


def deduplication(run, baseline):
    """Returns (ours, theirs, ratio) against a baseline of find_near_dups; None if it did not run."""
    row = "find_near_dups" if run.median("find_near_dups", baseline) else "find_near_dups_slow"
    ours, theirs = run.median(row, OURS), run.median(row, baseline)
    return (ours, theirs, ours[1] / theirs[1]) if ours and theirs else None


def ratios(run):
    found = [deduplication(run, baseline) for baseline in DEDUPLICATION]
    return [f"{rounded(one[2])}×" if one else NO_VALUE for one in found]


def pipeline(folder):
    runs = raw.recorded(folder, raw.PIPELINE)
    if not runs:
        return None
    run, notes = runs[-1], Footnotes()
    parts = [
        "`scripts/bench.sh full pipeline` creates a synthetic collection, runs our executables and baseline libraries alternately, and checks that the answers agree. "
        "Baselines are timed with their input in memory, without loading, compilation or random number generation; our executables from start to end with all files, "
        '"without files" the inner part alone. Baselines that take minutes ran once, with 2 threads only; sparse_dot_topn, whose work does not depend on the threshold, once for both.\n',
        origin(run),
        table(["work", "unit", "nearsig", "baseline", "ratio", "ratio, 1 thread", "target", "met"], against_baselines(run, notes), 1),
    ]
    large = against_time(run, notes)
    if large:
        parts.append(table(["large collection", "2 threads", "1 thread", "peak memory", "found", "thesis (s)", "target", "met"], large, 1))
    inner = inner_loops(run)
    if inner:
        parts.append(table(["inner loop, one core", "rate", "of the popcount ceiling"], inner, 1))
    return "\n".join(parts) + notes.text()


def against_baselines(run, notes):
    for work, row, tool, baseline, target in AGAINST_BASELINES:
        ours, alone = run.median(row, tool), run.median(row, tool, 1)
        # With as many threads as ours, where the baseline can.
        theirs = ours and (run.median(row, baseline, ours[2]) or run.median(row, baseline))
        if not theirs:
            continue
        ratio, with_one = ours[1] / theirs[1], run.median(row, baseline, 1)
        ratio_alone = f"{rounded(alone[1] / with_one[1])}×" if alone and with_one else NO_VALUE
        goal = (NO_VALUE, NO_VALUE) if target is None else (f"≥ {target}×", notes.verdict(ratio >= target, row))
        yield [work, f"{run.unit(row)}/s", shown(ours), f"{baseline} {shown(theirs)}", f"**{rounded(ratio)}×**", ratio_alone, *goal]


def against_time(run, notes):
    checks, rows = run.checks(), []
    for work, row, target, thesis in AGAINST_TIME:
        ours, alone = run.median(row, OURS), run.median(row, OURS, 1)
        if ours:
            answer = run.runs.loc[run.runs["row"] == row, "answer"].iloc[0]
            found, memory = answer.split(";")[0], answer.rpartition("peak memory ")[2]
            shares = [check.rpartition(": ")[2] for check in checks.loc[checks["row"] == row, "check"]]
            found += "".join(f" ({share} of hamming_full)" for share in shares)
            rows.append([work, f"{rounded(ours[0])} s", f"{rounded(alone[0])} s", memory, found, thesis, f"≤ {target} s", notes.verdict(ours[0] <= target, row)])
    return rows


def inner_loops(run):
    """Returns rates and, for pairs, the ratio to counting all their words at the highest measured rate; above 1 if not all words are read."""
    loops = run.runs[run.runs["row"] == "kernels"].to_dict("records")
    ceilings = {cpu_of(loop): loop["rate"] for loop in loops if "counted words" in loop["tool"]}
    rows = []
    for loop in loops:
        ceiling = ceilings.get(cpu_of(loop))
        share = rounded(loop["rate"] * WORDS / ceiling) if loop["unit"] == "pairs" and ceiling else NO_VALUE
        rows.append([loop["tool"].removeprefix("nearsig, "), f"{rounded(loop['rate'])} {loop['unit']}/s", share])
    return rows


def cpu_of(loop):
    return next((part for part in loop["tool"].split(", ") if part in ("scalar", "avx2", "avx512")), "")


def stages(path):
    """Reads a table of timed stages."""
    return pd.read_csv(path).to_dict("records")


def stage_cells(stage):
    return [f"`{stage['stage']}`", f"{stage['seconds']:.2f} s", f"{stage['peak_mb']:.0f} MB", f"{stage['wrote']:,} {stage['what']}"]


def thesis_scale(folder):
    path = folder / "thesis_scale.csv"
    if not path.exists():
        return None
    rows = stages(path)
    published, documents = published_times(), rows[0]["documents"]
    wrote = {row["stage"]: row["wrote"] for row in rows}
    lines = []
    for row in rows:
        minutes, recall = published["minutes"].get(row["stage"]), published["recall"].get(row["stage"])
        share = f"{100 * row['wrote'] / wrote['hamming_full']:.2f} %" if row["stage"].startswith("hamming") and wrote["hamming_full"] else NO_VALUE
        # Times are comparable at the thesis' size only.
        faster = f"{60 * minutes / max(row['seconds'], growth.SHORTEST):,.0f}" if minutes and documents == published["documents"] else NO_VALUE
        lines.append(
            [*stage_cells(row), share, f"{minutes:.2f} min" if minutes else NO_VALUE, f"{recall:.2f} %" if recall else NO_VALUE, faster]
        )
    lines.append(["all", f"{sum(row['seconds'] for row in rows):.2f} s", *[""] * 6])
    head = ["stage", "time", "peak memory", "wrote", "share of the pairs of hamming_full", "thesis: time", "thesis: share", "speedup"]
    return (
        f"Experiment 2.59 of the thesis, by `scripts/bench/thesis_scale.sh`: {documents:,} synthetic documents of 250 words (in the thesis Czech newspaper articles) through the whole pipeline, "
        "tf_idf, terms of at least two documents, 1024 bits, searched at 95 % (PLEB with beam 50, shift_count 70 and the iterations in its name). The thesis' times are from an Opteron 275.\n\n"
        + table(head, lines, 1)
        + planted(folder)
    )


def published_times():
    """Returns the thesis' minutes and recall per stage of table 2.59, and its number of documents."""
    rows = source.read_thesis(ROOT / "exp/thesis.csv")
    rows = rows[rows["table"] == "2.59"]
    named = {"minutes": "hamming_{}", "hamming_full_minutes": "hamming_full", "similarity_minutes": "similarity"}
    minutes = {named[row["measure"]].format(row["iter_count"]): row["value"] for _, row in rows.iterrows() if row["measure"] in named}
    recall = {f"hamming_{row['iter_count']}": row["value"] for _, row in rows[rows["measure"] == "found_pairs_pct"].iterrows()}
    return {"minutes": minutes, "recall": recall | {"hamming_full": 100.0}, "documents": int(rows["docs"].iloc[0])}


def planted(folder):
    """Returns the recall of planted near-duplicates by the share of edited words."""
    path = folder / "thesis_scale_planted.csv"
    if not path.exists():
        return ""
    found = pd.read_csv(path).pivot(index="edit_share", columns="search", values="share_found")
    rows = [[f"{100 * share:.0f} %", *(f"{100 * value:.2f} %" for value in values)] for share, values in zip(found.index, found.values, strict=True)]
    return "\nShare of planted near-duplicates found, by the share of edited words:\n\n" + table(["edited words", *found.columns], rows, 1)


def pleb_recall(folder):
    path = folder / "pleb_recall.csv"
    if not path.exists():
        return None
    lines = []
    for shift, part in pd.read_csv(path, dtype={"shift_count": str}).groupby("shift_count", sort=False):
        reached = part.loc[part["share"] >= THESIS_SHARE, "iteration"]
        by_iteration = {row["iteration"]: recall_cell(row) for row in part.to_dict("records")}
        last = list(by_iteration.values())[-1]
        cells = [by_iteration.get(iteration, f"stopped at {last}") for iteration in SHOWN_ITERATIONS]
        lines.append([shift, reached.iloc[0] if len(reached) else f"over {part['iteration'].max()}", *cells])
    head = ["shift_count", f"iterations to {100 * THESIS_SHARE:.1f} %", *(f"after {iteration}" for iteration in SHOWN_ITERATIONS)]
    return (
        "Recall of PLEB after some iterations, with its own estimate in parentheses: 100,000 synthetic documents (by default) at 95 %, beam 50, by `scripts/bench/pleb_recall.sh`. "
        "An iteration with a fresh permutation of all bits (`full`) finds far more than one with few transpositions.\n\n" + table(head, lines, 1)
    )


def recall_cell(row):
    known = NO_VALUE if pd.isna(row["estimate"]) else f"{100 * row['estimate']:.2f} %"
    return f"{100 * row['share']:.2f} % ({known})"


def growth_section(folder):
    if not (folder / "growth.csv").exists():
        return None
    return (
        "Time and peak memory of whole executables with their files, 2 threads, by `scripts/bench/growth.sh`, with the exponents of fitted power laws "
        "(1 is linear, 2 quadratic):\n\n![Time and memory over the number of documents on logarithmic axes](growth.png)\n"
    )


def ten_million(folder):
    path = folder / "ten_million.csv"
    if not path.exists():
        return None
    rows = stages(path)
    text = f"{rows[0]['documents']:,} documents of 40 words, `--rnd_dist levels`, by `scripts/bench/growth.sh ten_million`:\n\n"
    return text + table(["stage", "time", "peak memory", "wrote"], map(stage_cells, rows), 1)


SECTIONS = {
    "find_near_dups": ("find_near_dups", find_near_dups),
    "real": ("Real collections", real_page.section),
    "pipeline": ("Pipeline stages", pipeline),
    "thesis_scale": ("Scale of the thesis", thesis_scale),
    "pleb_recall": ("Recall of PLEB", pleb_recall),
    "growth": ("Growth with the collection", growth_section),
    "ten_million": ("Ten million documents", ten_million),
}


def page(folder):
    """Returns the Markdown of all sections that have raw numbers."""
    parts = ["# Benchmarks\n\n**Generated** by `scripts/bench/page.sh` from the raw numbers in this folder; manual changes are lost.\n"]
    for heading, section in SECTIONS.values():
        text = section(folder)
        if text:
            parts.append(f"\n## {heading}\n\n{text}")
    return "".join(parts)


def write(folder):
    """Writes the page and the growth plot."""
    if (folder / "growth.csv").exists():
        growth.plot(folder / "growth.csv", folder / "growth")
    files.write(folder / "README.md", page(folder))


def main(folder, section=None):
    folder = pathlib.Path(folder)
    if section is None:
        write(folder)
    else:
        print(SECTIONS[section][1](folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
