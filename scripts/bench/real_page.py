"""The section of real collections, made from the raw numbers of real.py, and the limits it states."""

from bench import raw
from bench.cells import origin, rounded, shown
from report.markdown import table

OURS, EXPECTED = "nearsig", "nearsig, expected"
# Minimum and desired ratio of rates: find_near_dups to rensa, similarity at a threshold in percent to sparse_dot_topn.
RENSA = (1.5, 3)
TOPN = {80: (4, 10), 95: (20, 60)}
# Endings of rows compared with rensa: the answer and its flag.
ANSWERS = {"": ("pairs", "--out"), "_removed": ("documents to remove", "--removed")}
THRESHOLDS = ("0.5", "0.6", "0.7", "0.8", "0.9", "0.95")
WEIGHTS = ("tf", "tf_idf")
# Tools that run once, for the documents to remove.
SLOW = ("datasketch in batches", "text-dedup")
# Maximum seconds by row.
SECONDS = {"real_installed_man_0.8": 3, "real_installed_man_0.6": 15}
# Maximum ratio of measured and expected time or memory, either way.
MAX_ERROR = 2.5


def section(folder):
    runs = raw.recorded(folder, raw.REAL)
    if not runs:
        return None
    run = runs[-1]
    collections = run.part("-collections").to_dict("records")
    failed = run.checks().query("agree != 'yes'")[["row", "check", "ours", "theirs"]].values.tolist()
    parts = [
        "`scripts/bench.sh full real` runs `find_near_dups` at 0.8 and rensa alternately, from files to the answer, on collections with much boilerplate. "
        "rensa flags documents by estimated Jaccard similarity in a Python process that is already started. Ours writes all pairs with exact cosines or, "
        "as rensa does, the documents to remove.\n",
        origin(run),
        table(["collection", "documents", "MB on disk", "answer", "nearsig (documents/s)", "rensa (documents/s)", "ratio", "floor", "goal", "met"], against_rensa(run, collections), 1),
        "Tools that ran once, for the documents to remove; text-dedup, with two processes, includes its start as ours does:\n",
        table(["collection", *(f"{name}{end}" for name in SLOW for end in (" (documents/s)", ", ratio"))], against_slow(run, collections), 1),
        "One run per threshold, with the forecast of `--plan` in parentheses:\n",
        table(["collection", "cosine ≥", "pairs", "time", "peak memory"], by_threshold(run, collections), 2),
    ]
    searched = list(against_topn(run, collections))
    if searched:
        head = ["collection", "weights", "cosine ≥", "nearsig (pairs/s)", "sparse_dot_topn (pairs/s)", "ratio", "floor", "goal", "met"]
        parts += [
            "`similarity` with its files against sparse_dot_topn in memory, whose work does not depend on the threshold and which ran once; words of at least two documents:\n",
            table(head, searched, 3),
        ]
    parts.append(
        f"Of {len(run.checks())} checks (ratios, forecasts within a factor of {MAX_ERROR}, equal answers, the same bytes with 1, 2, 8 and 64 threads), {len(failed) or 'none'} failed.\n"
    )
    if failed:
        parts.append(table(["row", "failed check", "nearsig", "baseline or limit"], failed, 2))
    return "\n".join(parts)


def ratio_cells(run, row, baseline, limits):
    """Returns rates, ratio and limits of a row; None if it was not measured."""
    ours, theirs, ratio = run.median(row, OURS), run.median(row, baseline), run.ratio(row, baseline)
    if ratio is None:
        return None
    floor, goal = limits
    verdict = "goal" if ratio >= goal else "floor" if ratio >= floor else "no"
    return [shown(ours), shown(theirs), f"**{rounded(ratio)}×**", f"≥ {floor}×", f"≥ {goal}×", verdict]


def against_rensa(run, collections):
    for one in collections:
        for ending, (answer, _) in ANSWERS.items():
            cells = ratio_cells(run, f"real_{one['collection']}{ending}", "rensa", RENSA)
            if cells:
                yield [one["collection"], f"{one['documents']:,}", rounded(one["megabytes"]), answer, *cells]


def against_slow(run, collections):
    for one in collections:
        row = f"real_{one['collection']}_removed"
        cells = [cell for name in SLOW for cell in slow_cells(run, row, name)]
        if set(cells) != {"–"}:
            yield [one["collection"], *cells]


def slow_cells(run, row, name):
    ratio = run.ratio(row, name)
    return ("–", "–") if ratio is None else (shown(run.median(row, name)), f"{rounded(ratio)}×")


def by_threshold(run, collections):
    for one in collections:
        for threshold in THRESHOLDS:
            found = run.runs[run.runs["row"] == f"real_{one['collection']}_{threshold}"].set_index("tool")
            if len(found):
                measured, forecast = (outcome_cells(found["answer"][tool]) for tool in (OURS, EXPECTED))
                yield [one["collection"], threshold, *(f"{ours} ({expected})" for ours, expected in zip(measured, forecast, strict=True))]


def outcome_cells(answer):
    pairs, seconds, memory = raw.outcome(answer)
    return f"{pairs:,}", f"{seconds:.2f} s", f"{memory:.0f} MB"


def against_topn(run, collections):
    for one in collections:
        for weights in WEIGHTS:
            for threshold, limits in TOPN.items():
                cells = ratio_cells(run, f"real_{one['collection']}_{weights}_{threshold}", "sparse_dot_topn", limits)
                if cells:
                    yield [one["collection"], weights, threshold / 100, *cells]
