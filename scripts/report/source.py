"""Everything a page is made from: tables, density bins and the values published in the thesis."""

import pandas as pd

from .errors import ReportError
from .tables import bins_path, empty_table, read_bins, read_frame, read_table

PUBLISHED = "table collection docs weighting vocabulary voc_size threshold_sim threshold_ham sig_len iter_count beam shift_count measure value".split()


def read_thesis(path):
    """Reads the published values; `printed` holds each value as the thesis prints it."""
    printed = read_frame(path, PUBLISHED, [])["value"]
    return read_frame(path, PUBLISHED, ["value"]).assign(printed=printed)


class Source:
    """The tables of one experiment beside the published values. `shown` holds the names of all pictures on the page so far."""

    def __init__(self, experiment, tables, thesis, small=False, shown=None):
        self.experiment, self.thesis = experiment, thesis
        self.shown = set() if shown is None else shown
        self.paths = {measure: experiment.table_path(tables, measure, small) for measure in experiment.measures()}
        self.tables = {measure: read_table(path, measure) for measure, path in self.paths.items() if path.exists()}
        self.bin_paths = self._bin_paths()
        self._bins = {index: read_bins(path) for index, path in self.bin_paths.items() if path.exists()}

    def _bin_paths(self):
        """Returns the file of bins per row of the density table."""
        rows = self.tables.get("density", empty_table("density"))
        return {index: bins_path(self.paths["density"], row) for index, row in rows.iterrows()}

    def rows(self, measure):
        """Returns the table of a measure, empty if its file is missing."""
        if measure not in self.paths:
            known = ", ".join(self.paths)
            raise ReportError(f"{self.experiment.folder}: expected one of the measures {known}, found '{measure}'")
        return self.tables.get(measure, empty_table(measure))

    def published(self, table):
        """Returns the values of a table of the thesis."""
        return self.thesis[self.thesis["table"] == table]

    def bins(self, rows):
        """Returns the summed bins of some rows of the density table."""
        parts = [self._bins[index] for index in rows.index if index in self._bins]
        if not parts:
            return pd.DataFrame(columns=["cosine", "hamming", "pairs"], dtype=float)
        return pd.concat(parts).groupby(["cosine", "hamming"], as_index=False)["pairs"].sum()

    def files(self):
        """Returns the files of all tables and bins that exist."""
        tables = [self.paths[measure] for measure in self.tables]
        return tables + [path for index, path in self.bin_paths.items() if index in self._bins]

    def notes(self):
        """Describes missing tables, rows and bins, one sentence each."""
        for measure, path in self.paths.items():
            if measure not in self.tables:
                yield f"Table `{path.name}` is missing; its values are not shown."
                continue
            planned = self.experiment.planned_rows(measure)
            missing = planned - len(self.tables[measure])
            if missing > 0:
                yield f"{missing} of {planned} rows of `{path.name}` are missing."
            without = len(self.bin_paths) - len(self._bins) if measure == "density" else 0
            if without:
                yield f"{without} files with bins of `{path.name}` are missing."
