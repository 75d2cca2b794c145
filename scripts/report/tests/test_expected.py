"""Expected values: comparison, refusal of unusable files, recording."""

import math

import pytest
from conftest import ROOT, csv_table

from report import expected, experiment

CHECK = ["check", "--tables", "res", "--experiments", "exp"]
HEADER = "measure,where,column,aggregate,expected,tolerance\n"


@pytest.fixture
def rounded(tmp_path, monkeypatch):
    """An experiment with shares of 40, 50 and 60 for three seeds, one of them without a deviation."""
    grid = '[[grid]]\nmeasure = "planes"\ncollection = "tiny"\nweighting = ["tf", "tf_idf"]\nmin_df = 1\nrnd_seed = [1, 2, 3]\nsig_len = 16\n'
    (tmp_path / "exp/test").mkdir(parents=True)
    (tmp_path / "exp/test/experiment.toml").write_text(f'title = "Test"\n{grid}')
    (tmp_path / "res").mkdir()
    cells = [(1, 40, 1.5), (2, 50, ""), (3, 60, 2.5)]
    keys = {"collection": "tiny", "min_df": 1, "sig_len": 16}
    rows = [{"weighting": weighting, "rnd_seed": seed, "share_mean": mean, "share_deviation": deviation} | keys for weighting in ("tf", "tf_idf") for seed, mean, deviation in cells]
    (tmp_path / "res/test-planes.csv").write_text(csv_table("planes", rows))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("line", "code", "printed"),
    [
        ("planes,weighting=tf sig_len=16,share_mean,mean,50,0", 0, "ok  planes weighting=tf sig_len=16 share_mean mean: expected 50 ± 0, found 50"),
        ("planes,weighting=tf,share_mean,least,41,1", 0, "ok  planes weighting=tf share_mean least: expected 41 ± 1, found 40"),
        ("planes,,share_mean,greatest,62.5,2.4", 1, "off planes share_mean greatest: expected 62.5 ± 2.4, found 60"),
        ("planes,weighting=tf_idf,share_deviation,mean,2.1,0.1", 0, "ok  planes weighting=tf_idf share_deviation mean: expected 2.1 ± 0.1, found 2"),
        ("planes,rnd_seed=2,share_deviation,mean,2,9", 1, "off planes rnd_seed=2 share_deviation mean: expected 2 ± 9, found no value"),
        ("planes,rnd_seed=4,share_mean,mean,50,9", 1, "off planes rnd_seed=4 share_mean mean: expected 50 ± 9, found no row"),
        ("planes,rnd_seed=,share_mean,mean,50,9", 1, "off planes rnd_seed= share_mean mean: expected 50 ± 9, found no row"),
    ],
)
def test_results_are_compared(rounded, run, line, code, printed):
    (rounded / "exp/test/expected.csv").write_text(f"{HEADER}{line}\n")
    found, out, error = run(*CHECK, "test")
    assert (found, out) == (code, f"test: {printed}\n")
    assert error == ("report check: error: 1 of 1 results are off\n" if code else "report check: 1 results are as expected\n")


KEYS = "for where pairs key=value of the keys collection, weighting, min_df, rnd_seed, sig_len"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (f"{HEADER}planes,,share_mean,mean,50,0\nplains,,share_mean,mean,50,0\n", "3: expected for measure one of approximation, vocabulary, pleb, planes, density, timing, found 'plains'"),
        (f"{HEADER}\nplanes,,seconds,mean,50,0\n", "3: expected for column one of documents, share_least,"),
        (f"{HEADER}planes,,share_mean,median,50,0\n", "2: expected for aggregate one of mean, least, greatest, found 'median'"),
        (f"{HEADER}planes,,share_mean,mean,many,0\n", "2: expected for expected a number, found 'many'"),
        (f"{HEADER}planes,,share_mean,mean,nan,0\n", "2: expected for expected a number, found 'nan'"),
        (f"{HEADER}planes,,share_mean,mean,5,-1\n", "2: expected for tolerance a number of at least 0, found '-1'"),
        (f"{HEADER}planes,beam=3,share_mean,mean,5,1\n", f"2: expected {KEYS}, found 'beam=3'"),
        (f"{HEADER}planes,tf,share_mean,mean,5,1\n", f"2: expected {KEYS}, found 'tf'"),
        (f"{HEADER}planes,,share_mean,mean,5\n", "2: expected 6 values, found 5"),
        ("planes,,share_mean,mean,5,1\n", "1: expected the columns measure,where,column,aggregate,expected,tolerance, found 'planes,,share_mean,mean,5,1'"),
        ("", "1: expected measure,where,column,aggregate,expected,tolerance, found an empty file"),
    ],
)
def test_unusable_expectations_are_refused_with_their_line(rounded, run, content, message):
    (rounded / "exp/test/expected.csv").write_text(content)
    code, _, error = run(*CHECK)
    assert code == 1
    assert error.startswith(f"report check: error: exp/test/expected.csv:{message}")


def test_unusable_tables_are_refused(rounded, run):
    (rounded / "exp/test/expected.csv").write_text(f"{HEADER}planes,,share_mean,mean,50,0\n")
    path = rounded / "res/test-planes.csv"
    text = path.read_text()
    for content, message in [
        (text.replace(",50,", ",fifty,", 1), ":3: expected a number for share_mean, found 'fifty'"),
        (text.rstrip("\n"), ":7: expected a newline, found the end of the file"),
        (text.replace("share_mean", "mean", 1), ":1: expected the columns "),
    ]:
        path.write_text(content)
        assert f"res/test-planes.csv{message}" in run(*CHECK)[2]
    path.unlink()
    assert "res/test-planes.csv: cannot open" in run(*CHECK)[2]
    assert "exp/other/experiment.toml: cannot open" in run(*CHECK, "other")[2]
    assert "none: cannot read" in run("check", "--tables", "res", "--experiments", "none")[2]


def test_recorded_tolerances_are_four_standard_errors_and_a_floor(rounded, run):
    code, _, error = run("record", *CHECK[1:])
    assert (code, error) == (0, "report record: wrote 4 expected results\n")
    # The standard error of 40, 50, 60 is 10 / √3; that of 1.5 and 2.5 is 0.5.
    lines = ""
    for weighting in ("tf", "tf_idf"):
        place = f"planes,collection=tiny weighting={weighting} min_df=1 sig_len=16"
        lines += f"{place},share_mean,mean,50,{40 / math.sqrt(3) + 0.2505:.6f}\n{place},share_deviation,mean,2,2.0105\n"
    assert (rounded / "exp/test/expected.csv").read_text() == HEADER + lines
    assert len(run(*CHECK)[1].splitlines()) == 4


def test_a_single_value_has_the_floor_only():
    assert expected.tolerance(-100.0, [-100.0]) == pytest.approx(0.5005)


def test_recording_the_committed_tables_reproduces_the_committed_values(tmp_path):
    tables = ROOT / "res/reproduction/tables"
    for name in experiment.names(ROOT / "exp"):
        committed = experiment.read(ROOT / "exp" / name, small=False)
        copy = tmp_path / name
        copy.mkdir()
        (copy / "experiment.toml").write_bytes((committed.folder / "experiment.toml").read_bytes())
        one = experiment.read(copy, small=False)
        expected.record(one, tables, small=False)
        assert one.expected_path(small=False).read_bytes() == committed.expected_path(small=False).read_bytes(), name
        assert all(outcome.is_ok() for outcome in expected.check(one, tables, small=False)), name
