"""Claims, the cases they are judged in, and verdicts by stated rules."""

import math
from dataclasses import dataclass, field
from enum import Enum


class Verdict(Enum):
    """The verdict on a claim or on one of its cases."""

    HOLDS = "holds"
    FAILS = "does not hold"
    OPEN = "cannot be judged on this data"

    def __str__(self):
        return self.value

    @property
    def inverse(self):
        """The verdict on the opposite claim."""
        return {Verdict.HOLDS: Verdict.FAILS, Verdict.FAILS: Verdict.HOLDS, Verdict.OPEN: Verdict.OPEN}[self]


def within(value, low, high):
    """Judges whether an estimate's interval lies between two limits."""
    if low <= value.low and value.high <= high:
        return Verdict.HOLDS
    if value.high < low or value.low > high:
        return Verdict.FAILS
    return Verdict.OPEN


def at_most(value, limit):
    """Judges whether an estimate's interval lies at or below a limit."""
    return within(value, -math.inf, limit)


def above(value, limit):
    """Judges whether an estimate's interval lies above a limit."""
    if value.low > limit:
        return Verdict.HOLDS
    return Verdict.FAILS if value.high <= limit else Verdict.OPEN


def all_of(verdicts):
    """Combines conditions that must hold together: one failure fails all, none at all is open."""
    verdicts = list(verdicts)
    if Verdict.FAILS in verdicts:
        return Verdict.FAILS
    return Verdict.OPEN if not verdicts or Verdict.OPEN in verdicts else Verdict.HOLDS


@dataclass(frozen=True)
class Case:
    """A claim on one collection: its name, the verdict and the numbers behind it."""

    name: str
    verdict: Verdict
    evidence: str


@dataclass(frozen=True)
class Claim:
    """A claim with its rule and cases. An empty source marks a claim of our own; the reason is shown where the claim fails."""

    text: str
    rule: str
    cases: list
    reason: str
    source: str = ""
    verdict: Verdict = field(init=False)

    def __post_init__(self):
        object.__setattr__(self, "verdict", self._judge())

    def _judge(self):
        """One failing case fails the claim; otherwise one case that holds is enough."""
        verdicts = [case.verdict for case in self.cases]
        if Verdict.FAILS in verdicts:
            return Verdict.FAILS
        return Verdict.HOLDS if Verdict.HOLDS in verdicts else Verdict.OPEN

    def tally(self):
        """Counts the cases per verdict, in words."""
        counts = {verdict: sum(case.verdict is verdict for case in self.cases) for verdict in Verdict}
        text = f"holds in {counts[Verdict.HOLDS]} of {len(self.cases)}"
        if counts[Verdict.FAILS]:
            text += f", fails in {counts[Verdict.FAILS]}"
        if counts[Verdict.OPEN]:
            text += f", open in {counts[Verdict.OPEN]}"
        return text

    def telling_case(self):
        """Returns the first case with the verdict of the claim; None without cases."""
        return next((case for case in self.cases if case.verdict is self.verdict), None)
