"""Speed and size of the n-gram index, next to tantivy with the same hashes as terms.

    python3 -m bench.ngrams STEP COLLECTION WORK RESULTS [TANTIVY]

Steps, in order; each takes less than three minutes on two cores:
    prepare         creates the collection and a query of 5,000 words
    index           ngram_index add
    search          ngram_search: lookup alone, with passages; warm, and with the files of the index evicted from the page cache
    tantivy_build   the same hashes as terms of a tantivy index
    tantivy_search  the same query, and whether the matches are the same
    page            RESULTS/speed.csv and README.md, from the raw numbers of all collections

COLLECTION is a number of documents of create_corpus, or a file of JSON Lines. Raw numbers go to RESULTS/DATE-COMMIT-ngrams.csv.
"""

import csv
import datetime
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time

from bench.measure import commit, describe_machine

LENGTH = 7
THREADS = 2
WARM_RUNS, COLD_RUNS, BUILD_RUNS = 11, 5, 3
# Larger collections are indexed once.
REPEATED_BYTES = 400_000_000
QUERY_WORDS = 5000
DOCUMENTS_PER_FILE = 1000
TIMES = re.compile(r"index opened in ([\d.]+) ms; n-grams ([\d.]+) ms, lookup ([\d.]+) ms, passages ([\d.]+) ms")
COLUMNS = "collection tool measure repetition value unit command commit".split()


