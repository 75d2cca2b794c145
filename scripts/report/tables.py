"""Tables of the experiments as data frames, read strictly: keys are text, results are numbers, empty results are NaN."""

import csv
import math
import pathlib

import pandas as pd

from .errors import ReportError, excerpt, unexpected
from .measures import MEASURES, TEXT_COLUMN


def read_text(path):
    """Reads a UTF-8 file."""
    try:
        return pathlib.Path(path).read_bytes().decode()
    except OSError as error:
        raise ReportError(f"{path}: cannot open: {error.strerror}") from error
    except UnicodeDecodeError as error:
        line = 1 + error.object[: error.start].count(b"\n")
        raise unexpected(path, line, "UTF-8", "other bytes") from error


def read_rows(path, columns):
    """Reads the rows of a CSV file with exactly these columns, as (line, cells)."""
    text = read_text(path)
    if text and not text.endswith("\n"):
        raise unexpected(path, text.count("\n") + 1, "a newline", "the end of the file (truncated?)")
    reader = csv.reader(text.splitlines(keepends=True))
    rows = [(reader.line_num, cells) for cells in reader if cells]
    header = rows[0][1] if rows else []
    if header != list(columns):
        found = excerpt(",".join(header)) if rows else "an empty file"
        raise unexpected(path, rows[0][0] if rows else 1, f"the columns {','.join(columns)}", found)
    for line, cells in rows[1:]:
        if len(cells) != len(columns):
            raise unexpected(path, line, f"{len(columns)} values", len(cells))
    return rows[1:]


def finite(text):
    """Returns the finite number a text spells; None otherwise."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _numbers(path, column, lines, cells):
    """Converts a column of results; empty cells become NaN."""
    values = [math.nan if cell == "" else finite(cell) for cell in cells]
    for line, cell, value in zip(lines, cells, values, strict=True):
        if value is None:
            raise unexpected(path, line, f"a number for {column}", excerpt(cell))
    return pd.Series(values, dtype=float)


def read_frame(path, columns, numeric):
    """Reads a CSV file with exactly these columns; those in `numeric` become numbers, the others stay text."""
    rows = read_rows(path, columns)
    lines = [line for line, _ in rows]
    frame = pd.DataFrame([cells for _, cells in rows], columns=list(columns), dtype=object)
    for column in numeric:
        frame[column] = _numbers(path, column, lines, frame[column])
    return frame


def read_table(path, measure):
    """Reads the table of a measure."""
    schema = MEASURES[measure]
    return read_frame(path, schema.columns, [column for column in schema.results if column != TEXT_COLUMN])


def empty_table(measure):
    """Returns a table of a measure without rows."""
    schema = MEASURES[measure]
    kinds = {column: float for column in schema.results if column != TEXT_COLUMN}
    return pd.DataFrame(columns=list(schema.columns), dtype=object).astype(kinds)


def bins_path(table_path, row):
    """Returns the file beside a density table that holds the bins of one of its rows."""
    keys = "-".join(row[key] for key in MEASURES["density"].keys)
    return table_path.with_name(f"{table_path.stem}-{keys}.csv")


def read_bins(path):
    """Reads the bins of one row of a density table."""
    columns = ["cosine", "hamming", "pairs"]
    for line, cells in read_rows(path, columns):
        if None in map(finite, cells):
            raise unexpected(path, line, "three numbers", excerpt(",".join(cells)))
    return read_frame(path, columns, columns)
