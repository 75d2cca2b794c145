"""find_near_dups and similarity on real collections. Started by scripts/bench.sh.

    python -m bench.real small|full WORK_FOLDER RESULT_FOLDER COLLECTION_FOLDER
"""

import dataclasses
import datetime
import hashlib
import os
import pathlib
import subprocess
import sys

import numpy as np

from bench import data, page, raw, real_page
from bench.measure import Baseline, Measurements, commit, describe_machine, remove, run_one, run_ours, say
from report.origin import ROOT

THRESHOLD = "0.8"
THREADS = 2
# Numbers of threads with the same output.
THREAD_COUNTS = (1, 2, 8, 64)
# Seconds below which forecasts are not compared: they have one decimal.
MIN_SECONDS = 0.1


@dataclasses.dataclass(frozen=True)
class Size:
    """Collections of scripts/collect, folders by name, those of both whose vectors are searched, fewest documents of a folder, repetitions; and if limits apply."""

    collections: tuple
    folders: dict
    searched: tuple
    min_documents: int
    repetitions: int
    has_limits: bool


SIZES = {
    "small": Size(("sample",), {"sample_folder": ROOT / "exp/sample/texts"}, ("sample_folder",), 1, 1, False),
    "full": Size(
        ("reuters", "bible", "debian", "manpages", "licences", "crates", "package_docs"),
        {"installed_man": pathlib.Path("/usr/share/man")},
        ("manpages", "installed_man"),
        5_000,
        3,
        True,
    ),
}