class Bench:
    """One collection: its files, and the raw numbers."""

    def __init__(self, collection, work, results):
        source = pathlib.Path(collection)
        self.source = source if source.suffix == ".jsonl" else None
        self.name = source.stem if self.source else f"synthetic_{collection}"
        self.documents = collection
        self.work = pathlib.Path(work) / self.name
        self.results = pathlib.Path(results)
        self.texts, self.index, self.query = self.work / "texts", self.work / "index", self.work / "query.txt"
        self.export, self.tantivy = self.work / "export.tsv", self.work / "tantivy"
        self.results.mkdir(parents=True, exist_ok=True)
        self.work.mkdir(parents=True, exist_ok=True)
        self.commit = commit()
        self.raw = self.results / f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}-{self.commit}-ngrams.csv"
        if not self.raw.exists():
            write_rows(self.raw, "w", [COLUMNS])
            describe_machine(self.raw.with_name(self.raw.stem + "-machine.txt"), "scripts/bench/ngrams.sh")

    def record(self, tool, measure, repetition, value, unit, command=""):
        words = [pathlib.Path(command[0]).name, *map(str, command[1:])] if command else []
        shown = " ".join(words).replace(f"{self.work}/", "")
        write_rows(self.raw, "a", [[self.name, tool, measure, repetition, f"{value:.6g}" if isinstance(value, float) else value, unit, shown, self.commit]])
        print(f"bench: {self.name}: {tool}: {measure}: {value:,.3f} {unit}", file=sys.stderr, flush=True)

    def prepare(self):
        """Writes the documents in files of a thousand: texts of sources are read again by file and line."""
        shutil.rmtree(self.work)
        self.texts.mkdir(parents=True)
        whole = self.source or self.work / "all.jsonl"
        if not self.source:
            run(["create_corpus", "--doc_count", self.documents, "--out", whole, "--quiet"])
        run(["split", "-l", DOCUMENTS_PER_FILE, "-d", "-a", 4, "--additional-suffix=.jsonl", whole, f"{self.texts}/"])
        if not self.source:
            whole.unlink()
        self.query.write_text(" ".join(self.query_words()) + "\n")

    def query_words(self):
        """Returns words of documents from all parts of the collection, each document whole but the last."""
        files = sorted(self.texts.iterdir())
        words = []
        for number in range(10 * QUERY_WORDS):
            with open(files[number * max(1, len(files) // 20) % len(files)]) as file:
                lines = file.readlines()
            words += json.loads(lines[number * 97 % len(lines)])["text"].split()
            if len(words) >= QUERY_WORDS:
                break
        return words[:QUERY_WORDS]

    def add(self):
        """Measures indexing, and the size of the index."""
        size = sum(path.stat().st_size for path in self.texts.iterdir())
        command = ["ngram_index", "add", self.texts, "--index", self.index, "-n", LENGTH, "--threads", THREADS, "--no_sync", "--quiet"]
        for flags, measure in [(["--no_stems"], "build without stems"), ([], "build")]:
            for repetition in range(1, 1 + (BUILD_RUNS if size < REPEATED_BYTES else 1)):
                shutil.rmtree(self.index, ignore_errors=True)
                ran = run([*command, *flags])
                self.record("nearsig", measure, repetition, ran.seconds, "s", [*command, *flags])
                self.record("nearsig", f"{measure} memory", repetition, ran.megabytes, "MB", [*command, *flags])
        text = 0
        for path in self.texts.iterdir():
            with open(path) as file:
                text += sum(len(json.loads(line)["text"].encode()) for line in file)
        stats = json.loads(run(["ngram_index", "stats", "--index", self.index, "--format", "jsonl", "--quiet"]).out)
        listed = run(["ngram_index", "list", "--index", self.index, "--format", "tsv", "--quiet"]).out.splitlines()[1:]
        of_kinds = list(stats["lengths"] if "lengths" in stats else stats["ngrams"])
        of_length = of_kinds[0]
        for measure, value, unit in [
            ("text", text, "bytes"),
            ("words", sum(int(line.split("\t")[3]) for line in listed), "words"),
            ("documents", stats["documents"], "documents"),
            ("postings", of_length["postings"], "postings"),
            ("postings and directory", of_length["bytes"], "bytes"),
            ("postings with those of stems", sum(kind["postings"] for kind in of_kinds), "postings"),
            ("index", stats["bytes"], "bytes"),
        ]:
            self.record("nearsig", measure, 1, value, unit)

    def search(self):
        """Measures queries, as whole processes and by phase."""
        for form, measure in [("text", "search"), ("jsonl", "search with passages")]:
            command = ["ngram_search", self.query, "--index", self.index, "--format", form, "--threads", THREADS, "-v"]
            for state, runs in [("warm", WARM_RUNS), ("cold", COLD_RUNS)]:
                run(command)
                for repetition in range(1, runs + 1):
                    if state == "cold":
                        evict(self.index)
                    self.record_search(measure, state, repetition, command)

    def record_search(self, measure, state, repetition, command):
        ran = run(command)
        opened, ngrams, lookup, passages = map(float, TIMES.search(ran.messages).groups())
        phases = [("", 1000 * ran.seconds), (", index opened", opened), (", n-grams", ngrams), (", lookup", lookup), (", passages", passages)]
        for phase, value in phases:
            self.record("nearsig", f"{measure}, {state}{phase}", repetition, value, "ms", command)

    def tantivy_build(self, program):
        export_words(self.index, self.export)
        shutil.rmtree(self.tantivy, ignore_errors=True)
        command = [program, "build", self.export, self.tantivy, THREADS]
        ran = run(command)
        committed, merged, size = ran.out.split()
        self.record("tantivy", "build", 1, float(committed), "s", command)
        self.record("tantivy", "build and merge", 1, float(merged), "s", command)
        self.record("tantivy", "index", 1, int(size), "bytes", command)

    def tantivy_search(self, program):
        """Measures the same query in a process that stays, and compares the sources."""
        own = self.work / "query.index"
        shutil.rmtree(own, ignore_errors=True)
        run(["ngram_index", "add", self.query, "--index", own, "-n", LENGTH, "--quiet"])
        hashes = self.work / "query.tsv"
        export_words(own, hashes)
        command = [program, "search", hashes, self.tantivy, THREADS, WARM_RUNS]
        ran = run(command)
        self.record("tantivy", "search, warm, lookup in a process that stays", 1, float(ran.out.split()[1]), "ms", command)
        command[-1] = 1
        for state, runs in [("warm", WARM_RUNS), ("cold", COLD_RUNS)]:
            for repetition in range(1, runs + 1):
                if state == "cold":
                    evict(self.tantivy)
                ran = run(command)
                self.record("tantivy", f"search, {state}", repetition, 1000 * ran.seconds, "ms", command)
                self.record("tantivy", f"search, {state}, lookup", repetition, float(ran.out.split()[1]), "ms", command)
        theirs = dict(line.split("\t") for line in ran.out.splitlines()[1:])
        ours = self.sources()
        same = set(theirs) == set(ours)
        self.record("tantivy", "sources", 1, len(theirs), "documents")
        self.record("nearsig", "sources", 1, len(ours), "documents")
        if not same:
            raise SystemExit(f"{self.name}: different sources: {sorted(set(theirs) ^ set(ours))[:5]}")
        counts = {name: count for name, count in theirs.items() if int(count) != ours[name]}
        self.record("tantivy", "sources with another number of n-grams", 1, len(counts), "documents")

    def sources(self):
        """Returns all documents with an n-gram of the query, with the number of n-grams in common."""
        command = ["ngram_search", self.query, "--index", self.index, "--format", "xml", "-a", "0", "-m", "0", "--out", self.work / "found.xml", "--quiet"]
        run(command)
        found = {}
        for line in (self.work / "found.xml").read_text().splitlines():
            source = re.match(r'    <source id="([^"]*)" similarity="[^"]*" ngrams="(\d+)"', line)
            if source:
                found[source[1]] = int(source[2])
        return found


class Ran:
    """Outcome of a process."""

    def __init__(self, seconds, megabytes, out, messages):
        self.seconds, self.megabytes, self.out, self.messages = seconds, megabytes, out, messages


def run(command):
    """Runs a command that must succeed."""
    words = [str(word) for word in command]
    start = time.perf_counter()
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    out, messages = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(words)}: exit code {process.returncode}: {messages}")
    return Ran(seconds, usage.ru_maxrss / 1024, out, messages)


def export_words(index, path):
    """Writes the hashes of the n-grams of words: one line per document."""
    whole = path.with_suffix(".all")
    run(["ngram_index", "export", "--index", index, "--out", whole, "--quiet"])
    with open(whole) as lines, open(path, "w") as words:
        words.writelines(line for line in lines if line.split("\t", 2)[1] == str(LENGTH))
    whole.unlink()


def evict(folder):
    """Removes the files of a folder from the page cache."""
    os.sync()
    for path in pathlib.Path(folder).iterdir():
        descriptor = os.open(path, os.O_RDONLY)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)


def write_rows(path, mode, rows):
    with open(path, mode, newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def date_of(path):
    """Returns the date of the numbers in a file: the first line of the description of the machine."""
    return path.with_name(path.stem + "-machine.txt").read_text().partition("\n")[0]


def latest(results):
    """Returns the last measured values by collection, tool and measure, and the commits they are of."""
    values, commits = {}, {}
    for path in sorted(results.glob("????-??-??-*-ngrams.csv"), key=date_of):
        with open(path, newline="") as file:
            own = {}
            for row in csv.DictReader(file):
                own.setdefault((row["collection"], row["tool"], row["measure"]), {})[row["repetition"]] = float(row["value"])
                commits[row["collection"]] = row["commit"]
            values |= {key: statistics.median(of_key.values()) for key, of_key in own.items()}
    return values, commits


# Column, and the function of a collection's values.
TABLE = [
    ("documents", lambda of: of("documents")),
    ("words", lambda of: of("words")),
    ("text_megabytes", lambda of: of("text") / 1e6),
    ("megabytes_per_second", lambda of: of("text") / 1e6 / of("build")),
    ("words_per_second", lambda of: of("words") / of("build")),
    ("megabytes_per_second_without_stems", lambda of: of("text") / 1e6 / of("build without stems")),
    ("words_per_second_without_stems", lambda of: of("words") / of("build without stems")),
    ("build_seconds", lambda of: of("build")),
    ("build_megabytes", lambda of: of("build memory")),
    ("postings", lambda of: of("postings")),
    ("bytes_per_posting", lambda of: of("postings and directory") / of("postings")),
    ("bytes_per_posting_with_catalogue", lambda of: of("index") / of("postings with those of stems")),
    ("lookup_warm_ms", lambda of: of("search, warm, lookup")),
    ("search_warm_ms", lambda of: of("search, warm")),
    ("passages_warm_ms", lambda of: of("search with passages, warm")),
    ("phases_warm_ms", lambda of: sum(of(f"search with passages, warm, {phase}") for phase in ("n-grams", "lookup", "passages"))),
    ("lookup_cold_ms", lambda of: of("search, cold, lookup")),
    ("search_cold_ms", lambda of: of("search, cold")),
    ("tantivy_build_seconds", lambda of: of("build and merge", "tantivy")),
    ("tantivy_bytes_per_posting", lambda of: of("index", "tantivy") / of("postings")),
    ("tantivy_lookup_warm_ms", lambda of: of("search, warm, lookup", "tantivy")),
    ("tantivy_lookup_of_open_index_ms", lambda of: of("search, warm, lookup in a process that stays", "tantivy")),
    ("tantivy_lookup_cold_ms", lambda of: of("search, cold, lookup", "tantivy")),
]

TEXT = """# N-gram index: speed and size

Written by `scripts/bench/ngrams.sh` from the raw numbers beside it; n = {length}, {threads} threads, every n-gram stored. Medians. Collections: `synthetic_N` are N documents of `create_corpus`;
`english` and `cyrillic` are manual pages of Debian (`scripts/collect/collections.sh manpages`). All are JSON Lines, {per_file} documents per file.

{table}

- **build** reads, normalizes, hashes, sorts and writes; MB and words are those of the texts, without JSON. Memory is the peak of the process. The index also has
  n-grams of stems, by which `ngram_search` finds obfuscated copies; **without stems** is `--no_stems`.
- **lookup** goes from the hashes of a document of {words} words to its sources, in one new process per query; **search** is that whole process, from its start to its end; **with passages**
  also reads the texts of sources again and aligns them; without start and end of the process, it is the sum of the phases that `ngram_search -v` prints. Cold: the files of the index were evicted from the page cache before.
- **tantivy** 0.27 has the same hashes as `u64` terms, without norms, columns and positions, in one segment. Its time to build begins with the hashes in memory: reading, normalizing and hashing are not
  included. Its lookups are in one new process per query, too, or repeated in one process, where its memory-mapped pages are known already. Both give the same sources: that is checked, and
  with the same numbers of n-grams where the query has each n-gram once (`ngram_search` counts repeated ones).
"""
ROWS = [
    ("documents", "documents", 0),
    ("text, MB", "text_megabytes", 0),
    ("build, MB/s", "megabytes_per_second", 1),
    ("build, million words/s", "words_per_second", -6),
    ("without stems, MB/s", "megabytes_per_second_without_stems", 1),
    ("without stems, million words/s", "words_per_second_without_stems", -6),
    ("build, s", "build_seconds", 2),
    ("peak memory, MB", "build_megabytes", 0),
    ("postings, millions", "postings", -6),
    ("bytes per posting", "bytes_per_posting", 2),
    ("of the index per posting, stems included", "bytes_per_posting_with_catalogue", 2),
    ("lookup, warm, ms", "lookup_warm_ms", 1),
    ("search, warm, ms", "search_warm_ms", 1),
    ("search with passages, warm, ms", "passages_warm_ms", 1),
    ("– without start and end of the process", "phases_warm_ms", 1),
    ("lookup, cold, ms", "lookup_cold_ms", 1),
    ("search, cold, ms", "search_cold_ms", 1),
    ("tantivy: build from hashes, s", "tantivy_build_seconds", 2),
    ("tantivy: bytes per posting", "tantivy_bytes_per_posting", 2),
    ("tantivy: lookup, warm, ms", "tantivy_lookup_warm_ms", 1),
    ("tantivy: repeated lookups of one process, ms", "tantivy_lookup_of_open_index_ms", 1),
    ("tantivy: lookup, cold, ms", "tantivy_lookup_cold_ms", 1),
]


def page(results):
    """Writes the table and the page."""
    values, commits = latest(results)
    rows = []
    for name in sorted(commits, key=order):
        row = {"collection": name, "commit": commits[name]}
        for column, compute in TABLE:
            try:
                row[column] = f"{compute(lambda measure, tool='nearsig', name=name: values[name, tool, measure]):.6g}"
            except KeyError:
                row[column] = ""
        rows.append(row)
    write_rows(results / "speed.csv", "w", [list(rows[0]), *(list(row.values()) for row in rows)])
    lines = [["", *(row["collection"] for row in rows)], ["---"] * (1 + len(rows))]
    lines += [[title, *(shown(row[column], digits) for row in rows)] for title, column, digits in ROWS]
    table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    text = TEXT.format(length=LENGTH, threads=THREADS, per_file=f"{DOCUMENTS_PER_FILE:,}", words=f"{QUERY_WORDS:,}", table=table)
    (results / "README.md").write_text(text)


def order(name):
    number = name.rpartition("_")[2]
    return (0, int(number), name) if number.isdigit() else (1, 0, name)


def shown(value, digits):
    """Returns a number for the page; with negative digits, in millions."""
    if value == "":
        return "–"
    return f"{float(value) / 1e6:,.2f}" if digits < 0 else f"{float(value):,.{digits}f}"


def main(step, collection, work, results, *program):
    if step == "page":
        page(pathlib.Path(results))
        return
    bench = Bench(collection, work, results)
    steps = {"prepare": bench.prepare, "index": bench.add, "search": bench.search, "tantivy_build": bench.tantivy_build, "tantivy_search": bench.tantivy_search}
    steps[step](*program)


if __name__ == "__main__":
    main(*sys.argv[1:])
