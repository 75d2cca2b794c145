"""Synthetic experiments for the tests of the reports."""

import importlib
import pathlib

import pytest

from report import experiment, source
from report.measures import MEASURES

ROOT = pathlib.Path(__file__).resolve().parents[3]

# Defaults for the columns of generated rows.
KEYS = {
    "collection": "debian",
    "weighting": "tf",
    "min_df": "2",
    "sample": "200",
    "rnd_seed": "1",
    "sig_len": "1024",
    "threshold_sim": "80",
    "threshold_ham": "calibrated",
    "threshold": "80",
    "method": "hamming",
    "beam": "20",
    "shift_count": "70",
    "iter_count": "5",
    "what": "pairs",
}


def csv_table(measure, rows):
    """Returns the CSV text of a table: each row is a dictionary of cells, other keys have defaults and other results are 1."""
    columns = MEASURES[measure].columns
    lines = [",".join(columns)]
    lines += [",".join(str(row.get(column, KEYS.get(column, 1))) for column in columns) for row in rows]
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="session")
def thesis():
    """The published values of the repository."""
    return source.read_thesis(ROOT / "exp/thesis.csv")


@pytest.fixture
def claims_of():
    """Loads the claims of an experiment of the repository."""
    return lambda name: experiment.read(ROOT / "exp" / name, small=False).load_claims()


@pytest.fixture
def source_of(tmp_path, thesis):
    """Creates the Source of one table with the given rows."""

    def create(measure, rows):
        folder = tmp_path / "exp" / "test"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "experiment.toml").write_text(f'title = "Test"\n[[grid]]\nmeasure = "{measure}"\ncollection = "debian"\n')
        one = experiment.read(folder, small=False)
        one.table_path(tmp_path, measure, small=False).write_text(csv_table(measure, rows))
        return source.Source(one, tmp_path, thesis)

    return create


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with two small experiments of the repository's claims; one row and one file of bins are missing."""
    (tmp_path / "res").mkdir()
    (tmp_path / "exp").mkdir()
    (tmp_path / "exp/thesis.csv").write_bytes((ROOT / "exp/thesis.csv").read_bytes())
    (tmp_path / "exp/collections.sha256").write_text("# made from somewhere\n0123abcd  debian.jsonl\n")
    grid = "[[grid]]\nmeasure = \"{}\"\ncollection = \"debian\"\nweighting = \"tf\"\nmin_df = 2\nsample = 200\nrnd_seed = [1, 2, 3]\nsig_len = {}\n"
    plans = {
        "theory": grid.format("approximation", "[1024, 2048]") + 'threshold_sim = 80\nthreshold_ham = "calibrated"\n[small]\ncollection = "sample"\n',
        "ranges": grid.format("density", "1024") + grid.format("planes", "1024"),
    }
    for name, plan in plans.items():
        (tmp_path / "exp" / name).mkdir()
        (tmp_path / "exp" / name / "experiment.toml").write_text(f'title = "About {name}"\ntables = ["2.17"]\n{plan}')
        (tmp_path / "exp" / name / "claims.py").write_bytes((ROOT / "exp" / name / "claims.py").read_bytes())
    scatter = [(1, 1024, 1.9), (2, 1024, 1.91), (3, 1024, 1.89), (1, 2048, 0.5), (2, 2048, 0.51)]
    rows = [
        {"rnd_seed": seed, "sig_len": bits, "S": s, "S_theory": 2048 / bits, "S_theory_with_bin_width": 2048 / bits} for seed, bits, s in scatter
    ]
    (tmp_path / "res/theory-approximation.csv").write_text(csv_table("approximation", rows))
    (tmp_path / "res/ranges-density.csv").write_text(csv_table("density", [{"rnd_seed": seed} for seed in (1, 2, 3)]))
    for seed in (1, 2):
        (tmp_path / f"res/ranges-density-debian-tf-2-200-{seed}-1024.csv").write_text("cosine,hamming,pairs\n0,50,20\n80,79,10\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(capsys):
    """Runs a command line of the reports in this process: (exit code, stdout, stderr)."""

    def start(*words):
        try:
            importlib.import_module("report.__main__").main(words)
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
            message = "" if isinstance(end.code, int) else f"{end.code}\n"
        else:
            message = ""
        out, err = capsys.readouterr()
        return code, out, err + message

    return start
