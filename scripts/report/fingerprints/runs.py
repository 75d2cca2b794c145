"""Runs of the executables: one table per question, in a folder of tables. Tables that exist are kept, so that a stopped run resumes."""

import csv
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from .. import files
from . import texts, works
from .plan import DIFFERENCES, GROWING

# Seconds are those of two threads on every machine.
THREADS = 2
SENTENCE_METHODS = "a1,a2,sent_words"
# Thresholds at which partial copies are looked for: half of the overlap, in percent of the larger text.
OVERLAP_METHODS = ("sif", "koala", "winnowing", "shingles")


SECTION_VARIANTS = {
    "sections": [],
    "sections, all compared": ["--no_early_stop"],
    "sections, heavy words": ["--blocks_by", "heavy_words"],
    "sections, anywhere": ["--look_in", "document"],
}


class Runner:
    """Paths of a run: collections to read, working data, and tables to write."""

    def __init__(self, plan, collections, work, tables, wikipedia=None):
        self.plan, self.wikipedia = plan, wikipedia
        self.collections, self.work, self.tables = map(pathlib.Path, (collections, work, tables))
        self.work.mkdir(parents=True, exist_ok=True)
        self.tables.mkdir(parents=True, exist_ok=True)

    def all(self):
        """Runs everything whose tables are missing."""
        for name in self.plan.collections:
            source = self.source(name)
            if source is None:
                print(f"fingerprints: {name}: skipped, its documents are missing", file=sys.stderr)
                continue
            self.tables_of(name, *source)
        self.count_documents()
        self.edits()
        self.overlaps()
        self.growth()
        self.works()

    def source(self, name):
        """Returns (documents, known pairs or None) of a collection; None if it cannot be had."""
        known = self.work / f"{name}.truth.tsv"
        if name == "wikipedia":
            if self.wikipedia is None or not pathlib.Path(self.wikipedia).exists():
                return None
            return texts.ensure(self.work / "wikipedia.jsonl", texts.versions, self.wikipedia, self.work / "wikipedia.jsonl", known), known
        if name == "synthetic":
            return self.synthetic(self.plan.synthetic["documents"]), self.work / f"synthetic-{self.plan.synthetic['documents']}.truth.tsv"
        path, known = self.collections / f"{name}.jsonl", self.collections / f"{name}.truth.tsv"
        return (path, known if known.exists() else None) if path.exists() else None

    def synthetic(self, documents):
        """Creates a synthetic collection with sentences."""
        path, plain, known = (self.work / f"synthetic-{documents}{end}" for end in (".jsonl", "-plain.jsonl", ".truth.tsv"))
        if not path.exists():
            settings = self.plan.synthetic
            flags = ["--doc_count", documents, "--near_dups", settings["near_dups"], "--edits", settings["edits"]]
            execute(["create_corpus", *flags, "--out", plain, "--truth", known])
            texts.with_sentences(plain, path)
            plain.unlink()
        return path

    def evaluate(self, table, documents, methods, *flags, known=None):
        """Runs evaluate_methods, unless its table is there."""
        out = self.tables / f"{table}.csv"
        if not out.exists():
            truth = ["--truth", known] if known else []
            work = self.work / "runs" / pathlib.Path(documents).stem
            execute(["evaluate_methods", documents, "--methods", methods, "--work", work, "--out", out, *truth, *flags])
        return out

    def tables_of(self, name, documents, known):
        """Table 2 (its eight methods), all methods, the second paper's three, and the differences of table 3."""
        self.evaluate(f"table_2-{name}", documents, ",".join(self.plan.table_2.values()), "--intervals")
        self.evaluate(f"sent_words-{name}", documents, SENTENCE_METHODS, "--intervals")
        self.evaluate(f"all-{name}", documents, "all,cosine", "--intervals", known=known)
        for percent in DIFFERENCES:
            self.evaluate(f"table_3-{name}-{percent}", documents, "descr_words,shingles", "--similarity", f"{1 - percent / 100:.2f}")

    def count_documents(self):
        """Writes the number of documents of each collection."""
        sources = {name: self.source(name) for name in self.plan.collections}
        rows = [[name, sum(1 for _ in texts.read(source[0]))] for name, source in sources.items() if source]
        write_csv(self.tables / "documents.csv", ["collection", "documents"], rows)

    def edits(self):
        """One table per kind of edit: recall of the edited copies."""
        source = self.source(self.plan.edits["collection"])
        for kind in texts.EDITS if source else ():
            out, known = self.work / f"edits-{kind}.jsonl", self.work / f"edits-{kind}.truth.tsv"
            texts.ensure(out, texts.edited, source[0], kind, self.plan.edits["documents"], out, known)
            self.evaluate(f"edits-{kind}", out, "all,cosine", known=known)

    def overlaps(self):
        """Recall and precision of partial copies, for methods that compare parts of texts."""
        out, source = self.tables / "overlap.csv", self.source(self.plan.overlap["collection"])
        if out.exists() or source is None:
            return
        rows = []
        for percent in self.plan.overlap["percent"]:
            documents, known = self.work / f"overlap-{percent}.jsonl", self.work / f"overlap-{percent}.truth.tsv"
            texts.ensure(documents, texts.overlapping, source[0], percent, self.plan.overlap["documents"], documents, known)
            truth = {frozenset(line.split("\t")) for line in known.read_text(encoding="utf-8").splitlines()[1:]}
            for method in OVERLAP_METHODS:
                found, seconds = self.prints(documents, method, percent / 200)
                hits = len(found & truth)
                rows.append([percent, method, percent / 200, len(found), hits / len(found) if found else "", hits / len(truth), f"{seconds:.3f}"])
        write_csv(out, ["percent", "method", "threshold", "pairs", "precision", "recall", "seconds"], rows)

    def prints(self, documents, method, threshold=None, *flags):
        """Returns (pairs, seconds) of create_prints and match_prints."""
        with tempfile.TemporaryDirectory(dir=self.work) as folder:
            lists, pairs = pathlib.Path(folder) / "print_paths", pathlib.Path(folder) / "pairs.tsv"
            start = time.monotonic()
            execute(["create_prints", "--method", method, "--json_lines", documents, "--print_dir", f"{folder}/prints", "--print_paths", lists, *flags])
            execute(["match_prints", "--print_paths", lists, "--out", pairs, *(["--threshold", threshold] if threshold is not None else [])])
            seconds = time.monotonic() - start
            rows = pairs.read_text(encoding="utf-8").splitlines()[1:]
        return {frozenset(row.split("\t")[1:3]) for row in rows}, seconds

    def growth(self):
        """Methods with and without statistics of the collection, on growing synthetic collections."""
        for count in self.plan.growth["documents"]:
            self.evaluate(f"growth-{count}", self.synthetic(count), ",".join(GROWING), "--intervals")

    def works(self):
        """F1 per work of the section method and three others, and the cost of comparing without early stops, for both kinds of copies."""
        bible, out = self.collections / "bible.jsonl", self.tables / "works.csv"
        if out.exists() or self.plan.small or not bible.exists():
            return
        scores, costs = [], []
        for kind in works.KINDS:
            documents, facts = self.work / f"works-{kind}.jsonl", self.work / f"works-{kind}.json"
            texts.ensure(documents, works.create, bible, kind, documents, facts)
            facts = json.loads(facts.read_text())
            decided, variants = self.sections(kind, documents, facts)
            costs += variants
            for method, found in (decided | self.decisions(documents, facts)).items():
                scores += [[kind, work, method, f"{score:.4f}"] for work, score in works.scores(facts, found)]
        write_csv(self.tables / "stops.csv", ["copies", "variant", "block_pairs", "seconds", "copied", "other_verdicts"], costs)
        write_csv(out, ["copies", "work", "method", "f1"], scores)

    def decisions(self, documents, facts):
        """Returns {method: copies it takes for duplicates of their work}."""
        pairs = {frozenset((fact["copy"], f"work{fact['work']}")): fact["copy"] for fact in facts}

        def of(method, threshold=None, *flags):
            return {pairs[pair] for pair in self.prints(documents, method, threshold, *flags)[0] if pair in pairs}

        return {
            "shingles": of("shingles", works.THRESHOLD, "--shingle_size", "5", "--measure", "share"),
            "long_sent": of("long_sent"),
            "tf_idf": of("tf_idf", None, "--weight", "bm25"),
        }

    def sections(self, kind, documents, facts):
        """Returns the decisions of the variants of the section method, and what each cost; verdicts are compared with those of the first."""
        listed, out = self.work / f"works-{kind}.pairs.tsv", self.work / f"works-{kind}.sections.jsonl"
        lines = [f"1.0\t{fact['copy']}\twork{fact['work']}" for fact in facts]
        listed.write_text("\n".join(["similarity\tdocument_1\tdocument_2", *lines]) + "\n")
        decided, rows = {}, []
        for name, flags in SECTION_VARIANTS.items():
            start = time.monotonic()
            execute(["compare_sections", documents, "--pairs", listed, "--format", "json", "--most_passages", "1", "--out", out, *flags])
            seconds = time.monotonic() - start
            reports = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
            decided[name] = {report["document_1"] for report in reports if report["copied"]}
            others = len(decided[name] ^ decided["sections"])
            rows.append([kind, name, sum(report["compared_block_pairs"] for report in reports), f"{seconds:.3f}", len(decided[name]), others])
        return decided, rows


def execute(command):
    """Runs an executable; its messages are shown, its failure ends the run."""
    subprocess.run([*map(str, command), "--no_sync", "--quiet", "--threads", str(THREADS)], check=True, env=os.environ)


def write_csv(path, head, rows):
    """Writes a table."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([head, *rows])
    files.write(path, text.getvalue())


def read_csv(path):
    """Returns the rows of a table as dictionaries; none if it is missing."""
    if not path.exists():
        return []
    with open(path, encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))
