"""Experiments with the n-gram index: `python -m report.copied_passages corpus|run|page|check|record`."""

import argparse
import pathlib
import sys

from .. import files, origin
from ..errors import ReportError
from ..fingerprints.expected import path as expected_path
from . import corpus, expected, page, plan
from .runs import Runner


def arguments(words):
    parser = argparse.ArgumentParser(prog="report.copied_passages", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for name, run, text in (
        ("corpus", create, "create the corpus of planted copies only"),
        ("run", run_all, "run what is missing and write the tables"),
        ("page", write_page, "write the page with verdicts, tables and plots"),
        ("check", check, "compare the tables with the expected values; exit 1 if one is off"),
        ("record", record, "write the expected values from the tables"),
    ):
        command = commands.add_parser(name, help=text)
        command.add_argument("--experiment", type=pathlib.Path, default="exp/copied_passages", metavar="DIR", help="plan, published values, texts and claims (default: %(default)s)")
        command.add_argument("--small", action="store_true", help="use the small version")
        command.set_defaults(run=run)
        if name != "corpus":
            command.add_argument("--tables", type=pathlib.Path, required=True, metavar="DIR", help="folder of the tables")
        if name in ("corpus", "run"):
            command.add_argument("--collections", type=pathlib.Path, required=True, metavar="DIR", help="folder of the collections")
        if name == "run":
            command.add_argument("--work", type=pathlib.Path, required=True, metavar="DIR", help="folder of working data")
            command.add_argument("--pan13", type=pathlib.Path, metavar="DIR", help="PAN's corpus: documents.jsonl.gz, truth.tsv, pairs.tsv; skipped without")
            command.add_argument("--wikipedia_versions", type=pathlib.Path, metavar="DIR", help="versions of Wikipedia articles: documents.jsonl.gz with ids ARTICLE/VERSION; skipped without")
            command.add_argument("--only", nargs="+", default=["*"], metavar="GLOB", help="tables to write (default: all that are missing)")
        if name in ("corpus", "page"):
            command.add_argument("--out_dir", type=pathlib.Path, required=True, metavar="DIR", help="folder to write")
    return parser.parse_args(words)


def create(options):
    """Writes the corpus."""
    settings = plan.read(options.experiment, options.small)["corpus"]
    corpus.write(options.collections / f"{settings['collection']}.jsonl", settings, options.out_dir)
    return f"the corpus is in {options.out_dir}"


def run_all(options):
    """Runs everything that is missing."""
    runner = Runner(plan.read(options.experiment, options.small), options.collections, options.work, options.tables, options.pan13, options.wikipedia_versions)
    runner.all(options.only)
    return f"tables are in {options.tables}"


def write_page(options):
    """Writes the page."""
    found, is_changed = origin.commit()
    stated = {"version": origin.version(), "commit": f"{found}, with changes" if is_changed else found, "machine": origin.machine()}
    written = page.write(plan.read(options.experiment, options.small), options.tables, options.out_dir, stated)
    return f"wrote {written} files"


def check(options):
    """Compares the tables with the expected values."""
    outcomes = expected.check(expected_path(options.experiment, options.small), options.tables)
    for outcome in outcomes:
        print(outcome)
    off = sum(outcome.startswith("off") for outcome in outcomes)
    if off or not outcomes:
        raise ReportError(f"{off} of {len(outcomes)} values are off")
    return f"{len(outcomes)} values are as expected"


def record(options):
    """Writes the expected values."""
    text, count = expected.record(options.tables)
    files.write(expected_path(options.experiment, options.small), text)
    return f"wrote {count} expected values"


def main(words=None):
    options = arguments(words)
    try:
        done = options.run(options)
    except ReportError as error:
        sys.exit(f"copied_passages {options.command}: error: {error}")
    print(f"copied_passages {options.command}: {done}", file=sys.stderr)


if __name__ == "__main__":
    main()
