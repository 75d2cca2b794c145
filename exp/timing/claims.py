"""`timing`: the time of each stage, and the share of pairs PLEB finds in its time."""

from report import plots
from report.frames import only, where
from report.markdown import NO_VALUE, duration, fixed, maybe
from report.verdict import Case, Claim, Verdict

ORDER = 60

TABLE = "2.59"
# The number of documents of the thesis; times of fewer say little about its claims.
DOCUMENTS = 644_566
# Published measure per method; that of hamming depends on iter_count.
PUBLISHED = {"hamming": "minutes", "hamming_full": "hamming_full_minutes", "similarity": "similarity_minutes"}
# Claims for 50 iterations: the share of pairs in per cent, and how many times as long other methods take.
CLAIMED_ITERATIONS = "50"
CLAIMED_SHARE = 99.4
CLAIMED_TIMES = {"hamming_full": 50, "similarity": 2000}
REASONS = {
    "hamming_full": "The thesis' hamming_full compares every pair. Ours is a chunk join: it compares only signatures that agree in some chunk, which is exact at a high threshold.",
    "similarity": "The thesis' similarity multiplies every pair of vectors. Ours uses a prefix filter: it verifies only pairs that share a term without which they cannot reach the threshold, which is exact.",
}


def write(source, chapter):
    rows = source.rows("timing")
    chapter.text(
        "Wall time of whole executables, including input and output, on all cores. The thesis measured 644,566 Czech articles on an Opteron 275 of 2005; "
        "our collection has as many synthetic documents. Each stage ran once, so there are no intervals."
    )
    if not rows.empty:
        title = "Time per stage: the thesis' and ours"
        chapter.picture("timing", title, plot(title, source, rows))
    add_table(source, rows, chapter)
    chapter.claim(share_of_pairs(rows))
    for method in CLAIMED_TIMES:
        chapter.claim(share_of_time(source, rows, method))


def label(row):
    return f"{row['method']} (iter_count {row['iter_count']})" if row["iter_count"] else row["method"]


def published(source, row):
    """Returns the thesis' seconds for the method of a row; None if it has none."""
    table = source.published(TABLE)
    if row["method"] not in PUBLISHED:
        return None
    rows = where(table, measure=PUBLISHED[row["method"]])
    if row["method"] == "hamming":
        rows = where(rows, iter_count=row["iter_count"])
    minutes = only(rows, "value")
    return None if minutes is None else 60 * minutes


def plot(title, source, rows):
    def bar(seconds):
        return None if seconds is None else plots.Bar(seconds, duration(seconds))

    groups = [(label(row), [bar(published(source, row)), bar(row["seconds"])]) for _, row in rows.iterrows()]
    return plots.bars(title, "time (s, logarithmic scale)", ["thesis (Opteron 275)", "ours"], groups, logarithmic=True)


def found(rows, row):
    """Returns the share of the pairs of hamming_full that a run of hamming wrote, in per cent; None for other methods."""
    everything = only(where(rows, collection=row["collection"], method="hamming_full"), "wrote")
    return 100 * row["wrote"] / everything if row["method"] == "hamming" and everything else None


def add_table(source, rows, chapter):
    shares = where(source.published(TABLE), measure="found_pairs_pct")
    lines = []
    for _, row in rows.iterrows():
        own, ours = published(source, row), row["seconds"]
        ratio = own / ours if own is not None and ours > 0 else None
        share = only(where(shares, iter_count=row["iter_count"]), "value") if row["method"] == "hamming" else None
        cells = [row["collection"], label(row), maybe(own, duration), duration(ours)]
        lines.append([*cells, maybe(ratio, fixed, 0), maybe(share, fixed, 2), maybe(found(rows, row), fixed, 2)])
    head = ["collection", "stage", "thesis", "ours", "thesis / ours", "thesis' pairs found (%)", "our pairs found (%)"]
    chapter.table("Table 2.59: time per stage", head, lines, 2)


def claimed_runs(rows):
    """Yields the runs of PLEB the claims are about."""
    for _, row in where(rows, method="hamming", iter_count=CLAIMED_ITERATIONS).iterrows():
        yield row


def share_of_pairs(rows):
    judged = []
    for row in claimed_runs(rows):
        share = found(rows, row)
        if share is not None:
            verdict = Verdict.HOLDS if share >= CLAIMED_SHARE else Verdict.FAILS
            judged.append(Case(row["collection"], verdict, f"{fixed(share, 2)} % of the pairs of hamming_full"))
    return Claim(
        text=f"With {CLAIMED_ITERATIONS} iterations PLEB finds {CLAIMED_SHARE} % of the pairs.",
        source=TABLE,
        rule=f"Holds if hamming writes at least {CLAIMED_SHARE} % of the pairs that hamming_full writes (beam 50, shift_count 70, threshold 95).",
        cases=judged,
        reason="The share depends on the similarities of the pairs: those near the threshold are found last.",
    )


def share_of_time(source, rows, method):
    judged = []
    for row in claimed_runs(rows):
        other = where(rows, collection=row["collection"], method=method)
        if len(other) == 1:
            judged.append(time_case(source, row, other.iloc[0]))
    claimed = CLAIMED_TIMES[method]
    return Claim(
        text=f"PLEB with {CLAIMED_ITERATIONS} iterations takes 1/{claimed} of the time of {method}.",
        source=TABLE,
        rule=f"Holds if {method} takes at least {claimed} times as long as hamming (one run each). "
        f"Cannot be judged with fewer than the thesis' {DOCUMENTS:,} documents: one time grows with their number, the other with its square.",
        cases=judged,
        reason=REASONS[method],
    )


def time_case(source, pleb, other):
    ratio, documents, method = other["seconds"] / pleb["seconds"], pleb["read"], other["method"]
    is_small = documents < DOCUMENTS
    verdict = Verdict.HOLDS if ratio >= CLAIMED_TIMES[method] else Verdict.FAILS
    few = f", of {fixed(documents, 0)} documents only" if is_small else ""
    evidence = f"hamming {duration(pleb['seconds'])}, {method} {duration(other['seconds'])}: 1/{fixed(ratio, 1)}{few}{speedups(source, pleb, other)}"
    return Case(pleb["collection"], Verdict.OPEN if is_small else verdict, evidence)


def speedups(source, pleb, other):
    """States how many times as fast as the thesis' both methods are."""
    own, theirs = (maybe(published(source, row), lambda seconds, row=row: fixed(seconds / row["seconds"], 0)) for row in (pleb, other))
    return "" if NO_VALUE in (own, theirs) else f"; hamming is {own} times as fast as the thesis', {other['method']} {theirs} times"
