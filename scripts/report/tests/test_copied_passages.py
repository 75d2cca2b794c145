"""Tests of the corpus of planted copies, of the readers of results, and of the claims."""

import itertools
import pathlib
import random
import re
import xml.etree.ElementTree as ElementTree

import pytest

from report.copied_passages import corpus, expected, extraction, insertions, page, pages, plan, samples, search
from report.copied_passages.source import Source, document_f1
from report.fingerprints.page import load_claims
from report.fingerprints.runs import write_csv
from report.verdict import Verdict

EXPERIMENT = pathlib.Path(__file__).resolve().parents[3] / "exp" / "copied_passages"
SETTINGS = {"lengths": [20, 50], "documents": 2, "originals": 3, "piece": 120}
WORDS = [f"w{number:03}" for number in range(60)]


def books(count=16):
    """Returns documents of paragraphs of six sentences of ten words; no word occurs twice."""
    letters = itertools.product("bdgkmnrst", "aeiou", repeat=3)
    words = ("".join(one) for one in letters)
    return [(f"book.{number}", "".join(" ".join(" ".join(itertools.islice(words, 10)) + "." for _ in range(6)) + "\n" for _ in range(8))) for number in range(count)]


def test_truth_names_the_places_of_copies_in_both_texts():
    sources, suspicious, truth = corpus.create(books(), SETTINGS)
    of_source, of_suspicious = dict(sources), dict(suspicious)
    assert len(truth) == len(corpus.KINDS) * 2 * 2 * corpus.PASSAGES
    assert not {name for name, _ in sources} & {name for name, _ in suspicious}
    for name, offset, length, source, source_offset, source_length, kind, words in truth:
        copy = of_suspicious[name][offset : offset + length].split()
        original = of_source[source][source_offset : source_offset + source_length].split()
        assert len(original) == words
        if kind == "exact":
            assert copy == original
        elif kind in ("shuffled_words", "reordered_sentences"):
            assert copy != original
            assert sorted(copy) == sorted(original)
        elif kind == "inserted_words":
            assert [word for word in copy if word in set(original)] == original
            assert len(copy) > len(original)
        elif kind == "deleted_words":
            assert [word for word in original if word in set(copy)] == copy
            assert len(copy) < len(original)


def test_corpus_is_reproducible_and_has_originals():
    assert corpus.create(books(), SETTINGS) == corpus.create(books(), SETTINGS)
    _, suspicious, truth = corpus.create(books(), SETTINGS)
    assert len({name for name, _ in suspicious} - {row[0] for row in truth}) == SETTINGS["originals"]


