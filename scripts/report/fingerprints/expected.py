"""Expected values: `exp/fingerprints/expected.csv`, one line per table, method and column.

Everything but times is deterministic: a value may differ by a rounding of its last decimal, on debian, which changes with the distribution, by TOLERANCE.
"""

import csv
import io
import math

from .runs import read_csv
from .tables import SHARES, Table, number

COLUMNS = ("recall_union", "precision_string", "f1", "recall_truth")
TOLERANCE = 0.02
ROUNDING = 0.000002
HEAD = ["table", "method", "column", "expected", "tolerance"]


def path(experiment, small):
    """Returns the file of expected values."""
    return experiment / ("expected-small.csv" if small else "expected.csv")


def record(tables):
    """Returns (the text of the file, the number of values)."""
    rows = []
    for file in sorted(tables.glob("*.csv")):
        table = Table(file) if set(SHARES) <= set((read_csv(file) or [{}])[0]) else None
        for method in table.methods() if table else ():
            for column in COLUMNS:
                value = table.value(method, column)
                if not math.isnan(value):
                    rows.append([file.stem, method, column, f"{value:.6f}", TOLERANCE if "debian" in file.stem else ROUNDING])
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([HEAD, *rows])
    return text.getvalue(), len(rows)


def check(expectations, tables):
    """Returns one line per expected value of a table that exists: `ok` or `off`, and the numbers."""
    outcomes, read = [], {}
    for row in read_csv(expectations):
        file = tables / f"{row['table']}.csv"
        if not file.exists():
            continue
        found = read.setdefault(file, Table(file)).value(row["method"], row["column"])
        is_ok = abs(found - number(row["expected"])) <= number(row["tolerance"])
        shown = "nothing" if math.isnan(found) else f"{found:.6f}"
        outcomes.append(f"{'ok ' if is_ok else 'off'} {row['table']} {row['method']} {row['column']}: expected {row['expected']} ± {row['tolerance']}, found {shown}")
    return outcomes
