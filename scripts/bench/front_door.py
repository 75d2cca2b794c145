"""find_near_dups against the libraries people use for the same: from text on disk to near-duplicates. Started by scripts/bench.sh.

    front_door.py small|full WORK_FOLDER RESULT_FOLDER
"""

import csv
import datetime
import pathlib
import sys

import data
import report
from measure import ROOT, THREADS, Contender, Measurements, commit, describe_machine, remove, run_ours

#                documents, of peers that need minutes, in the large collection, repetitions of what takes seconds, and in the large collection
SIZES = {"small": (5_000, 2_000, 20_000, 2, 2), "full": (100_000, 100_000, 1_000_000, 5, 2)}
THRESHOLD = 0.8
COMMAND = f"find_near_dups {{corpus}} --threshold {THRESHOLD} --out f.pairs.tsv"
MOST_MEMORY = 3  # times the input
MOST_GROWTH = 18  # times as long for ten times the documents

# Peer, wanted ratio of rates.
WANTED = {"rensa": 2.5, "datasketch": 50, "datasketch in batches": 50, "text-dedup": 50}


class FrontDoor:
    def __init__(self, size, work, results):
        self.size, self.work = size, work
        self.documents, self.slow_documents, self.many, self.repetitions, self.large_repetitions = SIZES[size]
        for folder in (work, results):
            folder.mkdir(parents=True, exist_ok=True)
        self.stem = results / f"{datetime.date.today()}-{commit()}-front_door"
        self.kept = Measurements(self.stem)

    def run(self):
        describe_machine(f"{self.stem}-machine.txt", f"scripts/bench.sh {self.size} front_door: {self.documents:,} and {self.many:,} documents of 250 words")
        self.small_collection()
        self.slow_peers()
        self.large_collection()
        table = report.front_door(pathlib.Path(f"{self.stem}.csv"), WANTED)
        print(table)
        if self.size == "full":
            report.update(ROOT / "README.md", table, "front_door")
        return 1 if self.kept.disagreements() else 0

    def corpus(self, name, documents):
        run_ours(self.work, [f"create_corpus --doc_count {documents} --out {name}.jsonl --truth {name}.truth"], 0)
        return self.work / f"{name}.jsonl"

    def mine(self, corpus):
        return lambda threads: run_ours(self.work, [COMMAND.format(corpus=corpus.name)], threads)

    def small_collection(self):
        corpus = self.corpus("f", self.documents)
        rensa = Contender("rensa", [corpus], [self.work / "flagged.npy"], repetitions=self.repetitions)
        self.kept.alternate("front_door", self.mine(corpus), [rensa], self.repetitions, self.documents, "documents")
        self.check_planted(corpus)
        self.check_memory("front_door", corpus)

    def slow_peers(self):
        """Those that need minutes: once, with all threads where they have them. Ours runs beside them again, before and after."""
        corpus = self.corpus("g", self.slow_documents)
        slow = [Contender(name, [corpus], threads=THREADS[-1:], repetitions=1) for name in ("datasketch", "datasketch in batches", "text-dedup")]
        self.kept.alternate("front_door_slow", self.mine(corpus), slow, self.repetitions, self.slow_documents, "documents")
        remove(self.work, "g.*")

    def large_collection(self):
        corpus = self.corpus("h", self.many)
        self.kept.alternate("front_door_large", self.mine(corpus), [], self.large_repetitions, self.many, "documents")
        self.check_memory("front_door_large", corpus)
        medians = report.Medians(f"{self.stem}.csv")
        growth = medians.of("front_door_large", "nearsig")[0] / medians.of("front_door", "nearsig")[0]
        times = self.many / self.documents
        most = MOST_GROWTH / 10 * times
        self.kept.check("front_door_large", f"times as long for {times:g} times the documents, at most {most:g}", f"{growth:.1f}", f"{most:g}", growth <= most)
        remove(self.work, "h.*")

    def check_planted(self, corpus):
        """Of the planted pairs whose cosine reaches the threshold: those that we have found, and those of which the peer has flagged one document."""
        near = data.planted_above(corpus, self.work / "f.truth", THRESHOLD)
        with open(self.work / "f.pairs.tsv") as lines:
            found = {frozenset(row[1:3]) for row in csv.reader(lines, delimiter="\t")}
        ours = sum(frozenset(pair) in found for pair in near) / len(near)
        flagged = data.flagged(self.work / "flagged.npy")
        theirs = sum(not flagged.isdisjoint(pair) for pair in near) / len(near)
        self.kept.check("front_door", f"share of {len(near)} planted pairs with a cosine of at least {THRESHOLD}, rensa", f"{ours:.4f}", f"{theirs:.4f}", ours >= theirs)

    def check_memory(self, row, corpus):
        size = corpus.stat().st_size / 2**20
        peaks = [float(run[9].rpartition("peak memory ")[2].split()[0]) for run in self.kept.runs if run[:2] == [row, "nearsig"]]
        self.kept.check(row, f"peak memory in MB, at most {MOST_MEMORY} times the input", f"{max(peaks):.0f}", f"{size:.0f}", max(peaks) < MOST_MEMORY * size)


if __name__ == "__main__":
    size, work, results = sys.argv[1:]
    sys.exit(FrontDoor(size, pathlib.Path(work).resolve(), pathlib.Path(results).resolve()).run())
