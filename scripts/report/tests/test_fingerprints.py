"""Tests of the experiments with fingerprint methods."""

import json
import math
import pathlib
import random

import pytest

from report.fingerprints import __main__ as command
from report.fingerprints import expected, page, plan, texts, works
from report.fingerprints.tables import Table, spearman
from report.verdict import Verdict

ROOT = pathlib.Path(__file__).resolve().parents[3]
EXPERIMENT = ROOT / "exp/fingerprints"
COLUMNS = "method,pairs,recall_union,precision_string,precision_cosine,f1,precision_truth,recall_truth,f1_truth,seconds,bytes_per_document"
TEXT = "One fish is here. Two fish swim in the deep blue sea today. A cat sat. Red fish and blue fish eat many small things. Dogs bark. The end is near."


def row(method, recall=0.5, precision=0.9, f1=0.6, truth=0.7, pairs=10):
    return f"{method},{pairs},{recall},{precision},1,{f1},0.5,{truth},0.6,1.5,8.0"


def write_table(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([COLUMNS, *rows]) + "\n")
    return path


@pytest.fixture
def full_plan():
    return plan.read(EXPERIMENT, small=False)


@pytest.fixture
def tables(tmp_path, full_plan):
    """Tables of one collection, in the order of the paper."""
    folder = tmp_path / "tables"
    by_f = list(full_plan.table_2.values())
    write_table(folder / "table_2-reuters.csv", [row(method, f1=0.9 - 0.1 * place) for place, method in enumerate(by_f)])
    write_table(folder / "all-reuters.csv", [row(method) for method in (*by_f, "a1", "cosine")])
    write_table(folder / "sent_words-reuters.csv", [row("a1", 0.6, 0.95), row("a2", 0.85, 0.8), row("sent_words", 0.95, 0.95)])
    for kind in texts.EDITS:
        write_table(folder / f"edits-{kind}.csv", [row(method, truth=0.2) for method in ("a1", "a2", "long_sent", "tf_idf", "imatch")] + [row(method, truth=0.95) for method in ("shingles", "imatch_random", "sent_words")])
    (folder / "documents.csv").write_text("collection,documents\nreuters,100\n")
    (folder / "works.csv").write_text("copies,work,method,f1\nruns,1,sections,0.7\nruns,1,shingles,0.6\nruns,1,long_sent,0.8\nruns,1,tf_idf,0.5\n")
    return folder


def test_published_values_are_those_of_the_papers(full_plan):
    published = full_plan.values("2")
    assert published["Long Sent", "F"] == 0.82 and published["MD5", "recall"] == 0.23
    assert set(full_plan.table_2) == {row for row, _ in published}
    assert sum(value for (_, column), value in full_plan.values("4").items() if column == "sections F1") == pytest.approx(15 * 0.715, abs=0.01)


def test_rank_correlation():
    assert spearman([1, 2, 3, 4], [10, 20, 30, 40]) == pytest.approx(1)
    assert spearman([1, 2, 3, 4], [4, 3, 2, 1]) == pytest.approx(-1)
    # Ranks 1, 2.5, 2.5, 4 and 1, 3, 2, 4: 4.5 / sqrt(4.5 · 5).
    assert spearman([1, 2, 2, 3], [1, 3, 2, 4]) == pytest.approx(4.5 / math.sqrt(22.5))
    assert spearman([1, 2], [1, 2]) is None and spearman([1, 1, 1], [1, 2, 3]) is None


def test_undefined_shares(tmp_path):
    table = Table(write_table(tmp_path / "t.csv", ["md5,0,,,,,,,,0.1,8.0"]))
    assert table and math.isnan(table.value("md5", "f1")) and table.interval("md5", "f1") is None
    assert not Table(tmp_path / "missing.csv")


def test_edits_change_what_they_say():
    rng = random.Random(1)
    assert len(set(TEXT.split()) - set(texts.one_word(TEXT, rng).split())) <= 1
    assert sorted(texts.moved_sentences(TEXT, rng).split()) == sorted(TEXT.split())
    assert sorted(texts.moved_words(TEXT, rng).split()) == sorted(TEXT.split())
    two = texts.split_sentences(texts.two_sentences(TEXT, rng))
    original = texts.split_sentences(TEXT)
    assert [at for at, part in enumerate(two) if part != original[at]] == texts.longest(original, 2) == [1, 3]
    raised = texts.raised_frequency(TEXT, rng).lower()
    assert raised.count("frequency") == 1 + max(TEXT.lower().count(f"{word} ") for word in ("fish", "is", "the"))
    moved = texts.split_sentences(texts.word_in_long_sentence(TEXT, rng))
    assert sum(part != original[at] for at, part in enumerate(moved)) == 1


def test_synthetic_sentences_depend_on_words_alone():
    words = [f"word{number}" for number in range(300)]
    sentences = texts.split_sentences(texts.sentences(" ".join(words)))
    edited = texts.split_sentences(texts.sentences(" ".join(["other", *words[1:]])))
    assert len(sentences) > 5 and sentences[1:] == edited[-len(sentences) + 1 :]


