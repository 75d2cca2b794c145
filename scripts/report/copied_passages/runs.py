"""Runs of the executables: one table per question, in a folder of tables. Tables that exist are kept, so that a stopped run resumes."""

import csv
import json
import pathlib
import re
import sys
from fnmatch import fnmatch

from ..fingerprints import texts
from ..fingerprints.runs import execute, read_csv, write_csv
from . import corpus, extraction, insertions, pages, samples, search
from .plan import CONDITIONS, LENGTH

OWN, PAN13, WIKIPEDIA = "own", "pan13", "wikipedia"
# The rules without stop words, next to the presets.
NO_STOP_WORDS = "default, no stop words"
SCORES = ("cases", "detections", "document_precision", "document_recall", "precision", "recall", "granularity", "plagdet")
# A text for the arithmetic of n-grams: this many words, one inserted in the middle.
ARITHMETIC = (5, 25)


class Runner:
    """Paths of a run: collections and corpora to read, working data, and tables to write."""

    def __init__(self, plan, collections, work, tables, pan13=None, wikipedia=None):
        self.plan, self.pan13, self.wikipedia = plan, pan13, wikipedia
        self.collections, self.work, self.tables = map(pathlib.Path, (collections, work, tables))
        self.work.mkdir(parents=True, exist_ok=True)
        self.tables.mkdir(parents=True, exist_ok=True)

    def steps(self):
        """Returns {table: function that writes it}."""
        found = {
            "documents": self.documents,
            f"table_6_1-{OWN}": lambda: self.table_6_1(*self.own_groups()),
            "table_6_2": self.table_6_2,
            f"table_6_3-{OWN}": lambda: self.table_6_3(OWN, [self.own() / "sources.jsonl"]),
            f"lengths-{OWN}": self.lengths,
            f"sources-{OWN}": self.sources,
            f"evaluation-{OWN}": self.evaluation,
            f"resistance-{OWN}": self.resistance,
            f"insertions-{OWN}": lambda: self.insertions(self.own() / "sources.jsonl"),
            "changed_pages-bible": self.bible,
            "arithmetic": self.arithmetic,
            "identical": self.identical,
        }
        if self.pan13:
            found[f"table_6_1-{PAN13}"] = lambda: self.table_6_1(*self.pan13_groups())
            found[f"table_6_3-{PAN13}"] = lambda: self.table_6_3(PAN13, [self.pan13_documents()[0]])
        if self.wikipedia:
            found[f"table_6_3-{WIKIPEDIA}"] = lambda: self.table_6_3(WIKIPEDIA, [self.latest()])
            found[f"insertions-{WIKIPEDIA}"] = lambda: self.insertions(self.latest())
            found["changed_pages-wikipedia"] = self.changed_articles
        if not self.plan.small:
            for name, measure in extraction.steps(self.plan["extraction"], self.work).items():
                found[name] = measure
        return found

    def all(self, wanted=("*",)):
        """Runs the steps whose tables are missing and whose names match a pattern."""
        for name, step in self.steps().items():
            path = self.tables / f"{name}.csv"
            if path.exists() or not any(fnmatch(name, pattern) for pattern in wanted):
                continue
            print(f"copied_passages: {name}", file=sys.stderr, flush=True)
            table = step()
            if table is not None:
                write_csv(path, *table)

    # Corpora.

    def own(self):
        """Creates our corpus; returns its folder."""
        folder, settings = self.work / "corpus", self.plan["corpus"]
        if not (folder / "lengths.tsv").exists():
            corpus.write(self.collections / f"{settings['collection']}.jsonl", settings, folder)
        return folder

    def own_groups(self):
        """Returns (name, sources, suspicious documents, truth by document, groupings) of our corpus."""
        folder = self.own()
        known, lengths = (read_tsv(folder / name) for name in ("truth.tsv", "lengths.tsv"))
        truth = gather(known, "source")
        words = {name: [int(kind.split()[0]) for kind in kinds] for name, kinds in gather(lengths, "kind").items()}
        kinds = {row["suspicious"]: row["kind"] for row in known}
        originals = [name for name, _ in texts.read(folder / "suspicious.jsonl") if name not in truth]
        groupings = {"length": samples.of_lengths(words, originals, self.plan["table_6_1"]["large"]), "kind": samples.of_kinds(kinds, originals)}
        return OWN, [folder / "sources.jsonl"], folder / "suspicious.jsonl", truth, groupings

    def pan13_documents(self):
        """Splits PAN's documents; returns (sources, suspicious documents)."""
        folder = self.work / "pan13"
        paths = [folder / "sources.jsonl", folder / "suspicious.jsonl"]
        if not all(path.exists() for path in paths):
            folder.mkdir(parents=True, exist_ok=True)
            documents = list(texts.read(pathlib.Path(self.pan13) / "documents.jsonl.gz"))
            for path, prefix in zip(paths, ("source", "suspicious"), strict=True):
                texts.write(path, (document for document in documents if document[0].startswith(prefix)))
        return paths

    def pan13_groups(self):
        """Returns the same as own_groups, of PAN's corpus. Originals are documents all of whose pairs are listed without a copy."""
        sources, suspicious = self.pan13_documents()
        known, pairs = (read_tsv(pathlib.Path(self.pan13) / name) for name in ("truth.tsv", "pairs.tsv"))
        content = dict(texts.read(suspicious))
        truth, words = gather(known, "source"), {}
        for row in known:
            start = int(row["offset"])
            words.setdefault(row["suspicious"], []).append(len(content[row["suspicious"]][start : start + int(row["length"])].split()))
        kinds = {row["suspicious"]: row["kind"] for row in known}
        originals = [name for name, found in gather(pairs, "kind").items() if set(found) == {"no-plagiarism"}]
        groupings = {"length": samples.of_lengths(words, originals, self.plan["table_6_1"]["large"]), "kind": samples.of_kinds(kinds, originals)}
        return PAN13, [sources], suspicious, truth, groupings

    def latest(self):
        """Writes the latest version of every article."""
        path = self.work / "wikipedia-latest.jsonl"
        if not path.exists():
            texts.write(path, [versions[-1] for versions in pages.articles(self.wikipedia)])
        return path

    # Steps.

    def documents(self):
        """Numbers of documents and words."""
        parts = [(OWN, "sources", self.own() / "sources.jsonl"), (OWN, "suspicious", self.own() / "suspicious.jsonl")]
        if self.pan13:
            parts += [(PAN13, role, path) for role, path in zip(("sources", "suspicious"), self.pan13_documents(), strict=True)]
        if self.wikipedia:
            parts.append((WIKIPEDIA, "latest versions", self.latest()))
        rows = []
        for name, role, path in parts:
            counts = [len(text.split()) for _, text in texts.read(path)]
            rows.append([name, role, len(counts), sum(counts)])
        return ["corpus", "role", "documents", "words"], rows

    def indexed(self, name, inputs, preset, lengths=None):
        """Indexes documents by a preset, or by the rules without stop words."""
        rules = ["--config", self.plan.folder / self.plan["stop_words"]["config"]] if preset == NO_STOP_WORDS else ["--preset", preset]
        return search.index(self.work / "indexes" / f"{name}-{preset.replace(', ', '-').replace(' ', '_')}", inputs, lengths or self.plan.lengths, rules)

    def matches(self, place, inputs, length=LENGTH):
        """Returns all matches in an index."""
        return search.matches(place, inputs, length, self.plan["search"]["flags"], self.work / "matches.xml")

    def table_6_1(self, name, sources, suspicious, truth, groupings):
        """Shares of documents that are found by a and m, per group; of originals, those that are clean."""
        found = self.matches(self.indexed(name, sources, "pekar"), [suspicious])
        rows = []
        for condition in CONDITIONS:
            listed = {document: searched.listed(condition) for document, searched in found.items()}
            decisions = {document: bool(own & set(truth[document])) if document in truth else not own for document, own in listed.items()}
            for grouping, groups in groupings.items():
                for group, (count, *numbers) in samples.shares(decisions, groups, self.plan["table_6_1"]).items():
                    others = sum(bool(listed[document] - set(truth.get(document, ()))) for document in groups[group])
                    rows.append([name, grouping, group, condition, count, *(f"{number:.4f}" for number in numbers), others])
        return ["corpus", "grouping", "group", "condition", "documents", "share", "low", "high", "complete", "other_sources"], rows

    def table_6_2(self):
        """Copied pieces of the hand-made text that are found, by n and condition; and paragraphs that are listed with a wrong source."""
        folder = self.plan.folder / "lengths"
        truth = {int(row["paragraph"]): row["source"] for row in read_csv(folder / "truth.csv")}
        place = search.index(self.work / "indexes" / "lengths", [folder / "source.txt", folder / "other.txt"], self.plan.lengths, ["--preset", "pekar"])
        rows = []
        for length in self.plan.lengths:
            (searched,) = self.matches(place, [folder / "suspect.txt"], length).values()
            for condition in self.plan["table_6_2"]["conditions"]:
                if condition.startswith("m=") and int(condition[2:]) < length:
                    continue
                listed = {(number, pathlib.Path(name).name) for number, own in searched.paragraphs.items() for name, one in own.items() if one.meets(condition)}
                right = {(number, source) for number, source in listed if truth.get(number) == source}
                rows.append([length, condition, len(right), len(listed - right)])
        return ["n", "condition", "found", "false_alarms"], rows

    def table_6_3(self, name, sources):
        """Distinct n-grams by n, with punctuation removed."""
        place = self.indexed(name, sources, "pekar")
        out = self.work / "stats.json"
        execute(["ngram_index", "stats", "--index", place, "--format", "jsonl", "--out", out])
        counted = json.loads(out.read_text())["ngrams"]
        return ["corpus", "n", "postings", "distinct"], [[name, one["n"], one["postings"], one["distinct"]] for one in counted]

    def lengths(self):
        """Documents of the shortest copies that are found, and originals that are marked, by n and condition."""
        name, sources, suspicious, truth, groupings = self.own_groups()
        shortest = f"{min(self.plan['corpus']['lengths']):03} words"
        short = [row["suspicious"] for row in read_tsv(self.own() / "lengths.tsv") if row["kind"] == shortest]
        exact = [document for document in dict.fromkeys(short) if document in groupings["kind"]["exact"]]
        originals, rows = groupings["kind"][samples.ORIGINAL], []
        for length in self.plan.lengths:
            found = self.matches(self.indexed(name, sources, "pekar"), [suspicious], length)
            for condition in self.plan["table_6_2"]["conditions"]:
                if condition.startswith("m=") and int(condition[2:]) < length:
                    continue
                listed = {document: searched.listed(condition) for document, searched in found.items()}
                hits = sum(bool(listed[document] & set(truth[document])) for document in exact)
                rows.append([length, condition, len(exact), hits, len(originals), sum(bool(listed[document]) for document in originals)])
        return ["n", "condition", "documents", "found", "originals", "marked"], rows

    def sources(self):
        """Precision and recall of the sources that are listed by the limits of each preset, by n; recall per kind and length of copies, too."""
        name, sources, suspicious, truth, groupings = self.own_groups()
        originals, rows = groupings["kind"][samples.ORIGINAL], []
        known = {(document, source) for document, own in truth.items() for source in own}
        groups = {kind: set(documents) for kind, documents in groupings["kind"].items() if kind != samples.ORIGINAL} | gather_documents(read_tsv(self.own() / "lengths.tsv"))
        for preset, limit in self.limits().items():
            place = self.indexed(name, sources, preset)
            for length in self.plan.lengths:
                found = self.matches(place, [suspicious], length)
                listed = {(document, source) for document, searched in found.items() for source in searched.limited(limit["accuracy"], limit["run"], length)}
                marked = len({document for document, _ in listed} & set(originals))
                for group, documents in ({"all": set(truth)} | groups).items():
                    own = {pair for pair in known if pair[0] in documents}
                    precision = f"{len(listed & known) / len(listed):.6f}" if listed and group == "all" else ""
                    rows.append([preset, length, group, len(own), len(listed), precision, f"{len(listed & own) / len(own):.6f}", len(originals), marked])
        return ["preset", "n", "group", "pairs", "listed", "document_precision", "document_recall", "originals", "marked_originals"], rows

    def limits(self):
        """Returns the limits of the presets, and those of the rules without stop words."""
        return self.plan.presets | {NO_STOP_WORDS: self.plan.presets["default"]}

    def evaluation(self):
        """Measures of evaluate_search on our corpus: presets, lengths of n-grams, ways to align; per kind and length of copies."""
        folder, rows = self.own(), []
        originals = set(self.own_groups()[4]["kind"][samples.ORIGINAL])
        for align in self.plan["align"]:
            for preset in align["presets"]:
                place = self.indexed(OWN, [folder / "sources.jsonl"], preset)
                for length in self.plan.lengths:
                    found = search.passages(place, [folder / "suspicious.jsonl"], length, self.plan.presets[preset], align["flags"], self.work / "found.jsonl")
                    marked = {json.loads(line)["suspicious"] for line in found.read_text(encoding="utf-8").splitlines()}
                    groups = self.scores(found, folder / "truth.tsv") | {kind: row for kind, row in self.scores(found, folder / "lengths.tsv").items() if kind != "all"}
                    for group, row in groups.items():
                        rows.append([preset, length, align["name"], group, *(row[column] for column in SCORES), len(originals), len(marked & originals)])
        return ["preset", "n", "align", "group", *SCORES, "originals", "marked_originals"], rows

    def resistance(self):
        """Documents whose source is listed by the rules of each preset at the same limit, per kind of change."""
        name, sources, suspicious, truth, groupings = self.own_groups()
        condition, rows = f"a={self.plan['changed_pages']['accuracy']}%", []
        for preset in self.plan.presets:
            found = self.matches(self.indexed(name, sources, preset), [suspicious])
            for kind, documents in groupings["kind"].items():
                listed = {document: found[document].listed(condition) for document in documents}
                hits = sum(bool(own & set(truth.get(document, ()))) for document, own in listed.items())
                others = sum(bool(own - set(truth.get(document, ()))) for document, own in listed.items())
                rows.append([preset, kind, len(documents), hits, others])
        return ["preset", "kind", "documents", "found", "other_sources"], rows

    def scores(self, found, truth):
        """Returns the rows of evaluate_search by kind."""
        out = self.work / "scores.csv"
        execute(["evaluate_search", "--truth", truth, found, "--out", out])
        return {row["kind"]: row for row in read_csv(out)}

    def insertions(self, sources):
        """Documents of random text whose source is listed, by words of a paragraph, n and kind of insertion."""
        settings, rows = self.plan["insertions"], []
        place = self.indexed(f"insertions-{sources.stem}", [sources], "mensik")
        for words in settings["words"]:
            documents, truth = insertions.create(list(texts.read(sources)), settings | {"words": words})
            path = self.work / "insertions.jsonl"
            texts.write(path, documents)
            for length in self.plan.lengths:
                found = self.matches(place, [path], length)
                for kind in insertions.KINDS:
                    own = {document: source for document, (of, source) in truth.items() if of == kind}
                    listed = {document: found[document].listed(f"a={self.plan['changed_pages']['accuracy']}%") for document in own}
                    hits = sum(source in listed[document] for document, source in own.items())
                    others = sum(bool(listed[document] - {source}) for document, source in own.items())
                    rows.append([words, length, kind, len(own), hits, others])
        return ["words", "n", "kind", "documents", "found", "other_sources"], rows

    def changed_articles(self):
        """Changed pages: the first version of each article indexed and the last searched, and the last but one and the last."""
        articles, rows = pages.articles(self.wikipedia), []
        for name, old in (("first to last version", 0), ("last but one to last version", -2)):
            rows += self.changed(WIKIPEDIA, name, [versions[old] for versions in articles], [versions[-1] for versions in articles], pages.article)
        return pages.HEAD, rows

    def bible(self):
        """Chapters of one translation indexed, of others searched."""
        old, *others = self.plan["changed_pages"]["bible"]
        collection = "sample" if self.plan.small else "bible"
        documents, rows = list(texts.read(self.collections / f"{collection}.jsonl")), []
        of = {name: [document for document in documents if re.search(rf"\b{name}[./]", document[0])] for name in (old, *others)}
        for other in others:
            rows += self.changed("bible", f"{old} to {other}", of[old], of[other], pages.chapter)
        return pages.HEAD, rows

    def changed(self, collection, name, old, new, page):
        """Returns rows of changed pages: presets with n = 7, and the plan's preset with other lengths."""
        settings, rows = self.plan["changed_pages"], []
        stem = f"{collection}-{re.sub(r'[^a-z]+', '_', name)}"
        paths = [self.work / f"{stem}-{role}.jsonl" for role in ("old", "new")]
        for path, documents in zip(paths, (old, new), strict=True):
            texts.write(path, documents)
        for preset in self.plan.presets:
            place = self.indexed(stem, [paths[0]], preset)
            for length in self.plan.lengths if preset == settings["preset"] else (LENGTH,):
                found = self.matches(place, [paths[1]], length)
                counts = pages.count(old, new, found, page, f"a={settings['accuracy']}%")
                rows.append([collection, name, preset, length, *counts])
        return rows

    def arithmetic(self):
        """3-grams of a text of different words, and those that are left after one word is inserted in the middle."""
        rows = []
        for count in ARITHMETIC:
            words = [f"word{chr(97 + at)}" for at in range(count)]
            texts.write(self.work / "plain.jsonl", [("plain", " ".join(words))])
            texts.write(self.work / "inserted.jsonl", [("plain copy", " ".join(words)), ("inserted", " ".join([*words[: count // 2], "inserted", *words[count // 2 :]]))])
            place = search.index(self.work / "indexes" / f"arithmetic-{count}", [self.work / "plain.jsonl"], [3], ["--preset", "pekar"])
            found = self.matches(place, [self.work / "inserted.jsonl"], 3)
            whole, changed = found["plain copy"], found["inserted"]
            rows.append([count, whole.ngrams, changed.ngrams, changed.ngrams - round(changed.ngrams * changed.sources["plain"].similarity)])
        return ["words", "ngrams", "ngrams_inserted", "affected"], rows

    def identical(self):
        """Similarity of texts that are not identical by Menšík's rules: short words replaced, and the long words of an n-gram in another order."""
        text = "the seven words below this are those that ngrams have: garden window summer letter bridge castle forest"
        changes = {
            "the same text": text,
            "other short words": text.replace("the seven", "our seven").replace("are those", "can those"),
            "other order of long words": "the forest castle this are bridge letter summer have: window garden those that ngrams below words seven",
        }
        path = self.work / "identical.jsonl"
        texts.write(path, [("text", text)])
        texts.write(self.work / "changes.jsonl", list(changes.items()))
        # As many words as the text has, so that there is one n-gram.
        count = sum(len(word.strip(":")) > 3 for word in text.split())
        rows = []
        for length in (LENGTH, count):
            place = search.index(self.work / "indexes" / f"identical-{length}", [path], [length], ["--preset", "mensik"])
            found = self.matches(place, [self.work / "changes.jsonl"], length)
            rows += [[length, name, f"{found[name].sources['text'].similarity if 'text' in found[name].sources else 0:.4f}"] for name in changes]
        return ["n", "change", "similarity"], rows


def read_tsv(path):
    """Returns the rows of a table with tabs."""
    with open(path, encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t"))


def gather_documents(rows):
    """Returns the suspicious documents of each kind."""
    found = {}
    for row in rows:
        found.setdefault(row["kind"], set()).add(row["suspicious"])
    return found


def gather(rows, column):
    """Returns the values of a column by suspicious document."""
    found = {}
    for row in rows:
        found.setdefault(row["suspicious"], []).append(row[column])
    return found
