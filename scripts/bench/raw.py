"""Raw numbers of benchmark runs: `DATE-COMMIT-KIND.csv` with `-machine.txt` and `-checks.csv` beside it.

Older files call find_near_dups `front_door`; those of the pipeline have no kind.
"""

import pathlib
import re

import pandas as pd

LEGACY = "front_door"
PIPELINE, FIND_NEAR_DUPS, REAL = "pipeline", "find_near_dups", "real"
# Other tables of the same runs.
PARTS = ("-checks", "-collections", "-join", "-kernels", "-signing")
# Of a forecast, or of the message of a run.
OUTCOME = re.compile(r"(?:.*?\()?([0-9,]+) pairs?\b[^;]*?[,;] ([0-9.,]+) s, (?:peak memory )?([0-9.,]+) MB")


def renamed(text):
    """Replaces the former name of find_near_dups."""
    return text.replace(LEGACY, FIND_NEAR_DUPS)


def outcome(text):
    """Returns pairs, seconds and megabytes of a forecast or of the message of a run."""
    found = OUTCOME.match(text)
    if not found:
        raise ValueError(f"expected pairs, time and memory, found '{text}'")
    pairs, seconds, memory = (part.replace(",", "") for part in found.groups())
    return int(pairs), float(seconds), float(memory)


class Run:
    """One benchmark run; `medians` are over repetitions, by row, tool and number of threads."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.runs = pd.read_csv(path, keep_default_na=False)
        self.runs["row"] = self.runs["row"].map(renamed)
        self.medians = self.runs.groupby(["row", "tool", "threads"])[["seconds", "rate"]].median()
        machine = self._beside("-machine.txt").read_text().splitlines()
        self.machine = {line.split()[0]: renamed(line.split(maxsplit=1)[1]) for line in machine}

    def _beside(self, suffix):
        return self.path.with_name(self.path.stem + suffix)

    def checks(self):
        """Returns the comparisons of answers as a data frame."""
        checks = pd.read_csv(self._beside("-checks.csv"), keep_default_na=False, dtype=str)
        return checks.assign(row=checks["row"].map(renamed))

    def part(self, suffix):
        """Returns another table of the same run."""
        return pd.read_csv(self._beside(f"{suffix}.csv"), keep_default_na=False)

    def median(self, row, tool, threads=None):
        """Returns (seconds, rate, threads) with this number of threads, or the most the tool ran with; None if it did not run."""
        try:
            found = self.medians.loc[(row, tool)]
            threads = threads or found.index.max()
            return (*found.loc[threads], threads)
        except KeyError:
            return None

    def tools(self, row):
        """Returns the tools of a row but ours."""
        return sorted({tool for other, tool, _ in self.medians.index if other == row} - {"nearsig"})

    def ratio(self, row, baseline):
        """Returns our rate over that of a baseline; None if one of them did not run."""
        ours, theirs = self.median(row, "nearsig"), self.median(row, baseline)
        return ours[1] / theirs[1] if ours and theirs else None

    def unit(self, row):
        """Returns the unit of a row's rate."""
        return self.runs.loc[self.runs["row"] == row, "unit"].iloc[0]


def recorded(folder, kind):
    """Returns all runs of a kind in a folder, the latest last."""
    found = []
    for path in pathlib.Path(folder).glob("????-??-??-*.csv"):
        if kind_of(path.stem) == kind and not path.stem.endswith(PARTS):
            found.append(Run(path))
    return sorted(found, key=lambda run: run.machine["date"])


def kind_of(stem):
    """Returns the kind of a run by the stem of its file."""
    last = renamed(stem.rpartition("-")[2])
    return last if last in (FIND_NEAR_DUPS, REAL) else PIPELINE
