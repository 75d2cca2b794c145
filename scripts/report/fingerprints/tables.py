"""Tables of evaluate_methods as numbers."""

import math
from dataclasses import dataclass

from .runs import read_csv

SHARES = ("recall_union", "precision_string", "precision_cosine", "f1", "precision_truth", "recall_truth", "f1_truth")
NUMBERS = ("pairs", *SHARES, "seconds", "bytes_per_document")


@dataclass(frozen=True)
class Interval:
    """A share with the bounds of its interval; both are the share itself where none was computed."""

    mean: float
    low: float
    high: float


def number(text):
    """Returns the number a cell spells; NaN if it is empty or missing."""
    return float(text) if text else math.nan


class Table:
    """Rows by method, in the order of the file."""

    def __init__(self, path):
        self.path = path
        self.rows = {row["method"]: row for row in read_csv(path)}

    def __bool__(self):
        return bool(self.rows)

    def methods(self):
        """Returns the methods in order."""
        return list(self.rows)

    def value(self, method, column):
        """Returns a number; NaN where it is undefined."""
        return number(self.rows.get(method, {}).get(column, ""))

    def interval(self, method, column):
        """Returns a share with its interval; None where it is undefined."""
        mean = self.value(method, column)
        if math.isnan(mean):
            return None
        low, high = (self.value(method, f"{column}_{end}") for end in ("low", "high"))
        return Interval(mean, mean if math.isnan(low) else low, mean if math.isnan(high) else high)

    def order(self, column, methods):
        """Returns the methods with a defined value, the largest first; undefined F counts as 0."""
        return sorted(methods, key=lambda method: -zero(self.value(method, column)))


def zero(value):
    """Returns 0 for an undefined number."""
    return 0.0 if math.isnan(value) else value


def spearman(one, other):
    """Returns Spearman's rank correlation of two equally long lists; ties have mean ranks. None for fewer than three values."""
    if len(one) < 3:
        return None
    first, second = ranks(one), ranks(other)
    mean = (len(one) + 1) / 2
    product = sum((a - mean) * (b - mean) for a, b in zip(first, second, strict=True))
    squares = [sum((rank - mean) ** 2 for rank in part) for part in (first, second)]
    return product / math.sqrt(squares[0] * squares[1]) if all(squares) else None


def ranks(values):
    """Returns the rank of each value, from 1; equal values share the mean of their ranks."""
    return [sum(other < value for other in values) + (sum(other == value for other in values) + 1) / 2 for value in values]
