"""Tests of the experiments with fingerprint methods."""

import json
import math
import pathlib

import pytest

from report.errors import ReportError
from report.fingerprints import __main__ as command
from report.fingerprints import contexts, expected, labels, page, pictures, plan, prints, revisions, texts, works
from report.fingerprints.tables import Table, spearman
from report.verdict import Verdict

ROOT = pathlib.Path(__file__).resolve().parents[3]
EXPERIMENT = ROOT / "exp/fingerprints"
COLUMNS = "method,pairs,recall_union,precision_string,precision_cosine,f1,precision_truth,recall_truth,f1_truth,seconds,bytes_per_document"
NEW_WORDS = ["alpha", "beta", "gamma", "delta"]
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
    write_table(folder / "table_2_words-reuters.csv", [row(method, f1=0.8 - 0.1 * place) for place, method in enumerate(by_f)])
    write_table(folder / "all-reuters.csv", [row(method) for method in (*by_f, "a1", "cosine")])
    write_table(folder / "sent_words-reuters.csv", [row("a1", 0.6, 0.95), row("a2", 0.85, 0.8), row("sent_words", 0.95, 0.95)])
    for kind in texts.EDITS:
        write_table(folder / f"edits-{kind}.csv", [row(method, truth=0.2) for method in ("a1", "a2", "long_sent", "tf_idf", "imatch")] + [row(method, truth=0.95) for method in ("shingles", "imatch_random", "sent_words")])
    (folder / "sequences.csv").write_text("collection,elements,repeated\nreuters,200,21\nbible,5,0\n")
    contexts_ = [f"earnings,one_word,{method},{context},{f1},1,1,5,0.4" for method in plan.GLOBAL for context, f1 in (("one_topic", 0.5), ("mixed", 0.6))]
    (folder / "topics.csv").write_text("\n".join(["topic,edit,method,context,f1,precision,recall,pairs,changed_prints", *contexts_]) + "\n")
    (folder / "additions.csv").write_text("method,existing,batch,changed_prints,pairs,missed,additional\ntf_idf,100,10,0.2,40,3,0\nimatch,100,10,0.2,0,0,0\ntf,100,10,0,40,0,0\n")
    copies = [(kind, share, method) for kind in (*revisions.MOVED, *revisions.CHANGED) for share in (0.1, 1.0) for method in ("sections", "sections, heavy words", "shingles", "tf_idf", "long_sent")]
    found = {"sections": 2, "shingles": 3, "long_sent": 0}
    rows = [f'{kind},{share},"{method}",10,{found.get(method, 9)}' for kind, share, method in copies]
    (folder / "revisions.csv").write_text("\n".join(["kind,share,method,copies,found", *rows, "two longest sentences,0,long_sent,10,1", "two longest sentences,0,sections,10,10"]) + "\n")
    costs = [f'{kind},"{variant}",{seconds}' for kind in revisions.CHANGED for variant, seconds in (("sections", 1.0), ("sections, heavy words", 1.2))]
    (folder / "revision_costs.csv").write_text("\n".join(["kind,variant,seconds", *costs]) + "\n")
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
    rng = texts.WordRandom(1, NEW_WORDS)
    assert len(set(TEXT.split()) - set(texts.one_word(TEXT, rng).split())) <= 1
    assert texts.with_marks("new", "old.)") == "new.)" and texts.with_marks("new", "old") == "new"
    replaced = [word for word in texts.new_words(TEXT * 20, rng).split() if word not in (TEXT * 20).split()]
    assert len(set(replaced)) > 20 and not set(replaced) & set(NEW_WORDS)
    assert sorted(texts.moved_sentences(TEXT, rng).split()) == sorted(TEXT.split())
    assert sorted(texts.moved_words(TEXT, rng).split()) == sorted(TEXT.split())
    two = texts.split_sentences(texts.two_sentences(TEXT, rng))
    original = texts.split_sentences(TEXT)
    assert [at for at, part in enumerate(two) if part != original[at]] == texts.longest(original, 2) == [1, 3]
    raised = texts.raised_frequency(TEXT, rng)[len(TEXT) :].rstrip(".").split()
    assert len(set(raised)) == 1 and len(raised) == 1 + max(TEXT.lower().count(f"{word} ") for word in ("fish", "is", "the"))
    moved = texts.split_sentences(texts.word_in_long_sentence(TEXT, rng))
    assert sum(part != original[at] for at, part in enumerate(moved)) == 1


def test_words_of_a_collection_are_sampled_as_they_occur():
    documents = [(str(number), "Green green trees, a tree and 12 x2000 trees_1") for number in range(10)]
    assert sorted(set(texts.words_of(documents))) == ["green", "tree", "trees"] and texts.words_of(documents).count("green") == 20
    assert texts.spread(list(range(10)), 3) == [0, 3, 6] and texts.spread([1, 2], 3) == [1, 2]
    assert texts.WordRandom(1, NEW_WORDS).word() in NEW_WORDS


