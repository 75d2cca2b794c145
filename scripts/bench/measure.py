"""Runs ours and peers in turn and keeps what was measured. Knows nothing of what is measured."""

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

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
THREADS = (1, 2)
COLUMNS = "row tool version threads repetition seconds count unit rate answer command commit".split()
CHECK_COLUMNS = "row check ours theirs agree".split()
TOOLS = "faiss numba scipy scikit-learn polars sparse_dot_topn rensa datasketch text-dedup numpy".split()
PACKAGES = {"datasketch in batches": "datasketch", "faiss": "faiss-cpu", "sparse_dot_topn": "sparse-dot-topn"}
THREAD_VARIABLES = "OMP_NUM_THREADS OPENBLAS_NUM_THREADS NUMBA_NUM_THREADS POLARS_MAX_THREADS RAYON_NUM_THREADS".split()


def say(message):
    print(f"bench: {message}", file=sys.stderr, flush=True)


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT).stdout.strip()


def commit():
    name = output_of("git", "rev-parse", "--short=10", "HEAD") or "unknown"
    changed = output_of("git", "status", "--porcelain", "--untracked-files=no", "--", "src", "benches", "Cargo.toml")
    return name + ("-changed" if changed else "")


def version_of(tool):
    """The version of a peer's package; ours is the commit."""
    try:
        return metadata.version(PACKAGES.get(tool, tool))
    except metadata.PackageNotFoundError:
        return ""


@dataclasses.dataclass
class Contender:
    """A peer in a row: the files it loads, what it is told for a run, and with how many threads it can run and in which repetitions."""

    name: str
    inputs: list
    arguments: list = dataclasses.field(default_factory=list)
    threads: tuple = THREADS
    repetitions: int = 1000
    command: list | None = None


class Peer:
    """A peer's process with its input in memory; see peers.py."""

    def __init__(self, contender, threads):
        command = contender.command or [sys.executable, HERE / "peers.py", contender.name, str(threads)]
        environment = os.environ | {name: str(threads) for name in THREAD_VARIABLES}
        self.process = subprocess.Popen(
            [*command, *contender.inputs], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        if self.process.stdout.readline().strip() != "ready":
            raise RuntimeError(f"{contender.name} did not start")

    def run(self, arguments):
        self.process.stdin.write(" ".join(["run", *map(str, arguments)]) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("a peer ended early")
        return json.loads(line)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Measurements:
    """All runs and checks, written after each, so that a later failure loses nothing."""

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
        """Lets a tool's runs in one row stand in another as well."""
        self.runs += [[other, *run[1:]] for run in self.runs if run[:2] == [row, tool]]
        self.save()

    def check(self, row, what, ours, theirs, agrees):
        self.checks.append([row, what, ours, theirs, "yes" if agrees else "no"])
        say(f"{row}: {what}: ours {ours}, theirs {theirs}: {'they agree' if agrees else 'THEY DO NOT AGREE'}")
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

    def alternate(self, row, mine, contenders, repetitions, count, unit):
        """Runs ours and each peer in turn, with each number of threads. `mine(threads)` gives (seconds, command, answer). Returns the peers' last answers."""
        answers = {}
        for threads in THREADS:
            started = {one.name: Peer(one, threads) for one in contenders if threads in one.threads}
            for repetition in range(1, repetitions + 1):
                seconds, command, answer = mine(threads)
                self.record(row, "nearsig", threads, repetition, seconds, count, unit, command, answer)
                for one in contenders:
                    if one.name in started and repetition <= one.repetitions:
                        told = answers[one.name] = started[one.name].run(one.arguments)
                        self.record(row, one.name, threads, repetition, told["seconds"], count, unit, f"peers.py {one.name}", facts(told))
            for peer in started.values():
                peer.close()
        return answers


def facts(told):
    """What a peer told about its answer, in short."""
    return " ".join(f"{key}={value}" for key, value in told.items() if key not in ("seconds", "sample"))


def run_ours(folder, commands, threads):
    """Runs our executables one after the other in a folder. Gives the seconds of all, the command line, and the counts of the last one's last line."""
    seconds, told = 0.0, ""
    for command in commands:
        start = time.perf_counter()
        words = [*command.split(), "--threads", str(threads)]
        ran = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        seconds += time.perf_counter() - start
        if ran.returncode != 0:
            raise RuntimeError(f"{command}: {ran.stderr}")
        told = ran.stderr.splitlines()[-1]
    return seconds, " && ".join(commands), told.partition("wrote ")[2]


def kernel(name, stem, *arguments):
    """The lines that one of our benchmarks of inner loops prints, as dictionaries; kept in a file too. None if there is no such benchmark."""
    if not (ROOT / "benches" / f"{name}.rs").exists():
        say(f"there is no benchmark {name}")
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
    """Writes what it ran on, to stand beside the numbers."""
    processor = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    field = lambda name: next((line.split(":")[1].strip() for line in processor if line.startswith(name)), "")
    vector = set(field("flags").split()) & {"avx2", "avx512f", "avx512_vpopcntdq", "avx512_vnni", "vaes"}
    memory = int(pathlib.Path("/proc/meminfo").read_text().split()[1]) / 2**20
    lines = [
        f"date      {datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d %H:%M} UTC",
        f"commit    {commit()}",
        f"cpu       {field('model name')}, {os.cpu_count()} cores ({' '.join(sorted(vector))})",
        f"memory    {memory:.1f} GiB",
        f"system    {platform.system()} {platform.machine()}",
        f"versions  {output_of('rustc', '--version')}; Python {platform.python_version()}; " + ", ".join(f"{tool} {version_of(tool)}" for tool in TOOLS),
        f"run       {command}",
    ]
    pathlib.Path(path).write_text("\n".join(lines) + "\n")
