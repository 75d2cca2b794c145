"""The page of the benchmarks from raw numbers."""

import gzip

import pytest
from conftest import ROOT

from bench import data, page, raw, real_page

RAW = ROOT / "res/bench"


def test_the_committed_page_follows_from_the_raw_numbers():
    assert page.page(RAW) == (RAW / "README.md").read_text()


def test_every_section_is_on_the_page():
    text = (RAW / "README.md").read_text()
    missing = [name for name, (heading, _) in page.SECTIONS.items() if f"\n## {heading}\n" not in text]
    assert missing == []


@pytest.fixture
def results(tmp_path):
    """Two runs of find_near_dups, the earlier one with its former name, and one of the pipeline that misses its targets, and one of a real collection."""
    head = "row,tool,version,threads,repetition,seconds,count,unit,rate,answer,command,commit\n"

    def write(stem, date, rows):
        (tmp_path / f"{stem}.csv").write_text(head + "".join(rows))
        (tmp_path / f"{stem}-machine.txt").write_text(f"date      {date}\ncommit    c\ncpu       abacus\nmemory    1 GiB\nrun       scripts/bench.sh front_door\n")
        (tmp_path / f"{stem}-checks.csv").write_text("row,check,ours,theirs,agree\nfront_door,share,1,0.9,yes\n")

    def row(name, tool, rate, threads=2, answer=""):
        return f"{name},{tool},1,{threads},1,{100 / rate},100,documents,{rate},{answer},,c\n"

    write("2026-01-01-a-front_door", "2026-01-01 10:00 UTC", [row("front_door", "nearsig", 40), row("front_door", "rensa", 10)])
    runs = [row("find_near_dups", "nearsig", rate) for rate in (20, 30, 90)]
    runs += [row("find_near_dups_earlier", tool, rate) for tool, rate in (("nearsig", 33), ("nearsig@a", 30))]
    write("2026-01-01-b-find_near_dups", "2026-01-01 09:00 UTC", [*runs, row("find_near_dups", "rensa", 10)])
    write("2026-01-02-c", "2026-01-02 10:00 UTC", [row("text", "nearsig", 40), row("text", "nearsig", 30, threads=1), row("text", "polars", 10)])
    found = [row("real_man", "nearsig", 40), row("real_man", "rensa", 20)]
    found += [row("real_man_removed", "nearsig", 80), row("real_man_removed", "rensa", 20), row("real_man_removed", "text-dedup", 4)]
    found += [row("real_man_0.8", "nearsig", 50, answer='"1000 pairs; 2.00 s, peak memory 30.4 MB"')]
    found += [row("real_man_0.8", '"nearsig, expected"', 50, answer='"1,100 pairs, 2.3 s, 40 MB"')]
    found += [row("real_man_tf_80", "nearsig", 100), row("real_man_tf_80", "sparse_dot_topn", 5)]
    write("2026-01-03-d-real", "2026-01-03 10:00 UTC", found)
    (tmp_path / "2026-01-03-d-real-collections.csv").write_text("collection,documents,megabytes,source\nman,5000,12.5,folder\n")
    (tmp_path / "2026-01-02-c-kernels.csv").write_text("cpu,kernel\n")
    return tmp_path


def test_runs_are_ordered_by_time_under_either_name(results):
    found = raw.recorded(results, raw.FIND_NEAR_DUPS)
    assert [run.path.stem for run in found] == ["2026-01-01-b-find_near_dups", "2026-01-01-a-front_door"]
    assert found[0].median("find_near_dups", "nearsig") == (pytest.approx(100 / 30), 30, 2)
    assert found[1].median("find_near_dups", "nearsig", 1) is None
    assert [run.path.stem for run in raw.recorded(results, raw.PIPELINE)] == ["2026-01-02-c"]


def test_ratios_and_targets(results):
    text = page.find_near_dups(results)
    assert "| rensa | 40.0 (2.50 s) | 10.0 (10.0 s) | **4.00×** | ≥ 3.9× | yes |" in text
    assert "| 2026-01-01-b-find_near_dups | 3.00× | – | – | – |" in text
    assert "front_door:" not in text and "nearsig@" not in text


def test_an_earlier_commit_must_not_be_faster(results):
    (results / "2026-01-01-a-front_door.csv").unlink()
    text = page.find_near_dups(results)
    assert "| `nearsig@a` | 33.0 (3.03 s) | 30.0 (3.33 s) | **1.10×** | ≥ 1× | yes |" in text


def test_missed_targets_have_footnotes(results):
    text = page.pipeline(results)
    assert "| **4.00×** | – | ≥ 5× | no[^text] |" in text
    assert text.count("[^text]: ") == 1


def test_real_collections_have_ratios_and_forecasts(results):
    assert [run.path.stem for run in raw.recorded(results, raw.REAL)] == ["2026-01-03-d-real"]
    text = real_page.section(results)
    assert "| man | 5,000 | 12.5 | pairs | 40.0 (2.50 s) | 20.0 (5.00 s) | **2.00×** | ≥ 1.5× | ≥ 3× | floor |" in text
    assert "| man | 5,000 | 12.5 | documents to remove | 80.0 (1.25 s) | 20.0 (5.00 s) | **4.00×** | ≥ 1.5× | ≥ 3× | goal |" in text
    assert "| man | – | – | 4.00 (25.0 s) | 20.0× |" in text
    assert "| man | 0.8 | 1,000 (1,100) | 2.00 s (2.30 s) | 30 MB (40 MB) |" in text
    assert "| man | tf | 0.8 | 100 (1.00 s) | 5.00 (20.0 s) | **20.0×** | ≥ 4× | ≥ 10× | goal |" in text
    assert "| tf_idf |" not in text and "none failed" in text


def test_outcomes_of_runs_and_forecasts():
    assert raw.outcome("1,234 pairs, 2.3 s, 110 MB") == (1234, 2.3, 110)
    assert raw.outcome("76776 pairs; 15.14 s, peak memory 133.8 MB") == (76776, 15.14, 133.8)
    named = "f.pairs.tsv (10,523 pairs), f.clusters.tsv (12 clusters); 1.69 s, peak memory 172.0 MB"
    assert raw.outcome(named) == (10523, 1.69, 172)
    with pytest.raises(ValueError, match="expected pairs, time and memory, found ''"):
        raw.outcome("")


def test_texts_of_json_lines_and_folders(tmp_path):
    (tmp_path / "folder/below").mkdir(parents=True)
    with gzip.open(tmp_path / "folder/below/page.1.gz", "w") as page_file:
        page_file.write("caf\u00e9".encode())
    (tmp_path / "folder/plain").write_bytes(b"a\xff")
    assert sorted(data.texts(tmp_path / "folder")) == ["a\ufffd", "caf\u00e9"]
    (tmp_path / "c.jsonl").write_text('{"id": "1", "text": "one"}\n')
    assert list(data.texts(tmp_path / "c.jsonl")) == ["one"]
    assert data.size_of(tmp_path / "c.jsonl") == 27


def test_sections_without_raw_numbers_are_left_out(tmp_path):
    assert page.page(tmp_path).count("\n## ") == 0


@pytest.mark.parametrize(
    ("number", "text"), [(0.7571, "0.757"), (3.4, "3.40"), (13.5, "13.5"), (286.4, "286"), (54748, "54,700"), (2.7e9, "2.7·10⁹"), (2.3e10, "2.3·10¹⁰")]
)
def test_three_significant_digits(number, text):
    assert page.rounded(number) == text
