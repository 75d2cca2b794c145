"""Runs our executables and baselines in turn and records the measurements, whatever they measure."""

import csv
import dataclasses
import datetime
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import time
from importlib import metadata

from report import origin
from report.origin import ROOT, output_of

THREADS = (1, 2)
COLUMNS = "row tool version threads repetition seconds count unit rate answer command commit".split()
CHECK_COLUMNS = "row check ours theirs agree".split()
VERSIONED = "faiss numba scipy scikit-learn polars sparse_dot_topn rensa datasketch text-dedup numpy".split()
PACKAGES = {"datasketch in batches": "datasketch", "faiss": "faiss-cpu", "sparse_dot_topn": "sparse-dot-topn"}
# Sums of the same products in another order differ by less; pairs this close to the threshold may lie on either side.
ROUNDING = 1e-6
THREAD_VARIABLES = "OMP_NUM_THREADS OPENBLAS_NUM_THREADS NUMBA_NUM_THREADS POLARS_MAX_THREADS RAYON_NUM_THREADS".split()


def say(message):
    print(f"bench: {message}", file=sys.stderr, flush=True)


def commit():
    """Returns the short commit, marked if the program differs from it."""
    name, is_changed = origin.commit(10, ("src", "benches", "Cargo.toml"))
    return name + ("-changed" if is_changed else "")


def version_of(tool):
    """Returns the version of a baseline's package; ours is the commit."""
    try:
        return metadata.version(PACKAGES.get(tool, tool))
    except metadata.PackageNotFoundError:
        return ""


@dataclasses.dataclass
class Baseline:
    """A baseline in a row: its input files, the arguments of a run, the numbers of threads and of repetitions it runs with."""

    name: str
    inputs: list
    arguments: list = dataclasses.field(default_factory=list)
    threads: tuple = THREADS
    repetitions: int = 1000
    command: list | None = None