def test_phrases_move_to_the_end():
    assert texts.moved_phrase("First a phrase, then the rest.", texts.WordRandom(1, NEW_WORDS)) == "then the rest First a phrase."
    assert texts.moved_phrase("no comma here at all", texts.WordRandom(1, NEW_WORDS)) == "here at all no comma"
    assert sorted(texts.moved_phrases(TEXT, texts.WordRandom(1, NEW_WORDS)).replace(".", "").split()) == sorted(TEXT.replace(".", "").split())


@pytest.fixture
def book():
    """A work of two sections with 20 sentences each."""
    return [(f"# Book {chapter}", [f"In section {chapter} there is, in its place, sentence{number} of words." for number in range(20)]) for chapter in (1, 2)]


@pytest.mark.parametrize("kind", revisions.MOVED)
@pytest.mark.parametrize("share", [0.1, 1.0])
def test_moved_text_has_the_same_words_in_other_places(book, kind, share):
    revised = revisions.REVISIONS[kind](book, share, texts.WordRandom(1, NEW_WORDS))
    for (heading, lines), (new_heading, new) in zip(book, revised, strict=True):
        assert heading == new_heading
        assert sorted(" ".join(lines).replace(".", "").replace(",", "").split()) == sorted(" ".join(new).replace(".", "").replace(",", "").split())
        assert sum(one != other for one, other in zip(lines, new, strict=True)) == max(2 if kind == "moved sentences" else 1, round(share * 20))


def test_changed_words_are_the_share_that_they_should(book):
    total = sum(len(line.split()) for line in book[0][1])
    replaced = revisions.REVISIONS["replaced words"](book, 0.05, texts.WordRandom(1, NEW_WORDS))[0][1]
    inserted = revisions.REVISIONS["inserted words"](book, 0.05, texts.WordRandom(1, NEW_WORDS))[0][1]
    for lines, more in ((replaced, 0), (inserted, round(0.05 * total))):
        words = " ".join(lines).split()
        assert len(words) == total + more and sum(word.strip(".,") in NEW_WORDS for word in words) == round(0.05 * total)


def test_two_longest_sentences_of_a_work_change():
    chapters = [("# 1", ["Short one. This is the longest sentence of the whole work.", "A bit."]), ("# 2", ["And this is the second longest one."])]
    revised = revisions.two_sentences(chapters, 0, texts.WordRandom(1, NEW_WORDS))
    for (_, lines), (_, new) in zip(chapters, revised, strict=True):
        assert sum(one != other for one, other in zip(" ".join(lines).split(), " ".join(new).split(), strict=True)) == 1
    assert revised[0][1][0].startswith("Short one. ")


def test_works_are_the_longest_and_have_their_sections():
    documents = [("kjv.A.1", "one two"), ("kjv.A.2", "three"), ("kjv.B.1", "one"), ("web.A.1", "one two three four"), ("kjv.C.1", "one two three four")]
    assert revisions.works(documents, r"^kjv\.(\w+)\.\d+$", 2) == {"C": [("# C 1", ["one two three four"])], "A": [("# A 1", ["one two"]), ("# A 2", ["three"])]}


def test_contexts_share_documents_and_sizes():
    documents = [(f"{'topic' if number % 2 else 'other'}{number}", f"{TEXT} {number}") for number in range(60)]
    judged, others = contexts.around(documents, {"name": "topic", "id": "^topic"}, "one_word", 10, 15)
    assert len(judged) == 20 and all(len(one) == 15 for one in others.values())
    names = {name for name, _ in judged}
    assert all(name.startswith("topic") for name in names) and sum(name.endswith("#copy") for name in names) == 10
    assert all(name.startswith("topic") and name not in names for name, _ in others["one_topic"])
    assert all(name.startswith("other") for name, _ in others["mixed"])
    assert contexts.around(documents, {"name": "topic", "text": "^One fish"}, "one_word", 50, 15) is None


def test_quality_counts_copies_and_similar_texts():
    judged = [("a", "one two three four five"), ("b", "one two three four six"), ("c", "other words"), ("a#copy", "x"), ("b#copy", "x"), ("c#copy", "y")]
    pairs = {frozenset(pair) for pair in (("a", "a#copy"), ("a", "b"), ("a", "c"), ("a", "elsewhere"))}
    f1, precision, recall, count = contexts.quality(judged, pairs)
    assert (precision, recall, count) == (pytest.approx(2 / 3), pytest.approx(1 / 3), 3) and f1 == pytest.approx(4 / 9)
    assert contexts.quality(judged, set()) == (0, 0, 0, 0)


def test_batches_follow_and_copy_existing_documents():
    documents = [(str(number), f"{TEXT} {number}") for number in range(30)]
    names = [name for name, _ in contexts.batch(documents, 20, 6)]
    assert names == ["20", "21", "22", "0#copy", "6#copy", "13#copy"]


