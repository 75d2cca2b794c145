"""Expected values: `exp/copied_passages/expected.csv`, one line per table, row and column, as those of the fingerprint methods. Times are not checked."""

import math

from ..fingerprints import expected
from ..fingerprints.runs import read_csv
from ..fingerprints.tables import number

# Tables by the beginning of their names: the columns that name a row, and those that are checked.
TABLES = {
    "table_6_1": (("grouping", "group", "condition"), ("documents", "share", "other_sources")),
    "table_6_2": (("n", "condition"), ("found", "false_alarms")),
    "table_6_3": (("n",), ("distinct",)),
    "lengths": (("n", "condition"), ("found", "marked")),
    "sources": (("preset", "n", "group"), ("document_precision", "document_recall", "marked_originals")),
    "evaluation": (("preset", "n", "align", "group"), ("document_precision", "document_recall", "plagdet", "marked_originals")),
    "insertions": (("words", "n", "kind"), ("found", "other_sources")),
    "resistance": (("preset", "kind"), ("found", "other_sources")),
    "changed_pages": (("versions", "preset", "n"), ("changed", "listed", "marked", "with_other_pages", "unchanged_marked")),
    "arithmetic": (("words",), ("ngrams", "ngrams_inserted", "affected")),
    "identical": (("n", "change"), ("similarity",)),
}


def values(file):
    """Returns {(row, column): number} of a table, without undefined numbers."""
    keys, columns = TABLES.get(file.stem.partition("-")[0], ((), ()))
    found = {(" ".join(row[key] for key in keys), column): number(row[column]) for row in read_csv(file) for column in columns}
    return {place: value for place, value in found.items() if not math.isnan(value)}


def record(tables):
    """Returns (the text of the file, the number of values)."""
    return expected.record(tables, values, lambda *_: expected.ROUNDING)


def check(path, tables):
    """Returns one line per expected value of a table that exists."""
    return expected.check(path, tables, values)
