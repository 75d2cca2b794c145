"""Means over seeds with 95 % confidence intervals, and exponents of power laws."""

import math
from dataclasses import dataclass

from scipy import stats

# The confidence level is 95 %: 2.5 % on either side.
QUANTILE = 0.975
# Quantiles of Student's t have four decimals, as in printed tables; the committed pages are computed with these.
DECIMALS = 4


def half_width(standard_error, degrees):
    """Returns half of the 95 % confidence interval by Student's t."""
    return round(float(stats.t.ppf(QUANTILE, degrees)), DECIMALS) * float(standard_error)


@dataclass(frozen=True)
class Estimate:
    """A mean, half of its 95 % confidence interval (None for a single value), and the number of values."""

    mean: float
    half: float | None = None
    count: int = 1

    @property
    def low(self):
        """The lower end of the interval; for a single value, the value."""
        return self.mean - (self.half or 0.0)

    @property
    def high(self):
        """The upper end of the interval; for a single value, the value."""
        return self.mean + (self.half or 0.0)


def estimate(values):
    """Returns the Estimate of values; None if there are none."""
    values = [float(value) for value in values if value is not None and not math.isnan(value)]
    if not values:
        return None
    mean = sum(values) / len(values)
    half = half_width(stats.sem(values), len(values) - 1) if len(values) > 1 else None
    return Estimate(mean, half, len(values))


@dataclass(frozen=True)
class Fit:
    """The slope of a least-squares line and half of its 95 % confidence interval (None for two points)."""

    slope: float
    half: float | None


def line_through(points):
    """Returns the least-squares line through (x, y) points; None unless they have two different x."""
    if len({x for x, _ in points}) < 2:
        return None
    line = stats.linregress(*zip(*points, strict=True))
    degrees = len(points) - 2
    return Fit(float(line.slope), half_width(line.stderr, degrees) if degrees > 0 else None)


def exponent(points):
    """Returns the fit of e in y = a·xᵉ; points without a logarithm are left out."""
    return line_through([(math.log(x), math.log(y)) for x, y in points if x > 0 and y > 0])
