"""Speed and memory of the fingerprint methods, and minhash against other libraries. Started by scripts/bench/prints.sh.

python -m bench.prints DOCUMENTS WORK_FOLDER RESULT_FOLDER
"""

import csv
import pathlib
import re
import shutil
import statistics
import sys
import time

from bench import data
from bench.measure import commit, run_one, say, version_of

METHODS = ("md5 sif koala shingles supershingles megashingles long_sent heavy_sent tf tf_idf imatch imatch_random descr_words a1 a2 sent_words minhash simhash winnowing").split()
THREADS = 2
REPETITIONS = 3
WANTED = 40_000  # documents per second
WANTED_RATIO = 2  # minhash over the fastest baseline
SHINGLE, HASHES, BANDS = 5, 128, 16
COLUMNS = "tool version what seconds documents_per_second peak_memory_mb answer".split()


def run(work, line):
    """Runs one of our executables; returns seconds, peak memory in MB and its last message."""
    seconds, messages = run_one(work, f"{line} --no_sync", THREADS)
    return seconds, float(re.search(r"peak memory ([\d.]+) MB", messages[-1])[1]), messages[-1]


def method_row(work, documents, method):
    """Measures create_prints and match_prints of a method: the medians of their times, the larger peak."""
    times, peak, answer = [], 0.0, ""
    for _ in range(REPETITIONS):
        shutil.rmtree(work / "prints", ignore_errors=True)
        created = run(work, f"create_prints --json_lines c.jsonl --method {method} --print_dir prints --print_paths print_paths")
        matched = run(work, "match_prints --print_paths print_paths --out pairs.tsv")
        times.append(created[0] + matched[0])
        peak, answer = max(peak, created[1], matched[1]), re.search(r"wrote (.* pairs?)", matched[2])[1]
    seconds = statistics.median(times)
    return ["nearsig", commit(), method, f"{seconds:.3f}", f"{documents / seconds:.0f}", f"{peak:.1f}", answer]


def shingles(text):
    words = text.split()
    return [" ".join(words[at : at + SHINGLE]) for at in range(max(1, len(words) - SHINGLE + 1))]


def rensa(corpus):
    """Flags documents whose bands were seen before: the fastest function of rensa, without pairs."""
    from rensa import RMinHash, RMinHashLSH

    matrix = RMinHash.digest_matrix_from_token_sets([shingles(text) for text in data.texts(corpus)], HASHES, 42)
    index = RMinHashLSH(threshold=0.8, num_perm=HASHES, num_bands=BANDS)
    flags = index.query_duplicate_flags_matrix_one_shot(matrix)
    return {number for number, flag in enumerate(flags) if flag}


