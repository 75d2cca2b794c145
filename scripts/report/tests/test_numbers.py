"""Statistics and formatting against values computed by hand."""

import math

import pytest

from report import markdown
from report.closed_form import expected_hamming
from report.estimate import Estimate, estimate, exponent, line_through


def test_mean_and_interval():
    # Standard deviation √10 / 2 = 1.5811 and t(4) = 2.7764: half = 2.7764 · 1.5811 / √5.
    value = estimate([1, 2, 3, 4, 5])
    assert (value.mean, value.count) == (3.0, 5)
    assert value.half == pytest.approx(1.9632, abs=1e-4)
    assert value.low == pytest.approx(1.0368, abs=1e-4)
    # t(1) = 12.7062, standard error 1.
    assert estimate([0, 2]).half == pytest.approx(12.7062)


def test_single_and_missing_values():
    assert estimate([7]) == Estimate(7.0, None, 1)
    assert estimate([math.nan, 7, None]) == Estimate(7.0, None, 1)
    assert estimate([]) is None
    assert estimate([math.nan]) is None


def test_slope_and_its_interval():
    # y = 0, 1, 1 over x = 0, 1, 2: slope 1/2, residual 1/6, spread 2, t(1) = 12.7062.
    fit = line_through([(0, 0), (1, 1), (2, 1)])
    assert fit.slope == pytest.approx(0.5)
    assert fit.half == pytest.approx(12.7062 * math.sqrt(1 / 12))
    assert line_through([(0, 0), (1, 1)]).half is None
    assert line_through([(1, 0), (1, 1)]) is None


def test_exponent_of_an_inverse_law():
    fit = exponent([(x, 2000 / x) for x in (64, 128, 512, 4096)])
    assert fit.slope == pytest.approx(-1)
    assert fit.half == pytest.approx(0, abs=1e-6)
    assert exponent([(1, 2), (2, 0)]) is None, "0 has no logarithm"


def test_expected_hamming_similarity():
    assert expected_hamming(0) == pytest.approx(50)
    assert expected_hamming(100) == pytest.approx(100)
    assert expected_hamming(80) == pytest.approx(79.5167, abs=1e-4)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (100, "100"),
        (2439.508, "2,439.5"),
        (49.356, "49.36"),
        (1.9144, "1.914"),
        (0.0321, "0.0321"),
        (97359, "97,359"),
        (-0.5, "−0.500"),
        (1234567, "1,234,567"),
        (-0.00001, "0.0000"),
    ],
)
def test_numbers_have_the_decimals_they_need(value, text):
    assert markdown.number(value) == text


@pytest.mark.parametrize(
    ("value", "half", "text"),
    [
        (35.14159, 0.2117, "35.14 ± 0.21"),
        (1275.5, 23.4, "1,276 ± 23"),
        (99.99, 0.000004, "99.99"),
        (61565, 0.0, "61,565"),
        (49.356, None, "49.36"),
    ],
)
def test_means_show_two_digits_of_the_interval(value, half, text):
    assert markdown.shown(Estimate(value, half, 5)) == text


def test_missing_values_are_dashes():
    assert markdown.shown(None) == "—"
    assert markdown.maybe(None, markdown.number) == "—"
    assert markdown.maybe(2.5, markdown.fixed, 1) == "2.5"


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.0843, "0.084 s"), (12.34, "12.3 s"), (754, "12.6 min"), (54748.2, "15.2 h"), (2175546.6, "25.2 d")]
)
def test_durations(seconds, text):
    assert markdown.duration(seconds) == text


def test_tables_align_numbers_right_and_escape_bars():
    text = markdown.table(["beam", "thesis"], [["a|b", "69.8"]], 1, "Table 2.1")
    assert text == "**Table 2.1**\n\n| beam | thesis |\n| --- | ---: |\n| a\\|b | 69.8 |\n"


def test_anchors():
    assert markdown.anchor("The share of pairs: PLEB's own") == "the-share-of-pairs-plebs-own"
