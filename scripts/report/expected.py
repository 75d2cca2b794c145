"""Expected results: `expected.csv` next to `experiment.toml`, and `expected-small.csv` for the small version.

    measure,where,column,aggregate,expected,tolerance
    approximation,collection=reuters weighting=tf_idf sig_len=1024,S,mean,2.1,0.1

`where` selects rows of the measure's table by keys; `aggregate` reduces `column` over these rows to its mean, minimum (`least`) or maximum
(`greatest`), which may differ from `expected` by at most `tolerance`. A selection without rows or values is off as well.
"""

import csv
import math
from dataclasses import dataclass

import numpy as np

from . import files
from .errors import excerpt, unexpected
from .frames import where
from .measures import MEASURES, SEED
from .tables import finite, read_table, read_text

COLUMNS = ["measure", "where", "column", "aggregate", "expected", "tolerance"]
AGGREGATES = {"mean": lambda values: sum(values) / len(values), "least": min, "greatest": max}

# Values are compared as written, so a difference may exceed the tolerance by rounding only.
SLACK = 1e-9
# A recorded tolerance is this many standard errors over seeds, plus a floor: a share of the expected value and a constant.
STANDARD_ERRORS = 4.0
FLOOR_SHARE = 0.005
FLOOR = 0.0005


@dataclass(frozen=True)
class Expectation:
    """One line of a file of expected results; `conditions` maps keys to texts."""

    measure: str
    conditions: dict
    column: str
    aggregate: str
    expected: float
    tolerance: float

    def where(self):
        """Spells the conditions: `collection=reuters weighting=tf`."""
        return " ".join(f"{key}={value}" for key, value in self.conditions.items())


@dataclass(frozen=True)
class Outcome:
    """An expectation and the value found: a number, or the text `no row` or `no value`."""

    expectation: Expectation
    found: float | str

    def is_ok(self):
        """Returns whether the found value lies within the tolerance."""
        if isinstance(self.found, str):
            return False
        one = self.expectation
        return abs(self.found - one.expected) <= one.tolerance + SLACK * (1 + abs(one.expected))

    def __str__(self):
        one = self.expectation
        conditions = f"{one.where()} " if one.conditions else ""
        found = self.found if isinstance(self.found, str) else shortened(self.found)
        state = "ok " if self.is_ok() else "off"
        return f"{state} {one.measure} {conditions}{one.column} {one.aggregate}: expected {shortest(one.expected)} ± {shortest(one.tolerance)}, found {found}"


def shortened(value):
    """Formats a number with at most six decimals."""
    return f"{value:.6f}".rstrip("0").rstrip(".")


def shortest(value):
    """Formats a number with the fewest digits that identify it."""
    return np.format_float_positional(value, trim="-")


def check(experiment, tables, small):
    """Compares every expected result of an experiment with its tables, in the order of the file."""
    read, outcomes = {}, []
    for one in read_expectations(experiment.expected_path(small)):
        if one.measure not in read:
            read[one.measure] = read_table(experiment.table_path(tables, one.measure, small), one.measure)
        outcomes.append(Outcome(one, find(one, read[one.measure])))
    return outcomes


def find(expectation, table):
    """Returns the value of an expectation's column in a table."""
    rows = where(table, **expectation.conditions)
    if rows.empty:
        return "no row"
    values = rows[expectation.column].dropna().tolist()
    return AGGREGATES[expectation.aggregate](values) if values else "no value"


def read_expectations(path):
    """Reads a file of expected results."""
    reader = csv.reader(read_text(path).splitlines(keepends=True))
    rows = [(reader.line_num, cells) for cells in reader if cells]
    if not rows:
        raise unexpected(path, 1, ",".join(COLUMNS), "an empty file")
    if rows[0][1] != COLUMNS:
        raise unexpected(path, rows[0][0], f"the columns {','.join(COLUMNS)}", excerpt(",".join(rows[0][1])))
    return [_expectation(path, line, cells) for line, cells in rows[1:]]


def _expectation(path, line, cells):
    """Checks one line and returns its expectation."""
    if len(cells) != len(COLUMNS):
        raise unexpected(path, line, f"{len(COLUMNS)} values", len(cells))
    measure, conditions, column, aggregate, expected, tolerance = cells
    one_of = [("measure", measure, MEASURES), ("aggregate", aggregate, AGGREGATES)]
    if measure in MEASURES:
        one_of.append(("column", column, MEASURES[measure].results))
    for name, found, known in one_of:
        if found not in known:
            raise unexpected(path, line, f"for {name} one of {', '.join(known)}", excerpt(found))
    if finite(expected) is None:
        raise unexpected(path, line, "for expected a number", excerpt(expected))
    if finite(tolerance) is None or finite(tolerance) < 0:
        raise unexpected(path, line, "for tolerance a number of at least 0", excerpt(tolerance))
    return Expectation(measure, _conditions(path, line, measure, conditions), column, aggregate, float(expected), float(tolerance))


def _conditions(path, line, measure, text):
    keys, conditions = MEASURES[measure].keys, {}
    for pair in text.split():
        key, equals, value = pair.partition("=")
        if not equals or key not in keys:
            raise unexpected(path, line, f"for where pairs key=value of the keys {', '.join(keys)}", excerpt(pair))
        conditions[key] = value
    return conditions


def record(experiment, tables, small):
    """Writes the expected results of an experiment from its tables; returns their number."""
    expectations = []
    for measure in experiment.measures():
        table = read_table(experiment.table_path(tables, measure, small), measure)
        for columns, ignored in MEASURES[measure].recorded:
            for conditions, rows in _configurations(measure, table, ignored):
                expectations += [one for column in columns if (one := _expected(measure, conditions, rows, column))]
    lines = [
        f"{one.measure},{one.where()},{one.column},{one.aggregate},{shortened(one.expected)},{shortened(one.tolerance)}\n" for one in expectations
    ]
    files.write(experiment.expected_path(small), ",".join(COLUMNS) + "\n" + "".join(lines))
    return len(expectations)


def _configurations(measure, table, ignored):
    """Groups rows by all keys but the seed and the ignored ones, in the order of their first rows."""
    found = {}
    for index, row in table.iterrows():
        kept = [key for key in MEASURES[measure].keys if key != SEED and key not in ignored and row[key] != ""]
        found.setdefault(tuple((key, row[key]) for key in kept), []).append(index)
    return [(dict(conditions), table.loc[indexes]) for conditions, indexes in found.items()]


def _expected(measure, conditions, rows, column):
    """Returns the expectation of a column over rows that differ only in their seed; None for a column without values."""
    rows = rows[rows[column].notna()]
    if rows.empty:
        return None
    by_seed = [part[column].tolist() for _, part in rows.groupby(SEED, sort=False)] if SEED in rows else [rows[column].tolist()]
    values = [value for part in by_seed for value in part]
    average = sum(values) / len(values)
    return Expectation(measure, conditions, column, "mean", average, tolerance(average, [sum(part) / len(part) for part in by_seed]))


def tolerance(expected, means):
    """Returns the tolerance of a mean over seeds with these means."""
    error = np.std(means, ddof=1) / math.sqrt(len(means)) if len(means) > 1 else 0.0
    return float(STANDARD_ERRORS * error + FLOOR_SHARE * abs(expected) + FLOOR)
