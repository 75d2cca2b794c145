"""Selections and aggregates of tables that claims share."""

import pandas as pd

from .estimate import estimate
from .measures import SEED


def where(rows, **values):
    """Selects the rows with these texts in these columns."""
    for column, value in values.items():
        rows = rows[rows[column] == value]
    return rows


def at(rows, column, value):
    """Selects the rows whose text in a column spells this number."""
    return rows[pd.to_numeric(rows[column], errors="coerce") == value]


def spelling_numbers(rows, column):
    """Selects the rows whose text in a column spells a number."""
    return rows[pd.to_numeric(rows[column], errors="coerce").notna()]


def ascending(rows, column):
    """Returns the distinct numbers a column spells, ascending."""
    return sorted(pd.to_numeric(rows[column], errors="coerce").dropna().unique().tolist())


def mean(rows, column):
    """Returns the Estimate of a column over all rows."""
    return estimate(rows[column])


def per_seed(rows, function):
    """Returns the Estimate of a function of the rows of each seed; seeds for which it is None do not count."""
    return estimate([function(part) for _, part in rows.groupby(SEED, sort=False)])


def only(rows, column):
    """Returns the number in a column of the only row; None if there are none or several."""
    if len(rows) != 1 or pd.isna(rows[column].iloc[0]):
        return None
    return float(rows[column].iloc[0])


def groups(rows, *columns):
    """Yields (values, rows) per combination of values, in the order in which values first occur, the first column outermost."""
    if not columns:
        yield (), rows
        return
    for value in rows[columns[0]].unique():
        for rest, part in groups(rows[rows[columns[0]] == value], *columns[1:]):
            yield (value, *rest), part


def cases(rows):
    """Yields (name, rows) per collection, weighting and, where there are several, vocabulary: `debian, tf, DC ≥ 2`."""
    for (collection, weighting), part in groups(rows, "collection", "weighting"):
        vocabularies = part["min_df"].unique()
        for min_df in vocabularies:
            suffix = f", DC ≥ {min_df}" if len(vocabularies) > 1 else ""
            yield f"{collection}, {weighting}{suffix}", where(part, min_df=min_df)