@pytest.fixture
def bible(tmp_path):
    """Three books of two chapters each, in two translations."""
    verses = [f"{book} verse {number} of words {number * 7} and {number * 11}" for book in "abc" for number in range(60)]
    documents = [(f"{part}.{book}.{chapter}", "\n".join(f"{part} {verse}" for verse in verses[chapter :: 2 + index])) for part in ("kjv", "web") for index, book in enumerate("ABC") for chapter in (1, 2)]
    path = tmp_path / "bible.jsonl"
    texts.write(path, documents)
    return path


@pytest.mark.parametrize("kind", works.KINDS)
def test_copies_borrow_the_share_they_should(bible, tmp_path, kind):
    works.create(bible, kind, tmp_path / "works.jsonl", tmp_path / "works.json", works=1, copies=9)
    facts = json.loads((tmp_path / "works.json").read_text())
    assert [fact["work"] for fact in facts] == [1] * 9
    documents = dict(texts.read(tmp_path / "works.jsonl"))
    assert len(documents) == 10 and documents["work1"].startswith("# A 1\n\nkjv a verse")
    for fact, share in zip(facts, works.shares(9), strict=True):
        lines = [line for line in documents[fact["copy"]].split("\n") if line and not line.startswith("#")]
        counts = [sum(len(line.split()) for line in lines if line.startswith(part)) for part in ("kjv", "web")]
        # Replaced words at the beginning of a verse hide where it is from.
        assert abs(counts[0] / sum(counts) - fact["borrowed"]) < 0.1
        assert kind == works.SECTIONS or abs(fact["borrowed"] - share) < 0.25, fact


def test_f1_counts_decisions_per_copy():
    facts = [{"work": 1, "copy": name, "borrowed": share} for name, share in (("a", 0.9), ("b", 0.75), ("c", 0.74), ("d", 0.1))]
    assert works.scores(facts, {"a", "c"}) == [(1, 0.5)]
    assert works.scores(facts, set()) == [(1, 0.0)]
    assert works.scores(facts, {"a", "b", "elsewhere"}) == [(1, 1.0)]


def test_claims_are_judged_by_their_rules(full_plan, tables):
    claims = page.load_claims(EXPERIMENT).write(page.Source(full_plan, tables))
    verdicts = {claim.text.split(":")[0]: claim.verdict for claim in claims}
    assert verdicts["The methods rank by F as in table 2"] is Verdict.HOLDS
    assert verdicts["sent_words reaches 95 % recall and precision"] is Verdict.HOLDS
    assert verdicts["Plain I-Match breaks on small edits, the randomised one does not."] is Verdict.HOLDS
    assert verdicts["Raising the frequency of one word breaks a1."] is Verdict.HOLDS
    assert verdicts["Long Sent leads on all metrics."] is Verdict.FAILS
    assert verdicts["Sections beat shingles and TF-IDF on most works, not Long Sent."] is Verdict.HOLDS
    assert verdicts["sif detects an overlap of 25 %, Koala one of 3 to 5 %."] is Verdict.OPEN


def test_claims_without_tables_are_open(full_plan, tmp_path):
    for claim in page.load_claims(EXPERIMENT).write(page.Source(full_plan, tmp_path)):
        judged = [case for case in claim.cases if "paper" not in case.name]
        assert all(case.verdict is Verdict.OPEN for case in judged), claim.text


def test_page_has_verdicts_tables_and_pictures(full_plan, tables, tmp_path):
    out = tmp_path / "out"
    written = page.write(full_plan, tables, out, {"version": "1", "commit": "abc", "machine": "machine"})
    text = (out / "README.md").read_text()
    assert "| Long Sent | 0.84 | 0.80 | 0.82 | 0.50 | 0.90 | 0.90 | 10 |" in text
    assert "Missing collections: debian, bible, wikipedia, synthetic." in text
    pictures = sorted(path.name for path in (out / "pictures").iterdir())
    assert pictures == ["precision_recall.png", "precision_recall.svg", "quality_cost.png", "quality_cost.svg"]
    assert written == 1 + len(pictures) + len(list(tables.iterdir()))


def test_expected_values_are_checked(tables, tmp_path):
    text, count = expected.record(tables)
    (tmp_path / "expected.csv").write_text(text)
    outcomes = expected.check(tmp_path / "expected.csv", tables)
    assert len(outcomes) == count > 20 and all(outcome.startswith("ok ") for outcome in outcomes)
    write_table(tables / "table_2-reuters.csv", [row("md5", recall=0.1)])
    assert any(outcome.startswith("off table_2-reuters md5 recall_union") for outcome in expected.check(tmp_path / "expected.csv", tables))


def test_one_table_is_drawn(tmp_path, capsys):
    path = write_table(tmp_path / "t.csv", [row("md5"), row("tf")])
    command.main(["plots", str(path), "--documents", "10", "--out", str(tmp_path / "p")])
    assert {one.name for one in tmp_path.glob("p_*.svg")} == {"p_precision_recall.svg", "p_quality_cost.svg"}
    with pytest.raises(SystemExit, match="expected a table of evaluate_methods"):
        command.main(["plots", str(tmp_path / "none.csv"), "--documents", "10", "--out", "p"])