def test_half_of_the_copies_are_paragraphs():
    _, suspicious, truth = corpus.create(books(), SETTINGS)
    texts = dict(suspicious)
    lines = [texts[row[0]][row[1] : row[1] + row[2]] in texts[row[0]].split("\n") for row in truth]
    assert lines == [True, False] * (len(truth) // 2)


def test_too_few_hosts_are_an_error():
    with pytest.raises(ValueError, match="expected 27 pieces to host copies, found"):
        corpus.create(books(4), SETTINGS)


@pytest.mark.parametrize("kind", corpus.KINDS)
def test_kinds_change_words_as_they_say(kind):
    words = [word + "." * (at % 10 == 9) for at, word in enumerate(WORDS)]
    changed = corpus.KINDS[kind](list(words), random.Random(3), ["other"])
    assert changed == corpus.KINDS[kind](list(words), random.Random(3), ["other"])
    counts = {"inserted_words": 60 + 60 // corpus.RATE, "deleted_words": 60 - 60 // corpus.RATE}
    assert len(changed) == counts.get(kind, 60)
    assert (changed == words) == (kind in ("exact", "homoglyphs"))


def test_homoglyphs_look_alike_and_differ():
    copy = corpus.homoglyphs(["peace"] * 20, random.Random(1), [])
    assert {"peace", "реасе"} == set(copy)


def test_a_single_sentence_is_cut_in_halves():
    assert corpus.reordered_sentences(WORDS[:4], random.Random(1), []) == ["w002", "w003", "w000", "w001"]


XML = """<document id="d" words="30" ngrams="20" sources="2">
  <source id="a" similarity="0.5000" ngrams="10" run="12"/><source id="b" similarity="0.0500" ngrams="1" run="7"/>
  <paragraph number="2" offset="0" length="9" ngrams="12"><source id="a" similarity="0.8333" ngrams="10" run="12"/></paragraph>
</document>"""


def test_conditions_count_paragraphs_and_runs():
    searched = search.read_document(ElementTree.fromstring(XML))
    assert searched.listed("a=70%") == {"a"}
    assert searched.listed("a=84%") == set()
    assert searched.listed("a=5%") == {"a", "b"}
    assert searched.listed("m=7") == {"a", "b"}
    assert searched.listed("m=12") == {"a"}
    assert searched.listed("m=13") == set()
    assert list(searched.paragraphs) == [2]


def test_limits_are_alternatives():
    searched = search.read_document(ElementTree.fromstring(XML))
    assert searched.limited(84, 7, 7) == {"a", "b"}
    # N-grams of eight words show no run of seven.
    assert searched.limited(84, 7, 8) == {"a"}
    assert searched.limited(84, 0, 7) == set()
    assert searched.limited(70, 0, 7) == {"a"}


def test_shares_of_samples():
    groups = {"original": [f"o{number}" for number in range(20)], "large copies": [f"l{number}" for number in range(40)]}
    decisions = {name: name.startswith("l") or int(name[1:]) < 10 for names in groups.values() for name in names}
    found = samples.shares(decisions, groups, {"samples": 200, "sample": 30})
    count, share, low, high, complete = found["original"]
    assert (count, share) == (20, 0.5)
    assert 0 < low < 0.5 < high < 1
    assert complete < 0.05
    assert found["large copies"] == (40, 1, 1, 1, 1)


def test_groups_by_length():
    assert samples.of_lengths({"a": [20, 120], "b": [20]}, ["c"], 100) == {"original": ["c"], "large copies": ["a"], "small copies": ["b"]}


def test_changed_pages_are_counted():
    old = [("x/0", "a b"), ("y/0", "c d"), ("z/0", "e f")]
    new = [("x/1", "a b"), ("y/1", "c d e"), ("z/1", "g")]
    match = search.Match
    found = {
        "x/1": search.Searched(2, {"x/0": match(1.0, 7)}),
        "y/1": search.Searched(2, {"y/0": match(0.5, 7), "z/0": match(0.3, 7), "x/0": match(0.1, 7)}),
        "z/1": search.Searched(0, {}),
    }
    assert dict(zip(pages.HEAD[4:], pages.count(old, new, found, pages.article, "a=20%"), strict=True)) == {
        "pages": 3, "changed": 2, "listed": 1, "marked": 1, "with_other_pages": 1, "unchanged": 1, "unchanged_marked": 0,
    }


def test_chapters_have_the_same_page_in_all_translations():
    assert pages.chapter("kjv.Song_of_Songs.3") == pages.chapter("web.Song_of_Songs.3")
    assert pages.chapter("exp/sample/texts/kjv/genesis_001.txt") == "genesis_001.txt"


def test_insertions_hold_sentences_of_their_source():
    sources = books(4)
    settings = {"documents": 3, "paragraphs": 5, "words": 20, "long": 10, "short": [10, 10], "adjacent": 2, "scattered": 2}
    documents, truth = insertions.create(sources, settings)
    assert len(documents) == 9
    for name, text in documents:
        kind, source = truth[name]
        copied = [sentence for line in dict(sources)[source].splitlines() for sentence in line.split(". ") if sentence.rstrip(".") in text]
        assert len(copied) >= (1 if kind == insertions.LONG else 2)


def test_plan_of_the_small_version_changes_tables():
    full, small = (plan.read(EXPERIMENT, small) for small in (False, True))
    assert full["corpus"]["collection"] == "books"
    assert small["corpus"]["collection"] == "sample"
    assert small["insertions"]["paragraphs"] == full["insertions"]["paragraphs"]
    assert full.values("6.1")["copies of larger parts", "m=10"] == 93


def test_f1_of_documents():
    assert document_f1({"document_precision": "0.5", "document_recall": "1"}) == pytest.approx(2 / 3)
    assert document_f1({"document_precision": "", "document_recall": "0"}) == 0


def claims_of(folder):
    """Returns the claims on tables of a folder, by number."""
    source = Source(plan.read(EXPERIMENT, False), folder)
    return source, load_claims(EXPERIMENT).write(source)


def test_claims_without_tables_are_open(tmp_path):
    source, claims = claims_of(tmp_path)
    assert len(claims) == 12
    assert {claim.verdict for claim in claims} == {Verdict.OPEN}
    assert page.render(source, claims, {"version": "1", "commit": "c", "machine": "m"}, {}).startswith("# Copied passages")


def test_the_committed_page_follows_from_the_committed_tables():
    folder = EXPERIMENT.parents[1] / "res" / "copied_passages"
    committed = (folder / "README.md").read_text(encoding="utf-8")
    stated = re.search(r"- nearsig (\S+), commit ([^\n]+)\n- ([^\n]+), two threads\n", committed)
    source, claims = claims_of(folder / page.TABLES)
    drawn = [path.stem for path in (folder / page.PICTURES).glob("*.png")]
    assert page.render(source, claims, dict(zip(("version", "commit", "machine"), stated.groups(), strict=True)), drawn) == committed


def measured(tool, megabytes, seconds, spread=0.0):
    """Returns a row of a measurement."""
    return [tool, megabytes, 2, 3, seconds, seconds * (1 - spread), seconds * (1 + spread), seconds, 10, ""]


@pytest.mark.parametrize(("cluster", "spread", "verdict"), [(4.0, 0.0, Verdict.HOLDS), (2.0, 0.0, Verdict.FAILS), (3.0, 0.1, Verdict.OPEN)])
def test_claim_on_stores(tmp_path, cluster, spread, verdict):
    for tool, seconds in ((extraction.EMBEDDED, 1.0), (extraction.EXPORT, 1.0), (extraction.EXTRACTOR, 1.0), (extraction.CLUSTER, cluster)):
        write_csv(tmp_path / f"extraction-{tool}-10.csv", extraction.HEAD, [measured(tool, 10, seconds, spread if tool == extraction.CLUSTER else 0)])
    claim = claims_of(tmp_path)[1][6]
    assert [case.verdict for case in claim.cases] == [Verdict.HOLDS, Verdict.HOLDS, verdict]


@pytest.mark.parametrize(("counts", "verdict"), [((5, 8, 9, 7, 6), Verdict.HOLDS), ((5, 9, 8, 7, 6), Verdict.FAILS)])
def test_claim_on_distinct_ngrams(tmp_path, counts, verdict):
    rows = [["own", n, count, count] for n, count in zip((3, 5, 7, 15, 25), counts, strict=True)]
    write_csv(tmp_path / "table_6_3-own.csv", ["corpus", "n", "postings", "distinct"], rows)
    assert claims_of(tmp_path)[1][4].verdict is verdict


@pytest.mark.parametrize(("marked", "verdict"), [(84, Verdict.HOLDS), (78, Verdict.FAILS)])
def test_claim_on_changed_pages(tmp_path, marked, verdict):
    row = ["wikipedia", "last but one to last version", "mensik", 7, 120, 100, 90, marked, 1, 20, 0]
    write_csv(tmp_path / "changed_pages-wikipedia.csv", pages.HEAD, [row])
    assert claims_of(tmp_path)[1][8].verdict is verdict


def test_expected_values_are_checked(tmp_path):
    write_csv(tmp_path / "table_6_2.csv", ["n", "condition", "found", "false_alarms"], [[3, "m=5", 3, 0]])
    text, count = expected.record(tmp_path)
    assert count == 2
    recorded = tmp_path / "expected.csv"
    recorded.write_text(text)
    assert all(outcome.startswith("ok ") for outcome in expected.check(recorded, tmp_path))
    write_csv(tmp_path / "table_6_2.csv", ["n", "condition", "found", "false_alarms"], [[3, "m=5", 2, 0]])
    assert [outcome[:3] for outcome in expected.check(recorded, tmp_path)] == ["off", "ok "]