class BaselineProcess:
    """The process of a baseline with its input in memory; see baselines.py."""

    def __init__(self, baseline, threads):
        command = baseline.command or [sys.executable, "-m", "bench.baselines", baseline.name, str(threads)]
        environment = os.environ | {name: str(threads) for name in THREAD_VARIABLES}
        self.process = subprocess.Popen(
            [*command, *baseline.inputs], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        if self.process.stdout.readline().strip() != "ready":
            raise RuntimeError(f"{baseline.name} did not start")

    def run(self, arguments):
        self.process.stdin.write(" ".join(["run", *map(str, arguments)]) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("a baseline ended early")
        return json.loads(line)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Measurements:
    """All runs and checks, saved after each one, so that a later failure loses nothing."""

    def __init__(self, stem):
        self.stem, self.commit = stem, commit()
        self.runs, self.checks = [], []

    def record(self, row, tool, threads, repetition, seconds, count, unit, command, answer=""):
        version = self.commit if tool.startswith("nearsig") else version_of(tool)
        rate = f"{count / seconds:.6g}"
        self.runs.append([row, tool, version, threads, repetition, f"{seconds:.4f}", f"{count:.10g}", unit, rate, answer, command, self.commit])
        say(f"{row}: {tool}, {threads} threads: {seconds:.3f} s, {rate} {unit}/s; {answer}")
        self.save()

    def repeat(self, row, other, tool):
        """Copies the runs of a tool in one row to another row."""
        self.runs += [[other, *run[1:]] for run in self.runs if run[:2] == [row, tool]]
        self.save()

    def check(self, row, what, ours, theirs, agrees):
        self.checks.append([row, what, ours, theirs, "yes" if agrees else "no"])
        say(f"{row}: {what}: ours {ours}, theirs {theirs}: {'holds' if agrees else 'DOES NOT HOLD'}")
        self.save()

    def disagreements(self):
        return [check for check in self.checks if check[-1] != "yes"]

    def save(self):
        self.write("", COLUMNS, self.runs)
        self.write("-checks", CHECK_COLUMNS, self.checks)

    def write(self, suffix, header, rows):
        with open(f"{self.stem}{suffix}.csv", "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(header)
            writer.writerows(rows)

    def check_cosines(self, row, threshold, ours, found):
        """Compares our pairs with those of sparse_dot_topn at or above a threshold in percent."""
        theirs = {(int(left), int(right)): 100 * cosine for left, right, cosine in zip(found["left"], found["right"], found["cosine"], strict=True) if 100 * cosine >= threshold - ROUNDING}
        one_side = [theirs[pair] for pair in theirs.keys() - ours.keys()] + [ours[pair] for pair in ours.keys() - theirs.keys()]
        differences = [abs(value - threshold) for value in one_side] + [abs(ours[pair] - theirs[pair]) for pair in ours.keys() & theirs.keys()]
        self.check(row, "pairs, sparse_dot_topn", len(ours), len(theirs), max(differences, default=0) < 100 * ROUNDING)

    def alternate(self, row, ours, baselines, repetitions, count, unit, thread_counts=THREADS):
        """Runs ours and each baseline in turn, with each number of threads. `ours(threads)` returns (seconds, command, answer). Returns the last answers of the baselines."""
        answers = {}
        for threads in thread_counts:
            started = {one.name: BaselineProcess(one, threads) for one in baselines if threads in one.threads}
            for repetition in range(1, repetitions + 1):
                seconds, command, answer = ours(threads)
                self.record(row, "nearsig", threads, repetition, seconds, count, unit, command, answer)
                for one in baselines:
                    if one.name in started and repetition <= one.repetitions:
                        told = answers[one.name] = started[one.name].run(one.arguments)
                        if "failed" in told:
                            say(f"{row}: {one.name} failed: {told['failed']}")
                            continue
                        self.record(row, one.name, threads, repetition, told["seconds"], count, unit, f"bench.baselines {one.name}", facts(told))
            for process in started.values():
                process.close()
        return answers


def facts(told):
    """Summarizes the answer of a baseline."""
    return " ".join(f"{key}={value}" for key, value in told.items() if key not in ("seconds", "sample"))


def run_ours(folder, commands, threads):
    """Runs our executables in turn in a folder. Returns their total seconds, the command line, and the counts of the last message."""
    total, messages = 0.0, [""]
    for command in commands:
        seconds, messages = run_one(folder, command, threads)
        total += seconds
    return total, " && ".join(commands), messages[-1].partition("wrote ")[2]


def run_one(folder, command, threads):
    """Runs one of our executables in a folder. Returns its seconds and messages."""
    start = time.perf_counter()
    ran = subprocess.run([*command.split(), "--threads", str(threads)], cwd=folder, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - start
    if ran.returncode != 0:
        raise RuntimeError(f"{command}: {ran.stderr}")
    return seconds, ran.stderr.splitlines()


def kernel(name, stem, *arguments):
    """Returns the rows one of our benchmarks of inner loops prints, and saves them; none if there is no such benchmark."""
    if not (ROOT / "benches" / f"{name}.rs").exists():
        say(f"no benchmark {name}")
        return []
    words = ["cargo", "bench", "--quiet", "--bench", name, "--", *map(str, arguments)]
    ran = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: {ran.stderr}")
    pathlib.Path(f"{stem}-{name}.csv").write_text(ran.stdout)
    return list(csv.DictReader(ran.stdout.splitlines()))


def remove(folder, *patterns):
    for pattern in patterns:
        for path in folder.glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def describe_machine(path, command):
    """Writes the machine and the versions next to the numbers."""
    flags = set((origin.first_value("/proc/cpuinfo", "flags") or "").split())
    vector = flags & {"avx2", "avx512f", "avx512_vpopcntdq", "avx512_vnni", "vaes"}
    lines = [
        f"date      {datetime.datetime.now(datetime.UTC):%Y-%m-%d %H:%M} UTC",
        f"commit    {commit()}",
        f"cpu       {origin.processor()}, {os.cpu_count()} cores ({' '.join(sorted(vector))})",
        f"memory    {(origin.memory_bytes() or 0) / 2**30:.1f} GiB",
        f"system    {platform.system()} {platform.machine()}",
        f"versions  {output_of('rustc', '--version')}; Python {platform.python_version()}; " + ", ".join(f"{tool} {version_of(tool)}" for tool in VERSIONED),
        f"run       {command}",
    ]
    pathlib.Path(path).write_text("\n".join(lines) + "\n")
