"""find_near_dups against deduplication libraries, from text on disk to near-duplicates. Started by scripts/bench.sh.

    python -m bench.find_near_dups small|full WORK_FOLDER RESULT_FOLDER [EARLIER]

EARLIER is an executable of an earlier commit, named find_near_dups@COMMIT.
"""

import csv
import dataclasses
import datetime
import filecmp
import pathlib
import sys

from bench import data, page, raw
from bench.measure import THREADS, Baseline, Measurements, commit, describe_machine, remove, run_ours

THRESHOLD = 0.8
# Threshold with many candidates, and maximum seconds with all threads.
LOW_THRESHOLD, MAX_SECONDS = 0.5, 7.6
# Times the input.
MAX_MEMORY = 3
# Megabytes that even a small input may take: the program, text being read, term tables.
FIXED_MEMORY = 64
# Times the time for ten times the documents.
MAX_GROWTH = 18
SLOW_BASELINES = ("datasketch", "datasketch in batches", "text-dedup")


@dataclasses.dataclass(frozen=True)
class Size:
    """Numbers of documents: of the main collection, for slow baselines, of the large collection; and repetitions on the first, the last, and next to an earlier commit."""

    documents: int
    slow_documents: int
    large_documents: int
    repetitions: int
    large_repetitions: int
    earlier_repetitions: int


SIZES = {"small": Size(5_000, 2_000, 20_000, 2, 2, 3), "full": Size(100_000, 100_000, 1_000_000, 5, 2, 15)}


class Benchmark:
    """All rows of one run."""

    def __init__(self, size, work, results, earlier=None):
        self.name, self.size, self.work, self.results, self.earlier = size, SIZES[size], work, results, earlier
        for folder in (work, results):
            folder.mkdir(parents=True, exist_ok=True)
        self.stem = results / f"{datetime.date.today()}-{commit()}-{raw.FIND_NEAR_DUPS}"
        self.measurements = Measurements(self.stem)

    def run(self):
        size = self.size
        against = f" {self.earlier.name.partition('@')[2]}" if self.earlier else ""
        describe_machine(f"{self.stem}-machine.txt", f"scripts/bench.sh {self.name} find_near_dups{against}: {size.documents:,} and {size.large_documents:,} documents of 250 words")
        self.main_collection()
        if self.earlier:
            self.earlier_commit()
        self.slow_baselines()
        self.large_collection()
        page.write(self.results)
        print(page.find_near_dups(self.results))
        return 1 if self.measurements.disagreements() else 0

    def corpus(self, name, documents):
        run_ours(self.work, [f"create_corpus --doc_count {documents} --out {name}.jsonl --truth {name}.truth"], 0)
        return self.work / f"{name}.jsonl"

    def ours(self, corpus):
        return lambda threads: run_ours(self.work, [command(corpus, THRESHOLD)], threads)

    def main_collection(self):
        size, corpus = self.size, self.corpus("f", self.size.documents)
        rensa = Baseline("rensa", [corpus], [self.work / "flagged.npy"], repetitions=size.repetitions)
        self.measurements.alternate("find_near_dups", self.ours(corpus), [rensa], size.repetitions, size.documents, "documents")
        self.check_planted(corpus)
        self.check_memory("find_near_dups", corpus)
        if self.name == "full":
            seconds, _, _ = run_ours(self.work, [command(corpus, LOW_THRESHOLD)], THREADS[-1])
            check = f"seconds at a cosine of at least {LOW_THRESHOLD}, at most {MAX_SECONDS}"
            self.measurements.check("find_near_dups", check, f"{seconds:.1f}", MAX_SECONDS, seconds <= MAX_SECONDS)

    def earlier_commit(self):
        """Runs our executable and the earlier one in turn. Each is the first of every second pair: what runs first may find the machine in another state."""
        size, corpus = self.size, self.work / "f.jsonl"
        programs = {page.OURS: "find_near_dups", self.earlier.name.replace("find_near_dups", page.OURS): str(self.earlier)}
        for threads in THREADS:
            for repetition in range(1, size.earlier_repetitions + 1):
                for tool in sorted(programs, reverse=repetition % 2 == 0):
                    told = run_ours(self.work, [command(corpus, THRESHOLD, programs[tool], f"{tool}.tsv")], threads)
                    self.measurements.record(page.EARLIER, tool, threads, repetition, told[0], size.documents, "documents", told[1].replace(f"{self.earlier.parent}/", ""), told[2])
        ours, theirs = (self.work / f"{tool}.tsv" for tool in programs)
        agrees = filecmp.cmp(ours, theirs, shallow=False)
        self.measurements.check(page.EARLIER, "bytes of pairs, as of the earlier commit", ours.stat().st_size, theirs.stat().st_size, agrees)

    def slow_baselines(self):
        """Runs baselines that take minutes once, with all threads, and ours next to them again."""
        size, corpus = self.size, self.corpus("g", self.size.slow_documents)
        slow = [Baseline(name, [corpus], threads=THREADS[-1:], repetitions=1) for name in SLOW_BASELINES]
        self.measurements.alternate("find_near_dups_slow", self.ours(corpus), slow, size.repetitions, size.slow_documents, "documents")
        remove(self.work, "g.*")

    def large_collection(self):
        size, corpus = self.size, self.corpus("h", self.size.large_documents)
        self.measurements.alternate("find_near_dups_large", self.ours(corpus), [], size.large_repetitions, size.large_documents, "documents")
        self.check_memory("find_near_dups_large", corpus)
        run = raw.Run(f"{self.stem}.csv")
        growth = run.median("find_near_dups_large", "nearsig")[0] / run.median("find_near_dups", "nearsig")[0]
        times = size.large_documents / size.documents
        limit = MAX_GROWTH / 10 * times
        check = f"time for {times:g} times the documents, at most {limit:g} times as long"
        self.measurements.check("find_near_dups_large", check, f"{growth:.1f}", f"{limit:g}", growth <= limit)
        remove(self.work, "h.*")

    def check_planted(self, corpus):
        """Compares the share of planted pairs at or above the threshold that we find with those of which the baseline flags a document."""
        near = data.planted_above(corpus, self.work / "f.truth", THRESHOLD)
        with open(self.work / "f.pairs.tsv") as lines:
            found = {frozenset(row[1:3]) for row in csv.reader(lines, delimiter="\t")}
        ours = sum(frozenset(pair) in found for pair in near) / len(near)
        flagged = data.flagged(self.work / "flagged.npy")
        theirs = sum(not flagged.isdisjoint(pair) for pair in near) / len(near)
        check = f"share of {len(near)} planted pairs with a cosine of at least {THRESHOLD}, rensa"
        self.measurements.check("find_near_dups", check, f"{ours:.4f}", f"{theirs:.4f}", ours >= theirs)

    def check_memory(self, row, corpus):
        size = corpus.stat().st_size / 2**20
        peaks = [raw.outcome(run[9])[2] for run in self.measurements.runs if run[:2] == [row, "nearsig"]]
        self.measurements.check(row, f"peak memory in MB, at most {MAX_MEMORY} times the input or {FIXED_MEMORY}", f"{max(peaks):.0f}", f"{size:.0f}", max(peaks) < max(MAX_MEMORY * size, FIXED_MEMORY))


def command(corpus, threshold, program="find_near_dups", out="f.pairs.tsv"):
    return f"{program} {corpus.name} --threshold {threshold} --out {out}"


if __name__ == "__main__":
    size, *paths = sys.argv[1:]
    sys.exit(Benchmark(size, *(pathlib.Path(path).resolve() for path in paths)).run())
