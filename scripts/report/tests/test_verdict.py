"""Verdict rules."""

import pytest

from report.estimate import Estimate
from report.verdict import Case, Claim, Verdict, above, all_of, at_most, within

HOLDS, FAILS, OPEN = Verdict.HOLDS, Verdict.FAILS, Verdict.OPEN


@pytest.mark.parametrize(("mean", "half", "verdict"), [(1, 0.5, HOLDS), (1, 1.5, OPEN), (3, 0.5, FAILS), (-1, 0.5, FAILS), (2, None, HOLDS)])
def test_within_needs_the_whole_interval(mean, half, verdict):
    assert within(Estimate(mean, half, 5), 0, 2) is verdict


@pytest.mark.parametrize(("mean", "verdict"), [(0.1, HOLDS), (1.1, OPEN), (2, FAILS)])
def test_at_most(mean, verdict):
    assert at_most(Estimate(mean, 0.5, 5), 1) is verdict


@pytest.mark.parametrize(("mean", "verdict"), [(1, HOLDS), (0.2, OPEN), (-1, FAILS)])
def test_above(mean, verdict):
    assert above(Estimate(mean, 0.5, 5), 0) is verdict


@pytest.mark.parametrize(
    ("parts", "verdict"), [([HOLDS, HOLDS], HOLDS), ([HOLDS, OPEN], OPEN), ([FAILS, OPEN], FAILS), ([], OPEN)]
)
def test_one_failure_fails_all(parts, verdict):
    assert all_of(parts) is verdict


@pytest.mark.parametrize(
    ("cases", "verdict"), [([HOLDS, OPEN], HOLDS), ([HOLDS, FAILS], FAILS), ([OPEN], OPEN), ([], OPEN)]
)
def test_a_claim_holds_where_it_can_be_judged(cases, verdict):
    claim = Claim(text="", rule="", reason="", cases=[Case(str(number), one, "") for number, one in enumerate(cases)])
    assert claim.verdict is verdict
    assert (claim.telling_case() is None) == (not cases)


def test_tally_counts_every_verdict():
    cases = [Case("", one, "") for one in (HOLDS, FAILS, OPEN)]
    assert Claim(text="", rule="", reason="", cases=cases).tally() == "holds in 1 of 3, fails in 1, open in 1"


def test_the_inverse_of_open_is_open():
    assert [one.inverse for one in (HOLDS, FAILS, OPEN)] == [FAILS, HOLDS, OPEN]