def datasketch(corpus):
    """Queries, then inserts each document; shingles of a document in one batch."""
    from datasketch import MinHash, MinHashLSH

    index, flagged = MinHashLSH(num_perm=HASHES, params=(BANDS, HASHES // BANDS)), set()
    for number, text in enumerate(data.texts(corpus)):
        sketch = MinHash(num_perm=HASHES)
        sketch.update_batch([shingle.encode() for shingle in shingles(text)])
        found = index.query(sketch)
        flagged.update(found, [number] if found else [])
        index.insert(number, sketch)
    return flagged


def gaoya(corpus):
    """Inserts and queries all documents with all threads; its own analyzer cuts the shingles."""
    from gaoya.minhash import MinHashStringIndex

    all_texts = list(data.texts(corpus))
    index = MinHashStringIndex(32, 0.0, BANDS, HASHES // BANDS, None, "word", False, (SHINGLE, SHINGLE), "smallvec")
    index.par_bulk_insert_docs(list(range(len(all_texts))), all_texts)
    found = index.par_bulk_query(all_texts)
    return {number for number, others in enumerate(found) if len(others) > 1}


def ours(work):
    run(work, f"find_near_dups c.jsonl --prints minhash:hashes={HASHES},groups={BANDS} --out minhash.tsv")
    with open(work / "minhash.tsv") as lines:
        return {int(name) - 1 for row in list(csv.reader(lines, delimiter="\t"))[1:] for name in row[1:3]}


def minhash_rows(work, documents):
    """Measures minhash from text to pairs, ours and the baselines in turn. Returns the rows, the ratio to the fastest, and agreement with each."""
    corpus = work / "c.jsonl"
    tools = {"nearsig": lambda: ours(work), "rensa": lambda: rensa(corpus), "gaoya": lambda: gaoya(corpus), "datasketch": lambda: datasketch(corpus)}
    times, flagged = {name: [] for name in tools}, {}
    for repetition in range(REPETITIONS):
        for name, tool in tools.items():
            # datasketch takes minutes.
            if repetition == 0 or name != "datasketch":
                start = time.perf_counter()
                flagged[name] = tool()
                times[name].append(time.perf_counter() - start)
                say(f"minhash: {name}: {times[name][-1]:.2f} s, {len(flagged[name])} documents in pairs")
    medians = {name: statistics.median(values) for name, values in times.items()}
    rows = []
    for name, seconds in medians.items():
        version = commit() if name == "nearsig" else version_of(name)
        common = len(flagged["nearsig"] & flagged[name]) / max(1, len(flagged["nearsig"] | flagged[name]))
        answer = f"{len(flagged[name]):,} documents in pairs; {100 * common:.1f} % of those of either in both"
        rows.append([name, version, f"minhash, {BANDS} bands of {HASHES // BANDS}", f"{seconds:.3f}", f"{documents / seconds:.0f}", "", answer])
    return rows


def page(rows, documents):
    """Returns the page as Markdown."""
    methods = [row for row in rows if row[0] == "nearsig" and row[2] in METHODS]
    baselines = [row for row in rows if row not in methods]
    lines = [
        "# Speed of the fingerprint methods",
        "",
        f"`scripts/bench/prints.sh`: {documents:,} synthetic documents of 250 words (`create_corpus`), `create_prints` and `match_prints` one after the other with {THREADS} threads, start and files included, outputs not synced; "
        f"medians of {REPETITIONS} runs, larger peak of both. At least {WANTED:,} documents/s are wanted. Raw numbers: [speed.csv](speed.csv).",
        "",
        "| method | seconds | documents/s | wanted | peak memory in MB | pairs |",
        "|---|---|---|---|---|---|",
    ]
    for _, _, method, seconds, rate, peak, answer in methods:
        lines.append(f"| `{method}` | {seconds} | {int(rate):,} | {'yes' if int(rate) >= WANTED else '**no**'} | {peak} | {answer.split()[0]} |")
    fastest = min(float(row[3]) for row in baselines if row[0] != "nearsig")
    mine = next(float(row[3]) for row in baselines if row[0] == "nearsig")
    lines += [
        "",
        "imatch_random reads all documents twice, as all methods with statistics do, and hashes the words of a document eleven times with SHA-1.",
        "",
        "## minhash",
        "",
        f"From JSON Lines on disk to duplicates: runs of {SHINGLE} words, {HASHES} hashes in {BANDS} bands. Ours is `find_near_dups --prints minhash`, start included; baselines run in a Python process that is already started, with both cores where they can. "
        "rensa and datasketch shingle in Python, gaoya in Rust; rensa flags documents without naming pairs, its fastest function. Hash functions are random, so documents near the edge of a band differ.",
        "",
        "| tool | seconds | documents/s | ours is faster | documents in pairs |",
        "|---|---|---|---|---|",
    ]
    for name, version, _, seconds, rate, _, answer in baselines:
        ratio = "" if name == "nearsig" else f"{float(seconds) / mine:.2f}×"
        lines.append(f"| {name} {version if name != 'nearsig' else ''} | {seconds} | {int(rate):,} | {ratio} | {answer} |")
    verdict = "holds" if fastest / mine >= WANTED_RATIO else "does not hold"
    lines += ["", f"At least {WANTED_RATIO} times as fast as the fastest: {verdict} ({fastest / mine:.2f}×).", ""]
    return "\n".join(lines)


def main():
    documents, work, results = int(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3]).resolve()
    run(work, f"create_corpus --doc_count {documents} --out c.jsonl --truth c.truth")
    rows = []
    for method in METHODS:
        rows.append(method_row(work, documents, method))
        say(" ".join(rows[-1]))
    rows += minhash_rows(work, documents)
    with open(results / "speed.csv", "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])
    (results / "README.md").write_text(page(rows, documents))
    print((results / "README.md").read_text())


if __name__ == "__main__":
    main()