def test_lists_of_prints_are_read_mixed_and_written(tmp_path):
    def listed(stem, lines):
        (tmp_path / f"{stem}.1").write_text("".join(f"{line}\n" for line in lines))
        (tmp_path / stem).write_text(f"VELIKOST_KOLEKCE {len(lines)}\nMETODA tf\nSHODA equal\n{tmp_path / stem}.1\n")
        return prints.PrintList.read(tmp_path / stem)

    old, new = listed("old", ["a%3Ab:1 a", "c:1 b"]), listed("new", ["a%3Ab:1 f", "c:1 b", "d:1 f"])
    assert prints.changed(old, new, old.prints) == 0.5 and old.print_of("a:b") == "1 a"
    new.replaced(old, old.prints).write(tmp_path / "mixed")
    again = prints.PrintList.read(tmp_path / "mixed")
    assert (again.print_of("a:b"), again.print_of("d"), again.rules) == ("1 a", "1 f", ["METODA tf", "SHODA equal"])


def test_elements_in_several_sequences():
    def record(length, *signs):
        return "", " ".join(["a", f"{length:x}", "3", *(f"{sign:x}" for sign in (*signs, 0, 0, 0)[:3])])

    # a and b share 1; b and c share 2; d is too long for 2, and alone in 3; e and f share 4 and 5: one sequence.
    found = {"a": record(100, 1), "b": record(100, 1, 2), "c": record(110, 2), "d": record(200, 2, 3), "e": record(50, 4, 5), "f": record(50, 4, 5)}
    assert prints.repeated_elements(prints.PrintList([], found)) == (5, 1)
    # The sequence {b, c} of 7 is inside {a, b, c} of 6.
    inside = {"a": record(10, 6), "b": record(10, 6, 7), "c": record(10, 6, 7)}
    assert prints.repeated_elements(prints.PrintList([], inside)) == (3, 0)


def test_labels_keep_clear_of_each_other(tmp_path):
    path = write_table(tmp_path / "t.csv", [row(f"method{number}", recall=0.5 + 0.004 * number, precision=0.9) for number in range(12)])
    figure = pictures.precision_recall("title", [("", Table(path))])
    axis = figure.axes[0]
    boxes = [text.get_window_extent() for text in axis.texts if text.get_text().startswith("method")]
    assert len(boxes) > 1 and not any(one.overlaps(other) for at, one in enumerate(boxes) for other in boxes[:at])
    assert sorted(", ".join(text.get_text().replace("\n", ", ") for text in axis.texts if "method" in text.get_text()).split(", ")) == sorted(f"method{number}" for number in range(12))


def test_points_of_one_place_share_a_label():
    assert labels.together([("a", 0, 0), ("b", 9, 9), ("c", 0.5, 0)]) == [(["a", "c"], 0, 0), (["b"], 9, 9)]


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
    assert verdicts["Two edited sentences defeat Long Sent; shingles and sections need more."] is Verdict.HOLDS
    assert verdicts["Sections, like shingles, suffer from moved words, phrases and sentences; TF-IDF does not."] is Verdict.HOLDS
    assert verdicts["Heavy words in place of a block's shingles find more copies with small edits, and take longer."] is Verdict.HOLDS
    assert verdicts["About 10 % of the elements of sent_words stand in more than one sequence."] is Verdict.HOLDS
    assert verdicts["Collections of one topic skew methods with statistics."] is Verdict.HOLDS
    assert verdicts["Additions to a collection must be batched for methods with statistics."] is Verdict.HOLDS
    assert verdicts["Randomised I-Match is the most precise near-duplicate method."] is Verdict.OPEN
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
    assert "| Long Sent | 0.84 | 0.80 | 0.82 | 0.50 | 0.90 | 0.80 | 10 |" in text.partition("### With the paper's preprocessing")[2]
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
    with pytest.raises(ReportError, match="found no file"):
        expected.check(tmp_path / "none.csv", tables)


def test_expected_values_of_other_tables_have_several_keys(tmp_path):
    (tmp_path / "topics.csv").write_text("topic,edit,method,context,f1,precision,recall,pairs,changed_prints\nPerl modules,one_word,tf,mixed,0.5,1,1,300,0\n")
    (tmp_path / "sequences.csv").write_text("collection,elements,repeated\nreuters,50,4\n")
    text, count = expected.record(tmp_path)
    assert count == 5 and "sequences,reuters,elements,50.000000,2e-06" in text
    # Counts of Debian's descriptions may differ by two percent.
    assert "topics,Perl modules one_word tf mixed,pairs,300.000000,6.0" in text and "topics,Perl modules one_word tf mixed,f1,0.500000,0.02" in text


def test_one_table_is_drawn(tmp_path, capsys):
    path = write_table(tmp_path / "t.csv", [row("md5"), row("tf")])
    command.main(["plots", str(path), "--documents", "10", "--out", str(tmp_path / "p")])
    assert {one.name for one in tmp_path.glob("p_*.svg")} == {"p_precision_recall.svg", "p_quality_cost.svg"}
    with pytest.raises(SystemExit, match="expected a table of evaluate_methods"):
        command.main(["plots", str(tmp_path / "none.csv"), "--documents", "10", "--out", "p"])
