"""Expected values: `exp/fingerprints/expected.csv`, one line per table, row and column.

Everything but times is deterministic: a value may differ by a rounding of its last decimal, on debian, which changes with the distribution, by TOLERANCE.
"""

import csv
import io
import math

from ..errors import ReportError
from .runs import read_csv
from .tables import SHARES, number

COLUMNS = ("recall_union", "precision_string", "f1", "recall_truth")
TOLERANCE = 0.02
ROUNDING = 0.000002
HEAD = ["table", "row", "column", "expected", "tolerance"]
# Other tables: the columns that name a row, and those that are checked.
OTHERS = {
    "additions": (("method", "batch"), ("changed_prints", "pairs", "missed")),
    "overlap": (("percent", "method"), ("precision", "recall")),
    "revisions": (("kind", "share", "method"), ("found",)),
    "sequences": (("collection",), ("elements", "repeated")),
    "stops": (("copies", "variant"), ("block_pairs", "copied", "other_verdicts")),
    "topics": (("topic", "edit", "method", "context"), ("f1", "pairs", "changed_prints")),
    "works": (("copies", "work", "method"), ("f1",)),
}
# Tables and rows of Debian's descriptions.
CHANGING = ("debian", "Perl modules")


def path(experiment, small):
    """Returns the file of expected values."""
    return experiment / ("expected-small.csv" if small else "expected.csv")


def values(file):
    """Returns {(row, column): number} of a table, without undefined numbers; rows of evaluate_methods are methods, others have several keys."""
    rows = read_csv(file)
    keys, columns = OTHERS.get(file.stem, (("method",), COLUMNS) if rows and set(SHARES) <= set(rows[0]) else ((), ()))
    found = {(" ".join(row[key] for key in keys), column): number(row.get(column, "")) for row in rows for column in columns}
    return {place: value for place, value in found.items() if not math.isnan(value)}


def tolerance(table, row, column, value):
    """Returns by how much a value may differ. Debian's descriptions change: shares by TOLERANCE, counts by that share of them."""
    if not any(word in f"{table} {row}" for word in CHANGING):
        return ROUNDING
    return round(TOLERANCE * max(value, 1.0), 6)


def record(tables, values=values, tolerance=tolerance):
    """Returns (the text of the file, the number of values); `values` reads a table."""
    rows = []
    for file in sorted(tables.glob("*.csv")):
        for (row, column), value in values(file).items():
            rows.append([file.stem, row, column, f"{value:.6f}", tolerance(file.stem, row, column, value)])
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([HEAD, *rows])
    return text.getvalue(), len(rows)


def check(expectations, tables, values=values):
    """Returns one line per expected value of a table that exists: `ok` or `off`, and the numbers."""
    if not expectations.exists():
        raise ReportError(f"{expectations}: expected values, found no file")
    outcomes, read = [], {}
    for row in read_csv(expectations):
        file = tables / f"{row['table']}.csv"
        if not file.exists():
            continue
        if file not in read:
            read[file] = values(file)
        found = read[file].get((row["row"], row["column"]), math.nan)
        is_ok = abs(found - number(row["expected"])) <= number(row["tolerance"])
        shown = "nothing" if math.isnan(found) else f"{found:.6f}"
        outcomes.append(f"{'ok ' if is_ok else 'off'} {row['table']} {row['row']} {row['column']}: expected {row['expected']} ± {row['tolerance']}, found {shown}")
    return outcomes
