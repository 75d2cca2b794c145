"""The page on more than one machine and its simulation, from generated rows."""

import csv

import pytest
from conftest import ROOT

from bench import makespan, scale, scale_large, scale_page
from bench.makespan import Cluster, Work

CALM = Cluster(start_delay=0, straggler_share=0, node_mtbf=1e18)
PUBLISHED = ROOT / "res/scale"


def work(seconds=1000.0, spread=(1.0,), merge=0.0):
    return (Work("stage", seconds, spread, merge),)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Rows of all stages: linear time, shards that take 1.4 times as long as the unsharded run in one stage."""
    with open(tmp_path / "stages.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(scale.COLUMNS)
        for documents in (100, 200, 400):
            for stage in scale.stages():
                writer.writerow([documents, stage.name, "whole", 0, documents / 10, 100, 5, 2, "x"])
        for stage in scale.stages():
            each = 7.0 if stage.name == "hamming" else 5.0
            for index in range(1, 9):
                writer.writerow([400, stage.name, "shard", index, each, 30, 1, 0.5, "x"])
            writer.writerow([400, stage.name, "merge", 0, 1, 20, 4, 4, "x"])
    monkeypatch.setattr(scale_page, "NODES", (1, 10))
    (tmp_path / "machine.txt").write_text("date      2026-01-01\ncommit    c\ncpu       abacus, 2 cores\nmemory    1 GiB\nrun       scripts/bench/scale.sh 400 8\n")
    return tmp_path


def test_the_committed_page_follows_from_the_raw_numbers():
    assert scale_page.page(PUBLISHED) == (PUBLISHED / "README.md").read_text()


def test_ratios_and_reasons(folder):
    measured = scale_page.Measured(folder)
    assert measured.ratio("create_bows") == pytest.approx(41 / 40)
    assert measured.ratio("hamming") == pytest.approx(57 / 40)
    overhead = scale_page.overhead(measured)
    assert scale_page.REASONS["hamming"] in overhead
    assert scale_page.REASONS["create_bows"] not in overhead


def test_projections_follow_the_growth(folder):
    measured = scale_page.Measured(folder)
    assert measured.growth("create_bows").exponent == pytest.approx(1.0)
    assert measured.projected("create_bows", "shard", 4000) == pytest.approx(400)
    assert measured.growth("similarity").share == pytest.approx(0.0)
    assert measured.projected("similarity", "shard", 4000) == pytest.approx(400)
    assert "**A projection, not a measurement**" in scale_page.page(folder)
    assert scale_page.page(folder) == scale_page.page(folder)


def test_comparisons_grow_with_the_square():
    found = scale_page.Quadratic.fit([(documents, 3 * documents + documents**2 / 10) for documents in (100, 200, 400)])
    assert found.share == pytest.approx(1 / 30)
    assert found.ratio(100, 1000) == pytest.approx((3000 + 100_000) / (300 + 1000))
    assert str(found) == "n + n²/30"
    # Time that only start-up makes grow less than the documents is linear.
    assert scale_page.Quadratic.fit([(100, 12.0), (200, 22.0), (400, 42.0)]).share == 0
    assert scale_page.Quadratic.fit([(100, 1.0), (200, 4.0), (400, 16.0)]).ratio(100, 1000) == pytest.approx(100)


def test_a_large_collection_has_a_section(folder):
    assert "1,000 documents" not in scale_page.page(folder)
    with open(folder / "large.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(scale_large.COLUMNS)
        writer.writerow([1000, "shard", 1, 90, 70, 2000, 1, 5, "x"])
        writer.writerow([1000, "shard", 2, 30, 80, 1000, 1, 2, "x"])
        writer.writerow([1000, "merge", 0, 1, 5, 1, 1, 7, "x"])
        writer.writerow([200, "whole", 0, 20, 40, 300, 1, 3, "x"])
    (folder / "large-machine.txt").write_text("commit    d\ncpu       slide rule, 2 cores\nrun       scripts/bench/scale.sh large 1000 2 200\n")
    page = scale_page.page(folder)
    assert "## 1,000 documents" in page
    assert "slide rule, 2 cores, commit `d`" in page
    assert "| 2 shards, one after the other | 2.0 min | 80 | 3.000 | 7 |" in page
    assert "In all 2.0 min" in page
    # Projections begin with the large collection.
    measured = scale_page.Measured(folder)
    assert measured.projected("find_near_dups", "shard", 1000) == pytest.approx(120)
    assert measured.projected("find_near_dups", "merge", 2000) == pytest.approx(2)
    assert measured.projected("similarity", "shard", 1000) == pytest.approx(100)


def test_every_stage_has_a_reason_and_belongs_to_the_page(folder):
    names = {stage.name for stage in scale.stages()}
    assert names == scale_page.REASONS.keys()
    assert all(set(parts) <= names for parts in scale_page.WORKFLOWS.values())
    scale_page.plots.save(scale_page.curves(scale_page.Measured(folder)), str(folder / "makespan"))
    assert (folder / "makespan.png").stat().st_size > 10_000


def test_calm_clusters_take_the_ideal_time():
    for nodes in (1, 4, 10):
        assert makespan.makespan(work(), nodes, nodes * 4, CALM, 1) == pytest.approx(makespan.ideal(work(), nodes))
    # More nodes than shards do not help; merges are serial.
    assert makespan.makespan(work(merge=7.0), 50, 10, CALM, 1) == pytest.approx(107.0)


def test_the_longest_shard_ends_the_stage():
    assert makespan.makespan(work(spread=(0.5, 1.5)), 100, 100, CALM, 1) == pytest.approx(15.0)


def test_lost_tasks_start_anew():
    nervous = Cluster(start_delay=0, straggler_share=0, node_mtbf=50.0, requeue_delay=5.0, repair=0.0)
    found = makespan.makespan(work(), 10, 40, nervous, 1)
    assert found > makespan.ideal(work(), 10) + 5
    assert found == makespan.makespan(work(), 10, 40, nervous, 1)


def test_tasks_too_long_for_their_nodes_never_end():
    fragile = Cluster(start_delay=0, straggler_share=0, node_mtbf=50.0)
    assert makespan.extremes(work(), 2, 2, fragile) == (float("inf"),) * 3
    assert makespan.makespan(work(), 2, 20, fragile, 1) < float("inf")
    assert scale_page.duration(float("inf")) == "never"


def test_small_shards_hide_stragglers():
    slow = Cluster(start_delay=0, straggler_share=0.1, node_mtbf=1e18)
    coarse, fine = (makespan.extremes(work(), 50, shards, slow)[0] for shards in (50, 800))
    assert fine < coarse


def test_names_of_parts():
    assert scale.part_name("bow_paths", "2-of-8") == "bow_paths.2-of-8"
    assert scale.part_name("pairs.tsv", "2-of-8") == "pairs.2-of-8.tsv"


def test_processes_are_measured(tmp_path):
    (tmp_path / "file").write_bytes(bytes(3_000_000))
    seconds, peak, read, written = scale.run(tmp_path, "cp file copy")
    assert seconds > 0 and peak > 0.5
    assert read + written < 7
    with pytest.raises(RuntimeError, match="exit code 1"):
        scale.run(tmp_path, "cp missing copy")
    scale.run(tmp_path, "echo one two > words")
    assert (tmp_path / "words").read_text() == "one two\n"


def test_different_bytes_are_named(tmp_path):
    for name in ("whole", "parts"):
        (tmp_path / name / "bows").mkdir(parents=True)
        (tmp_path / name / "bows/a").write_text("same")
        (tmp_path / name / "list").write_text(name)
    folders = tmp_path / "whole", tmp_path / "parts"
    assert scale.differences(*folders, ["bows"]) == []
    assert scale.differences(*folders, ["bows", "list"]) == ["list (list)"]
    (folders[1] / "bows/a").unlink()
    assert scale.differences(*folders, ["bows"]) == ["bows (bows/a)"]
