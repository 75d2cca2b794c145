"""The plan and the tables of a run."""

from ..fingerprints.runs import read_csv


def document_f1(row):
    """Returns F1 of documents ; 0 where nothing is found."""
    precision, recall = (float(row[column] or 0) for column in ("document_precision", "document_recall"))
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


class Source:
    """The plan, and tables by name."""

    def __init__(self, plan, folder):
        self.plan, self.folder = plan, folder

    def rows(self, name):
        """Returns the rows of a table; none if it is missing."""
        return read_csv(self.folder / f"{name}.csv")

    def tables(self, kind):
        """Yields (corpus, rows) of the tables of one kind, our corpus first."""
        paths = sorted(self.folder.glob(f"{kind}-*.csv"), key=lambda path: (path.stem != f"{kind}-own", path.stem))
        for path in paths:
            yield path.stem.partition("-")[2], read_csv(path)

    def extraction(self):
        """Returns the measurements of all tools and sizes."""
        return [row for _, rows in self.tables("extraction") for row in rows]
