"""Reports the experiments: `python -m report page|check|record`."""

import argparse
import pathlib
import sys

from . import expected, experiment, origin, page
from .errors import ReportError


def arguments(words):
    parser = argparse.ArgumentParser(prog="report", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    page_command = commands.add_parser("page", help="write the page with tables, verdicts and plots")
    page_command.add_argument("--thesis", type=pathlib.Path, default="exp/thesis.csv", metavar="FILE", help="published values (default: %(default)s)")
    page_command.add_argument("--out_dir", type=pathlib.Path, default="res/reproduction", metavar="DIR", help="folder for README.md, pictures/ and tables/ (default: %(default)s)")
    page_command.add_argument("--machine", metavar="TEXT", help="machine to name on the page (default: this one)")
    page_command.add_argument("--commit", metavar="TEXT", help="commit to name on the page (default: the current one)")
    page_command.set_defaults(run=write_page)
    check_command = commands.add_parser("check", help="compare the tables with the expected values; exit 1 if one is off or missing")
    check_command.set_defaults(run=check)
    record_command = commands.add_parser("record", help="write the expected values from the tables: tolerances of four standard errors over seeds, plus a floor")
    record_command.set_defaults(run=record)
    for command in (page_command, check_command, record_command):
        command.add_argument("--tables", type=pathlib.Path, default="res/experiments", metavar="DIR", help="folder of the tables (default: %(default)s)")
        command.add_argument("--experiments", type=pathlib.Path, default="exp", metavar="DIR", help="folder of the experiments (default: %(default)s)")
        command.add_argument("--small", action="store_true", help="use the small version of every experiment")
    for command in (check_command, record_command):
        command.add_argument("names", nargs="*", metavar="NAME", help="experiments (default: all)")
    return parser.parse_args(words)


def write_page(options):
    small = " --small" if options.small else ""
    paths = f"--tables {options.tables} --thesis {options.thesis} --experiments {options.experiments} --out_dir {options.out_dir}"
    stated = page.Origin(
        command=f"scripts/report/run.sh page {paths}{small}",
        version=origin.version(),
        commit=options.commit or current_commit(),
        machine=options.machine or origin.machine(),
        small=options.small,
    )
    read, missing, written = page.write(options.tables, options.thesis, options.experiments, options.out_dir, stated)
    return f"read {read} tables, {missing} missing, wrote {written} files"


def current_commit():
    found, is_changed = origin.commit()
    return f"{found}, with changes" if is_changed else found


def selected(options):
    """Returns the experiments to check or record."""
    names = options.names or experiment.names(options.experiments)
    return [experiment.read(options.experiments / name, options.small) for name in names]


def check(options):
    results = off = 0
    for one in selected(options):
        for outcome in expected.check(one, options.tables, options.small):
            print(f"{one.name}: {outcome}")
            results += 1
            off += not outcome.is_ok()
    if off:
        raise ReportError(f"{off} of {results} results are off")
    return f"{results} results are as expected"


def record(options):
    results = sum(expected.record(one, options.tables, options.small) for one in selected(options))
    return f"wrote {results} expected results"


def main(words=None):
    options = arguments(words)
    try:
        done = options.run(options)
    except ReportError as error:
        sys.exit(f"report {options.command}: error: {error}")
    except BrokenPipeError:
        return
    print(f"report {options.command}: {done}", file=sys.stderr)


if __name__ == "__main__":
    main()
