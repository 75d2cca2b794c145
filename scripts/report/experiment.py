"""Experiments: folders with `experiment.toml`, `claims.py` and expected values. Folders are discovered; no list names them."""

import importlib.util
import itertools
import pathlib
import tomllib
from dataclasses import dataclass

from .errors import ReportError, excerpt
from .measures import MEASURES
from .tables import read_text

PLAN = "experiment.toml"
CLAIMS = "claims.py"


@dataclass(frozen=True)
class Experiment:
    """The plan of an experiment: its title, the tables and figures of the thesis it repeats, and its grids of values by key."""

    folder: pathlib.Path
    title: str
    thesis_tables: tuple
    grids: tuple

    @property
    def name(self):
        return self.folder.name

    def measures(self):
        """Returns the measures, in the order of the grids."""
        return list(dict.fromkeys(grid["measure"] for grid in self.grids))

    def planned_rows(self, measure):
        """Returns the number of distinct rows the grids of a measure produce."""
        rows = set()
        for grid in self.grids:
            if grid["measure"] == measure:
                rows.update(itertools.product(*(grid.get(key, ("",)) for key in MEASURES[measure].keys)))
        return len(rows)

    def table_path(self, tables, measure, small):
        """Returns the path of the table of a measure."""
        return tables / f"{self.name}{'-small' if small else ''}-{measure}.csv"

    def expected_path(self, small):
        """Returns the path of the expected values."""
        return self.folder / ("expected-small.csv" if small else "expected.csv")

    def load_claims(self):
        """Imports `claims.py`, which must define ORDER, the place on the page, and write(source, chapter)."""
        path = self.folder / CLAIMS
        if not path.is_file():
            raise ReportError(f"{path}: missing; an experiment needs {PLAN} and {CLAIMS}")
        spec = importlib.util.spec_from_file_location(f"claims_{self.name}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for name in ("ORDER", "write"):
            if not hasattr(module, name):
                raise ReportError(f"{path}: expected a definition of {name}, found none")
        return module


def names(folder):
    """Returns the names of all experiments in a folder, sorted."""
    folder = pathlib.Path(folder)
    if not folder.is_dir():
        raise ReportError(f"{folder}: cannot read: not a folder")
    return sorted(path.parent.name for path in folder.glob(f"*/{PLAN}"))


def read(folder, small):
    """Reads an experiment, or its small version, which replaces the values of some keys."""
    path = pathlib.Path(folder) / PLAN
    try:
        plan = tomllib.loads(read_text(path), parse_float=str)
    except tomllib.TOMLDecodeError as error:
        raise ReportError(f"{path}: expected TOML, found {error}") from error
    for key in ("title", "grid"):
        if key not in plan:
            raise ReportError(f"{path}: expected a key {key}, found none")
    replaced = plan.get("small", {}) if small else {}
    grids = tuple(_grid(path, grid, replaced) for grid in plan["grid"])
    return Experiment(path.parent, plan["title"], tuple(plan.get("tables", ())), grids)


def _grid(path, grid, replaced):
    """Returns a grid with lists of texts as values."""
    if grid.get("measure") not in MEASURES:
        raise ReportError(f"{path}: expected for measure one of {', '.join(MEASURES)}, found {excerpt(str(grid.get('measure')))}")
    values = {key: replaced.get(key, value) for key, value in grid.items() if key != "measure"}
    lists = {key: tuple(map(str, value)) if isinstance(value, list) else (str(value),) for key, value in values.items()}
    return lists | {"measure": grid["measure"]}
