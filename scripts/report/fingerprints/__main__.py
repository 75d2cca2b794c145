"""Experiments with fingerprint methods: `python -m report.fingerprints run|page|plots|check|record`."""

import argparse
import pathlib
import sys

from .. import files, origin, plots
from ..errors import ReportError
from . import expected, page, pictures, plan
from .runs import Runner
from .tables import Table


def arguments(words):
    parser = argparse.ArgumentParser(prog="report.fingerprints", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    plot = commands.add_parser("plots", help="draw precision over recall, and quality over cost, of one table of evaluate_methods")
    plot.add_argument("table", type=pathlib.Path, metavar="TABLE", help="table of evaluate_methods")
    plot.add_argument("--documents", type=int, required=True, metavar="N", help="number of documents of the collection")
    plot.add_argument("--out", required=True, metavar="STEM", help="write STEM_precision_recall and STEM_quality_cost as .svg and .png")
    plot.set_defaults(run=draw)
    for name, run, text in (
        ("run", run_all, "run what is missing and write the tables"),
        ("page", write_page, "write the page with verdicts, tables and plots"),
        ("check", check, "compare the tables with the expected values; exit 1 if one is off"),
        ("record", record, "write the expected values from the tables"),
    ):
        command = commands.add_parser(name, help=text)
        command.add_argument("--experiment", type=pathlib.Path, default="exp/fingerprints", metavar="DIR", help="plan, published values and claims (default: %(default)s)")
        command.add_argument("--tables", type=pathlib.Path, required=True, metavar="DIR", help="folder of the tables")
        command.add_argument("--small", action="store_true", help="use the small version")
        command.set_defaults(run=run)
        if name == "run":
            command.add_argument("--collections", type=pathlib.Path, required=True, metavar="DIR", help="folder of the collections")
            command.add_argument("--work", type=pathlib.Path, required=True, metavar="DIR", help="folder of working data")
            command.add_argument("--wikipedia", type=pathlib.Path, metavar="FILE", help="versions of Wikipedia articles as JSON Lines with ids ARTICLE/VERSION; skipped without")
        if name == "page":
            command.add_argument("--out_dir", type=pathlib.Path, required=True, metavar="DIR", help="folder of README.md, pictures/ and tables/")
    return parser.parse_args(words)


def draw(options):
    """Draws one table."""
    table = Table(options.table)
    if not table:
        raise ReportError(f"{options.table}: expected a table of evaluate_methods, found no row")
    written = plots.save(pictures.precision_recall("Precision and recall", [("", table)]), f"{options.out}_precision_recall")
    written += plots.save(pictures.quality_cost("F over time per document; larger markers: larger prints", [("", table, options.documents)]), f"{options.out}_quality_cost")
    return f"wrote {written} files"


def run_all(options):
    """Runs everything that is missing."""
    runner = Runner(plan.read(options.experiment, options.small), options.collections, options.work, options.tables, options.wikipedia)
    runner.all()
    return f"tables are in {options.tables}"


def write_page(options):
    """Writes the page."""
    found, is_changed = origin.commit()
    stated = {"version": origin.version(), "commit": f"{found}, with changes" if is_changed else found, "machine": origin.machine()}
    written = page.write(plan.read(options.experiment, options.small), options.tables, options.out_dir, stated)
    return f"wrote {written} files"


def check(options):
    """Compares the tables with the expected values."""
    path = expected.path(options.experiment, options.small)
    outcomes = expected.check(path, options.tables)
    for outcome in outcomes:
        print(outcome)
    off = sum(outcome.startswith("off") for outcome in outcomes)
    if off:
        raise ReportError(f"{off} of {len(outcomes)} values are off")
    return f"{len(outcomes)} values are as expected"


def record(options):
    """Writes the expected values."""
    text, count = expected.record(options.tables)
    files.write(expected.path(options.experiment, options.small), text)
    return f"wrote {count} expected values"


def main(words=None):
    options = arguments(words)
    try:
        done = options.run(options)
    except ReportError as error:
        sys.exit(f"fingerprints {options.command}: error: {error}")
    print(f"fingerprints {options.command}: {done}", file=sys.stderr)


if __name__ == "__main__":
    main()