class Benchmark:
    """All rows of one run."""

    def __init__(self, size, work, results, collections):
        self.name, self.size, self.work, self.results, self.collections = size, SIZES[size], work, results, collections
        for folder in (work, results, collections):
            folder.mkdir(parents=True, exist_ok=True)
        # Lists of files and baselines have relative paths.
        os.chdir(work)
        self.stem = results / f"{datetime.date.today()}-{commit()}-{raw.REAL}"
        self.measurements = Measurements(self.stem)

    def run(self):
        limits = "" if self.size.has_limits else " (limits are for full)"
        describe_machine(f"{self.stem}-machine.txt", f"scripts/bench.sh {self.name} real{limits}")
        described = []
        for name, path in self.inputs():
            documents = sum(1 for _ in data.texts(path))
            if documents < self.size.min_documents:
                say(f"{name}: left out, {documents} documents")
                continue
            described.append([name, documents, f"{data.size_of(path) / 1e6:.1f}", self.source(name)])
            self.measurements.write("-collections", ["collection", "documents", "megabytes", "source"], described)
            self.measure(name, self.linked(name, path), documents)
        page.write(self.results)
        print(real_page.section(self.results))
        return 1 if self.measurements.disagreements() else 0

    def inputs(self):
        """Yields name and path of each input; creates the collections that are missing."""
        yield from self.size.folders.items()
        for name in self.size.collections:
            script = ROOT / "scripts/collect/collections.sh"
            made = subprocess.run(["bash", script, name], env=os.environ | {"NEARSIG_COLLECTIONS": str(self.collections)}, check=False)
            if made.returncode == 0:
                yield name, self.collections / f"{name}.jsonl"
            else:
                say(f"{name}: left out, cannot be created")

    def source(self, name):
        path = self.collections / f"{name}.source"
        return path.read_text().strip() if path.exists() else "folder"

    def linked(self, name, path):
        """Returns the name of a link in the working folder, so that commands have neither spaces nor other folders."""
        link = self.work / f"{name}{path.suffix}"
        link.unlink(missing_ok=True)
        link.symlink_to(path)
        return link.name

    def measure(self, name, source, documents):
        row = f"real_{name}"
        self.against_rensa(row, source, documents)
        for threshold in real_page.THRESHOLDS:
            self.against_plan(f"{row}_{threshold}", source, threshold, documents)
        self.same_bytes(row, source)
        if name in self.size.searched:
            self.against_topn(row, source, documents)
        remove(self.work, "r.*")
        (self.work / source).unlink()

    def alternate(self, row, command, baselines, count, unit):
        def ours(threads):
            return self.run_ours(command, threads)

        self.measurements.alternate(row, ours, baselines, self.size.repetitions, count, unit, (THREADS,))

    def run_ours(self, command, threads):
        """Runs a command that finds no earlier output to replace, and the disk idle."""
        remove(self.work, "r.answer.*")
        os.sync()
        return run_ours(self.work, [command], threads)

    def check_ratio(self, row, baseline, limits):
        ratio, floor = raw.Run(f"{self.stem}.csv").ratio(row, baseline), limits[0]
        self.check_limit(row, f"rate over that of {baseline}, at least {floor}", f"{ratio:.2f}", floor, ratio >= floor)

    def check_limit(self, row, what, ours, limit, holds):
        """Records a check of time or memory, which says nothing about a few documents."""
        if self.size.has_limits:
            self.measurements.check(row, what, ours, limit, holds)

    def against_rensa(self, row, source, documents):
        rensa = Baseline("rensa", [source], ["r.flagged.npy"])
        # text-dedup reads no folder of texts.
        names = [name for name in real_page.SLOW if source.endswith(".jsonl") or name != "text-dedup"]
        slow = [Baseline(name, [source], repetitions=1) for name in names if self.size.has_limits]
        for ending, (_, flag) in real_page.ANSWERS.items():
            baselines = [rensa, *slow] if ending else [rensa]
            self.alternate(row + ending, find(source, THRESHOLD, flag), baselines, documents, "documents")
            self.check_ratio(row + ending, "rensa", real_page.RENSA)

    def against_plan(self, row, source, threshold, documents):
        """Compares time and memory with the forecast of --plan."""
        plan, command = f"find_near_dups {source} --threshold {threshold} --plan", find(source, threshold)
        forecast = next((line for line in run_one(self.work, plan, THREADS)[1] if "expected: " in line), "").partition("expected: ")[2]
        expected = raw.outcome(forecast)
        self.measurements.record(row, real_page.EXPECTED, THREADS, 1, max(expected[1], MIN_SECONDS), documents, "documents", plan, forecast)
        seconds, _, answer = self.run_ours(command, THREADS)
        self.measurements.record(row, real_page.OURS, THREADS, 1, seconds, documents, "documents", command, answer)
        measured = raw.outcome(answer)
        if row in real_page.SECONDS:
            limit = real_page.SECONDS[row]
            self.check_limit(row, f"seconds, at most {limit}", f"{seconds:.2f}", limit, seconds <= limit)
        for what, unit, at, least in (("time", "s", 1, MIN_SECONDS), ("peak memory", "MB", 2, 1)):
            low, high = sorted(max(one[at], least) for one in (measured, expected))
            check = f"{what} and its forecast in {unit}, within a factor of {real_page.MAX_ERROR}"
            self.check_limit(row, check, measured[at], expected[at], high <= real_page.MAX_ERROR * low)

    def same_bytes(self, row, source):
        digests = set()
        for threads in THREAD_COUNTS:
            self.run_ours(find(source, THRESHOLD), threads)
            digests.add(hashlib.sha256((self.work / "r.answer.tsv").read_bytes()).hexdigest())
        self.measurements.check(row, f"different outputs with {', '.join(map(str, THREAD_COUNTS))} threads", len(digests), 1, len(digests) == 1)

    def against_topn(self, row, source, documents):
        """Compares similarity on vectors of both weights with sparse_dot_topn."""
        bows, voc = "--bow_paths r.bow_paths", "--voc_name r.reduced"
        run_ours(
            self.work,
            [
                f"create_bows {source} --words --id_file r.ids {bows} --bow_dir r.bows",
                f"create_voc {bows} --voc_name r.voc",
                "reduce_voc --old_voc_name r.voc --new_voc_name r.reduced --min_df 2 --max_df inf",
            ],
            THREADS,
        )
        for weights, flag in zip(real_page.WEIGHTS, (" --use_tf_only", ""), strict=True):
            run_ours(self.work, [f"create_vecs {bows} {voc} --vec_dir r.vecs --vec_paths r.vec_paths{flag}"], THREADS)
            self.search(f"{row}_{weights}", documents)

    def search(self, row, documents):
        topn = Baseline("sparse_dot_topn", ["r.vec_paths"], [min(real_page.TOPN) / 100, "r.topn.npz", documents], repetitions=1)
        for threshold, limits in real_page.TOPN.items():
            this, baselines = f"{row}_{threshold}", [topn] if threshold == min(real_page.TOPN) else []
            command = f"similarity --vec_paths r.vec_paths --out r.answer.similar --threshold {threshold}"
            self.alternate(this, command, baselines, documents * (documents - 1) / 2, "pairs")
            if not baselines:
                self.measurements.repeat(f"{row}_{min(real_page.TOPN)}", this, topn.name)
            self.measurements.check_cosines(this, threshold, data.result_pairs(self.work / "r.answer.similar"), np.load(self.work / "r.topn.npz"))
            self.check_ratio(this, topn.name, limits)


def find(source, threshold, flag="--out"):
    return f"find_near_dups {source} --threshold {threshold} {flag} r.answer.tsv"


if __name__ == "__main__":
    size, *folders = sys.argv[1:]
    sys.exit(Benchmark(size, *(pathlib.Path(folder).resolve() for folder in folders)).run())
