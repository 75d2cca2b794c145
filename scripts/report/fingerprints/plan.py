"""The plan of the experiments, `exp/fingerprints/plan.toml`, and the published values next to it."""

import csv
import pathlib
import tomllib
from dataclasses import dataclass, field

from ..errors import ReportError

# Methods that need statistics of the collection, and methods that do not.
GLOBAL = ("tf_idf", "heavy_sent", "imatch", "imatch_random", "descr_words")
LOCAL = ("tf", "long_sent", "a1", "a2", "sent_words", "megashingles", "supershingles", "shingles", "md5")
# Growing collections: two methods with collection statistics, two without.
GROWING = ("tf", "tf_idf", "long_sent", "heavy_sent")
# Methods of the first paper that are later than sif and Koala.
LATER = ("shingles", "supershingles", "megashingles", "long_sent", "heavy_sent", "tf", "tf_idf", "imatch", "imatch_random", "descr_words")
# A method without statistics, next to those with: nothing may change for it.
CONTROL = "tf"
# Differences of table 3 in percent.
DIFFERENCES = (6, 15, 30)


@dataclass(frozen=True)
class Plan:
    """Everything the runs and the page need to know."""

    folder: pathlib.Path
    title: str
    table_2: dict
    preprocessing: list
    collections: dict
    edits: dict
    overlap: dict
    growth: dict
    synthetic: dict
    works: dict
    topics: dict
    additions: dict
    revisions: dict
    small: bool
    published: list = field(default_factory=list)

    def values(self, table):
        """Returns {(row, column): value} of a published table."""
        return {(row["row"], row["column"]): float(row["value"]) for row in self.published if row["table"] == table}


def read(folder, small):
    """Reads the plan and the published values."""
    folder = pathlib.Path(folder)
    path = folder / "plan.toml"
    try:
        plan = tomllib.loads(path.read_text(encoding="utf-8"))
        with open(folder / "published.csv", encoding="utf-8", newline="") as lines:
            published = list(csv.DictReader(lines))
    except OSError as error:
        raise ReportError(f"{error.filename}: cannot read: {error.strerror}") from error
    except tomllib.TOMLDecodeError as error:
        raise ReportError(f"{path}: expected TOML, found {error}") from error
    collections = {one["name"]: one for one in plan["collection"]}
    edits, overlap, growth, synthetic, works = plan["edits"], plan["overlap"], plan["growth"], plan["synthetic"], {}
    topics, additions, revisions = plan["topics"], plan["additions"], plan["revisions"]
    if small:
        less = plan["small"]
        known = collections | {"sample": {"name": "sample", "title": "Bible chapters of the sample", "truth": True}}
        collections = {name: known[name] for name in less["collections"]}
        edits = edits | {"collection": "sample", "documents": less["documents"]}
        overlap = overlap | {"collection": "sample", "documents": less["documents"]}
        growth = growth | {"documents": [less["synthetic"]]}
        synthetic = synthetic | {"documents": less["synthetic"]}
        topics, additions, revisions = topics | less["topics"], additions | less["additions"], revisions | less["revisions"]
        works = {"works": less["works"], "copies": less["copies"]}
    return Plan(folder, plan["title"], plan["table_2"], plan["preprocessing"]["flags"], collections, edits, overlap, growth, synthetic, works, topics, additions, revisions, small, published)
