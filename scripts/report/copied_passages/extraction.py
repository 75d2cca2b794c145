"""Time and memory of extracting n-grams from growing texts: the embedded store, a Redis cluster, and the extractor `ngt` of Debian's package irstlm.

ngt is the one extractor in Debian that is written in C++ and counts n-grams of words of any length, as those of Pekař's figures do: Teraman and kfNgram are no packages, Text2Ngram no
longer is. It keeps a trie of all n-grams up to 7 in memory and writes them with their counts; it has one thread.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

from .. import origin
from .plan import LENGTH

HEAD = ["tool", "megabytes", "threads", "runs", "seconds", "fastest", "slowest", "client_seconds", "peak_megabytes", "server_megabytes"]
EMBEDDED, EXPORT, CLUSTER, EXTRACTOR = "embedded", "embedded with export", "cluster", "irstlm"
THREADS = 2


def steps(settings, work):
    """Returns {table: measurement}."""
    found = {}
    for size in settings["megabytes"]:
        for tool in (EMBEDDED, EXPORT, CLUSTER, EXTRACTOR):
            found[f"extraction-{tool.replace(' ', '_')}-{size}"] = lambda tool=tool, size=size: measure(tool, size, THREADS, settings["runs"], work)
    for threads in settings["threads"]:
        size, cluster_size = settings["threads_megabytes"], settings["cluster_threads_megabytes"]
        found[f"threads-{threads}"] = lambda threads=threads, size=size: measure(EMBEDDED, size, threads, settings["runs"], work)
        found[f"cluster_threads-{threads}"] = lambda threads=threads, size=cluster_size: measure(CLUSTER, size, threads, settings["runs"], work)
    return found


def text(megabytes, work):
    """Creates synthetic documents as JSON Lines, and the same as plain text; returns both paths."""
    folder = pathlib.Path(work) / "extraction"
    documents, plain = folder / f"{megabytes}.jsonl", folder / f"{megabytes}.txt"
    if not plain.exists():
        folder.mkdir(parents=True, exist_ok=True)
        # About 2,600 bytes per document; more are made than needed.
        subprocess.run(["create_corpus", "--doc_count", str(500 * megabytes), "--mean_words", "400", "--out", f"{documents}.all", "--quiet"], check=True)
        total = 0
        with open(f"{documents}.all", encoding="utf-8") as lines, open(documents, "w", encoding="utf-8") as kept, open(f"{plain}.part", "w", encoding="utf-8") as out:
            for line in lines:
                content = json.loads(line)["text"] + "\n"
                kept.write(line)
                out.write(content)
                total += len(content.encode())
                if total >= megabytes * 1e6:
                    break
            else:
                raise ValueError(f"expected {megabytes} MB of text, found {total / 1e6:.0f}")
        pathlib.Path(f"{documents}.all").unlink()
        pathlib.Path(f"{plain}.part").rename(plain)
    return documents, plain


def measure(tool, megabytes, threads, runs, work):
    """Measures one tool on one size; None if it is missing. Times have a median and both ends; the extractor, which takes far longer, runs once."""
    needed = {CLUSTER: ("redis-server", "valkey-server"), EXTRACTOR: ("irstlm",)}.get(tool, ("ngram_index",))
    if not any(map(shutil.which, needed)):
        print(f"copied_passages: {tool}: skipped, {needed[0]} is not installed", file=sys.stderr)
        return None
    inputs = text(megabytes, work)
    numbers = sorted(measure_once(tool, inputs, threads, pathlib.Path(work) / "extraction" / "run") for _ in range(1 if tool == EXTRACTOR else runs))
    seconds, client, peak, servers = numbers[len(numbers) // 2]
    times = (f"{one:.2f}" for one in (seconds, numbers[0][0], numbers[-1][0], client))
    return HEAD, [[tool, megabytes, 1 if tool == EXTRACTOR else threads, len(numbers), *times, f"{peak:.0f}", f"{servers:.0f}" if servers else ""]]


def measure_once(tool, inputs, threads, folder):
    """Returns (seconds, processor seconds and peak megabytes of the process, megabytes of all servers)."""
    documents, plain = inputs
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    add = ["ngram_index", "add", documents, "-n", LENGTH, "--preset", "pekar", "--threads", threads, "--no_sync", "--quiet"]
    export = ["ngram_index", "export", "--index", folder / "index", "--out", folder / "hashes.tsv", "--no_sync", "--quiet"]
    try:
        if tool == CLUSTER:
            return in_cluster(add, folder)
        commands = {
            EMBEDDED: [[*add, "--index", folder / "index"]],
            EXPORT: [[*add, "--index", folder / "index"], export],
            EXTRACTOR: [["irstlm", "ngt", f"-i={plain}", f"-n={LENGTH}", f"-o={folder / 'ngrams'}", "-gooout=yes"]],
        }[tool]
        numbers = [run(command) for command in commands]
        return sum(one[0] for one in numbers), sum(one[1] for one in numbers), max(one[2] for one in numbers), 0
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run(command):
    """Runs a command; returns (seconds, its processor seconds, peak megabytes)."""
    start = time.monotonic()
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    message = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{command[0]}: exit code {process.returncode}: {message.decode(errors='replace')[-500:]}")
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000


def in_cluster(add, folder):
    """Adds documents to a new cluster; returns the numbers of a run, and the memory of all servers."""
    script = origin.ROOT / "scripts" / "redis_up.sh"
    place = folder / "cluster"
    address = subprocess.run([script, "start", place], check=True, capture_output=True, text=True).stdout.strip()
    try:
        seconds, client, peak = run([*add, "--store", address])
        return seconds, client, peak, sum(resident(int(path.read_text())) for path in place.glob("node-*.pid"))
    finally:
        subprocess.run([script, "stop", place], check=True, capture_output=True)


def resident(process):
    """Returns the resident megabytes of a process."""
    return int(origin.first_value(f"/proc/{process}/status", "VmRSS").split()[0]) / 1000
