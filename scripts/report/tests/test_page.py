"""The page as a whole: content, missing and damaged input, repeatable bytes."""

import hashlib
import re

import pytest
from conftest import ROOT, csv_table

from report import experiment, page

PAGE = "page --tables res --thesis exp/thesis.csv --experiments exp --out_dir page --machine abacus --commit c0ffee".split()


def test_page_has_numbers_verdicts_and_pictures(project, run):
    code, _, message = run(*PAGE)
    assert (code, message) == (0, "report page: read 2 tables, 1 missing, wrote 9 files\n")
    page = (project / "page/README.md").read_text()
    for text in [
        "`scripts/report/run.sh page --tables res --thesis exp/thesis.csv --experiments exp --out_dir page`",
        "commit c0ffee",
        "- abacus",
        "0123abcd  debian.jsonl",
        "print P, by its formula, under the name R",
        # 1.9, 1.91, 1.89 of 2: 0.95 with a standard deviation of 0.005 and t(2) = 4.3027.
        "| debian, tf, 1024 bits | holds | 0.950 ± 0.012 of the closed form |",
        "| debian, tf, 2048 bits | does not hold |",
        "### S agrees with the closed form 10⁴·p(1 − p)/K. — does not hold",
        "run_experiment --experiment exp/theory",
    ]:
        assert text in page
    linked = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert "pictures/theory-S.png" in linked
    assert all((project / "page" / path).stat().st_size for path in linked)
    assert (project / "page/tables/theory-approximation.csv").read_bytes() == (project / "res/theory-approximation.csv").read_bytes()


def test_chapters_follow_the_order_of_the_claims(project, run):
    run(*PAGE)
    headings = re.findall(r"^## (.*)$", (project / "page/README.md").read_text(), re.MULTILINE)
    assert headings[1:3] == ["ranges", "theory"]
    path = project / "exp/theory/claims.py"
    path.write_text(re.sub(r"^ORDER = .*$", "ORDER = 1", path.read_text(), flags=re.MULTILINE))
    run(*PAGE)
    headings = re.findall(r"^## (.*)$", (project / "page/README.md").read_text(), re.MULTILINE)
    assert headings[1:3] == ["theory", "ranges"]


def test_missing_input_is_named(project, run):
    run(*PAGE)
    page = (project / "page/README.md").read_text()
    for text in ["1 of 6 rows of `theory-approximation.csv` are missing", "1 files with bins of `ranges-density.csv` are missing", "Table `ranges-planes.csv` is missing"]:
        assert text in page
    (project / "res/theory-approximation.csv").unlink()
    (project / "exp/collections.sha256").unlink()
    run(*PAGE)
    page = (project / "page/README.md").read_text()
    assert "Table `theory-approximation.csv` is missing" in page
    assert "### S agrees with the closed form 10⁴·p(1 − p)/K. — cannot be judged on this data" in page
    assert "The collections are not recorded." in page


def test_small_versions_have_their_own_tables(project, run):
    rows = [{"collection": "sample", "S": 2, "S_theory_with_bin_width": 2}]
    (project / "res/theory-small-approximation.csv").write_text(csv_table("approximation", rows))
    run(*PAGE, "--small")
    page = (project / "page/README.md").read_text()
    assert "Small version of every experiment" in page
    assert "sample, tf, 1024 bits" in page and "debian, tf, 1024 bits" not in page
    assert "run_experiment --experiment exp/theory --small" in page


def test_the_same_tables_give_the_same_bytes(project, run):
    def digests():
        run(*PAGE)
        return {path: hashlib.sha256(path.read_bytes()).digest() for path in sorted((project / "page").rglob("*.*"))}

    assert digests() == digests()


@pytest.mark.parametrize(
    ("path", "old", "new", "message"),
    [
        ("res/theory-approximation.csv", "debian,tf,2,200,1,1024,80,calibrated,1", "debian,tf,2,200,1,1024,80,calibrated,many", ":2: expected a number for distinct_signatures, found 'many'"),
        ("res/theory-approximation.csv", "debian,tf,2,200,1,1024", "debian", ":2: expected 40 values, found 35"),
        ("res/theory-approximation.csv", "S_bins", "bins", ":1: expected the columns collection,weighting,"),
        ("res/ranges-density-debian-tf-2-200-2-1024.csv", "80,79,10", "80,79,x", "1024.csv:3: expected three numbers, found '80,79,x'"),
        ("exp/thesis.csv", "69.8", "much", "thesis.csv:2: expected a number for value, found 'much'"),
        ("exp/theory/experiment.toml", "approximation", "approximations", "expected for measure one of approximation, "),
        ("exp/theory/experiment.toml", "title", "name", "experiment.toml: expected a key title"),
        ("exp/theory/claims.py", "ORDER = ", "PLACE = ", "claims.py: expected a definition of ORDER"),
        ("exp/theory/claims.py", '"S_theory_with_bin_width")', '"S_theory_with_bins")', "claims.py: unknown column or key 'S_theory_with_bins'"),
    ],
)
def test_damaged_input_is_refused_and_leaves_no_page(project, run, path, old, new, message):
    text = (project / path).read_text()
    assert old in text
    (project / path).write_text(text.replace(old, new, 1))
    code, _, error = run(*PAGE)
    assert code == 1
    assert message in error
    assert not (project / "page/README.md").exists()


def test_a_truncated_table_is_refused(project, run):
    path = project / "res/theory-approximation.csv"
    path.write_text(path.read_text().rstrip("\n"))
    assert "theory-approximation.csv:6: expected a newline, found the end of the file (truncated?)" in run(*PAGE)[2]


def test_an_experiment_without_claims_is_refused(project, run):
    (project / "exp/theory/claims.py").unlink()
    assert "exp/theory/claims.py: missing" in run(*PAGE)[2]


def test_every_experiment_of_the_repository_is_complete():
    found = experiment.names(ROOT / "exp")
    assert found
    for name in found:
        one = experiment.read(ROOT / "exp" / name, small=False)
        assert isinstance(one.load_claims().ORDER, int)
        assert one.expected_path(small=False).is_file() and one.expected_path(small=True).is_file()
        small = experiment.read(ROOT / "exp" / name, small=True)
        assert [small.planned_rows(measure) > 0 for measure in small.measures()]


def test_the_committed_page_follows_from_the_committed_tables():
    committed = (ROOT / "res/reproduction/README.md").read_text()
    stated = re.search(r"\*\*Generated\*\* by `([^`]+)`.*?- nearsig (\S+), commit (\S+)\n- ([^\n]+)\n", committed, re.DOTALL)
    origin = page.Origin(*stated.groups(), small=False)
    sources, chapters = page.compose(ROOT / "res/reproduction/tables", ROOT / "exp/thesis.csv", ROOT / "exp", small=False)
    assert page.render(origin, sources, chapters, page.collections(ROOT / "exp")) == committed
    pictures = {path.stem for path in (ROOT / "res/reproduction/pictures").iterdir()}
    assert pictures == {name for chapter in chapters for name in chapter.figures}
