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
from . import contexts, revisions, texts, works
from .plan import CONTROL, DIFFERENCES, GLOBAL, GROWING
from .prints import PrintList, changed, repeated_elements

# Seconds are those of two threads on every machine.
THREADS = 2
SENTENCE_METHODS = "a1,a2,sent_words"
# Thresholds at which partial copies are looked for: half of the overlap, in percent of the larger text.
OVERLAP_METHODS = ("sif", "koala", "winnowing", "shingles")
# Runs of a variant of the section method whose time is compared; the fastest counts.
TIMED_RUNS = 3

SECTION_VARIANTS = {
    "sections": [],
    "sections, all compared": ["--no_early_stop"],
    "sections, heavy words": ["--blocks_by", "heavy_words"],
    "sections, anywhere": ["--look_in", "document"],
}
# Copies of whole works: the other variant gives the same verdicts.
REVISED_VARIANTS = [name for name in SECTION_VARIANTS if name != "sections, all compared"]


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
        self.sequences()
        self.topics()
        self.additions()
        self.revisions()
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
        """Table 2 (its eight methods) without and with the paper's preprocessing, all methods, the second paper's three, and the differences of table 3."""
        self.evaluate(f"table_2-{name}", documents, ",".join(self.plan.table_2.values()), "--intervals")
        self.evaluate(f"table_2_words-{name}", documents, ",".join(self.plan.table_2.values()), "--intervals", *self.plan.preprocessing)
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
            start = time.monotonic()
            pairs = match(create(documents, method, folder, *flags), *(["--threshold", threshold] if threshold is not None else []))
            return pairs, time.monotonic() - start

    def growth(self):
        """Methods with and without statistics of the collection, on growing synthetic collections."""
        for count in self.plan.growth["documents"]:
            self.evaluate(f"growth-{count}", self.synthetic(count), ",".join(GROWING), "--intervals")

    def sequences(self):
        """Elements of sent_words that stand in several sequences, per collection."""
        out = self.tables / "sequences.csv"
        if out.exists():
            return
        rows = []
        for name in self.plan.collections:
            source = self.source(name)
            if source:
                with tempfile.TemporaryDirectory(dir=self.work) as folder:
                    elements, repeated = repeated_elements(PrintList.read(create(source[0], "sent_words", folder)))
                rows.append([name, elements, repeated])
        write_csv(out, ["collection", "elements", "repeated"], rows)

    def topics(self):
        """Quality of methods with statistics on the same documents, among others of one topic and among mixed ones."""
        out, settings = self.tables / "topics.csv", self.plan.topics
        if out.exists():
            return
        rows = []
        for topic in settings["topic"]:
            source = self.source(topic["collection"]) if topic["collection"] in self.plan.collections else None
            documents = list(texts.read(source[0])) if source else []
            for edit in settings["edits"]:
                found = contexts.around(documents, topic, edit, settings["judged"], settings["context"])
                for method in (*GLOBAL, CONTROL) if found else ():
                    rows += [[topic["name"], edit, *row] for row in self.topic(method, *found)]
        write_csv(out, ["topic", "edit", "method", "context", "f1", "precision", "recall", "pairs", "changed_prints"], rows)

    def topic(self, method, judged, others):
        """Returns one row per context: quality, and the share of judged documents whose prints differ from those among mixed documents."""
        with tempfile.TemporaryDirectory(dir=self.work) as folder:
            lists = {}
            for context in contexts.CONTEXTS:
                documents = pathlib.Path(folder) / f"{context}.jsonl"
                texts.write(documents, judged + others[context])
                lists[context] = create(documents, method, f"{folder}/{context}")
            prints = {context: PrintList.read(path) for context, path in lists.items()}
            rows = []
            for context, path in lists.items():
                numbers = contexts.quality(judged, match(path))
                share = changed(prints[context], prints[contexts.MIXED], (name for name, _ in judged))
                rows.append([method, context, *(f"{number:.4f}" for number in numbers[:3]), numbers[3], f"{share:.4f}"])
        return rows

    def additions(self):
        """Prints of existing documents that change, and pairs with new documents that are missed if they are kept, per size of a batch."""
        out, settings = self.tables / "additions.csv", self.plan.additions
        source = self.source(settings["collection"]) if settings["collection"] in self.plan.collections else None
        if out.exists() or source is None:
            return
        documents = list(texts.read(source[0]))
        rows = [row for method in (*GLOBAL, CONTROL) for row in self.added(method, documents, settings["existing"], settings["batches"])]
        write_csv(out, ["method", "existing", "batch", "changed_prints", "pairs", "missed", "additional"], rows)

    def added(self, method, documents, existing, batches):
        """Returns one row per batch."""
        with tempfile.TemporaryDirectory(dir=self.work) as folder:
            path = pathlib.Path(folder) / "documents.jsonl"
            texts.write(path, documents[:existing])
            old = PrintList.read(create(path, method, f"{folder}/old"))
            rows = []
            for size in batches:
                batch = contexts.batch(documents, existing, size)
                texts.write(path, documents[:existing] + batch)
                complete = create(path, method, f"{folder}/{size}")
                new = PrintList.read(complete)
                mixed = pathlib.Path(folder) / f"mixed-{size}"
                new.replaced(old, old.prints).write(mixed)
                computed, kept = ({pair for pair in match(one) if len(pair & old.prints.keys()) == 1} for one in (complete, mixed))
                rows.append([method, existing, len(batch), f"{changed(old, new, old.prints):.4f}", len(computed), len(computed - kept), len(kept - computed)])
        return rows

    def revisions(self):
        """Shares of revised copies that sections and other methods find, and the time of the variants of the section method."""
        out, settings = self.tables / "revisions.csv", self.plan.revisions
        source = self.source(settings["collection"]) if settings["collection"] in self.plan.collections else None
        if out.exists() or source is None:
            return
        originals = revisions.works(texts.read(source[0]), settings["work"], settings["works"])
        rows, costs = [], []
        for kind in revisions.REVISIONS:
            documents, facts = revisions.copies(originals, kind, settings, works.render)
            path = self.work / "revisions.jsonl"
            texts.write(path, documents)
            pairs = {copy: work for copy, (work, _) in facts.items()}
            decided, variants = self.sections(kind, path, pairs, REVISED_VARIANTS, TIMED_RUNS if kind in revisions.CHANGED else 1)
            costs += [[kind, row[1], row[3]] for row in variants]
            for method, found in (decided | self.decisions(path, pairs)).items():
                for share in revisions.shares(settings, kind):
                    of_share = {copy for copy, (_, own) in facts.items() if own == share}
                    rows.append([kind, share, method, len(of_share), len(found & of_share)])
        write_csv(self.tables / "revision_costs.csv", ["kind", "variant", "seconds"], costs)
        write_csv(out, ["kind", "share", "method", "copies", "found"], rows)

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
            pairs = {fact["copy"]: f"work{fact['work']}" for fact in facts}
            decided, variants = self.sections(kind, documents, pairs)
            costs += variants
            for method, found in (decided | self.decisions(documents, pairs)).items():
                scores += [[kind, work, method, f"{score:.4f}"] for work, score in works.scores(facts, found)]
        write_csv(self.tables / "stops.csv", ["copies", "variant", "block_pairs", "seconds", "copied", "other_verdicts"], costs)
        write_csv(out, ["copies", "work", "method", "f1"], scores)

    def decisions(self, documents, works_of):
        """Returns {method: copies it takes for duplicates of their work}; `works_of` has the work of each copy."""
        pairs = {frozenset(pair): pair[0] for pair in works_of.items()}

        def of(method, threshold=None, *flags):
            return {pairs[pair] for pair in self.prints(documents, method, threshold, *flags)[0] if pair in pairs}

        return {
            "shingles": of("shingles", works.THRESHOLD, "--shingle_size", "5", "--measure", "share"),
            "long_sent": of("long_sent"),
            "tf_idf": of("tf_idf", None, "--weight", "bm25"),
        }

    def sections(self, kind, documents, works_of, variants=tuple(SECTION_VARIANTS), runs=1):
        """Returns the decisions of the variants of the section method, and what each cost; verdicts are compared with those of the first."""
        listed, out = self.work / "sections.pairs.tsv", self.work / "sections.jsonl"
        lines = [f"1.0\t{copy}\t{work}" for copy, work in works_of.items()]
        listed.write_text("\n".join(["similarity\tdocument_1\tdocument_2", *lines]) + "\n")
        decided, rows = {}, []
        for name in variants:
            command = ["compare_sections", documents, "--pairs", listed, "--format", "json", "--most_passages", "1", "--out", out, *SECTION_VARIANTS[name]]
            seconds = min(timed(command) for _ in range(runs))
            reports = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
            decided[name] = {report["document_1"] for report in reports if report["copied"]}
            others = len(decided[name] ^ decided["sections"])
            rows.append([kind, name, sum(report["compared_block_pairs"] for report in reports), f"{seconds:.3f}", len(decided[name]), others])
        return decided, rows


def create(documents, method, folder, *flags):
    """Creates the prints of documents below a folder; returns the path of their list."""
    listed = pathlib.Path(folder) / "print_paths"
    listed.parent.mkdir(exist_ok=True)
    execute(["create_prints", "--method", method, "--json_lines", documents, "--print_dir", f"{folder}/prints", "--print_paths", listed, *flags])
    return listed


def match(listed, *flags):
    """Returns the pairs of match_prints."""
    out = listed.with_suffix(".tsv")
    execute(["match_prints", "--print_paths", listed, "--out", out, *flags])
    return {frozenset(row.split("\t")[1:3]) for row in out.read_text(encoding="utf-8").splitlines()[1:]}


def execute(command):
    """Runs an executable; its messages are shown, its failure ends the run."""
    subprocess.run([*map(str, command), "--no_sync", "--quiet", "--threads", str(THREADS)], check=True, env=os.environ)


def timed(command):
    """Runs an executable; returns the seconds that it took."""
    start = time.monotonic()
    execute(command)
    return time.monotonic() - start


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
