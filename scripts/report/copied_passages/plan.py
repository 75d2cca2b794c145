"""The plan of the experiments, `exp/copied_passages/plan.toml`, and the published values next to it."""

import csv
import pathlib
import tomllib
from dataclasses import dataclass

from ..errors import ReportError

# Conditions of table 6.1.
CONDITIONS = ("a=70%", "m=10", "m=7")
# The length of n-grams of both theses.
LENGTH = 7


@dataclass(frozen=True)
class Plan:
    """Everything the runs and the page need to know; `settings` has the tables of plan.toml."""

    folder: pathlib.Path
    settings: dict
    published: list
    small: bool

    def __getitem__(self, name):
        return self.settings[name]

    @property
    def presets(self):
        """The rules of an index by name, with the limits of a search."""
        return {preset["name"]: preset for preset in self.settings["preset"]}

    @property
    def lengths(self):
        """The lengths of n-grams."""
        return self.settings["ngrams"]["lengths"]

    def values(self, table):
        """Returns {(row, column): value} of a published table."""
        return {(row["row"], row["column"]): float(row["value"]) for row in self.published if row["table"] == table}


def read(folder, small):
    """Reads the plan and the published values."""
    folder = pathlib.Path(folder)
    path = folder / "plan.toml"
    try:
        settings = tomllib.loads(path.read_text(encoding="utf-8"))
        with open(folder / "published.csv", encoding="utf-8", newline="") as lines:
            published = list(csv.DictReader(lines))
    except OSError as error:
        raise ReportError(f"{error.filename}: cannot read: {error.strerror}") from error
    except tomllib.TOMLDecodeError as error:
        raise ReportError(f"{path}: expected TOML, found {error}") from error
    if small:
        for table, changes in settings["small"].items():
            settings[table] = settings[table] | changes
    return Plan(folder, settings, published, small)
