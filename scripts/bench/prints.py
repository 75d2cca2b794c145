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

import numpy as np

from bench import agreement, data
from bench.measure import commit, run_one, say, version_of

METHODS = ("md5 sif koala shingles supershingles megashingles long_sent heavy_sent tf tf_idf imatch imatch_random descr_words a1 a2 sent_words minhash simhash winnowing").split()
THREADS = 2
REPETITIONS = 3
WANTED = 40_000  # documents per second
WANTED_RATIO = 2  # minhash over the fastest baseline
SHINGLE, HASHES, BANDS = 5, 128, 16
ROWS = HASHES // BANDS
METHOD = f"minhash:hashes={HASHES},groups={BANDS}"
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


def rensa_hashes(corpus):
    from rensa import RMinHash

    return RMinHash.digest_matrix_from_token_sets([shingles(text) for text in data.texts(corpus)], HASHES, 42)


def rensa(corpus):
    """Flags documents whose bands other documents share: the fastest function of rensa, without pairs."""
    from rensa import RMinHashLSH

    index = RMinHashLSH(threshold=0.8, num_perm=HASHES, num_bands=BANDS)
    flags = index.query_duplicate_flags_matrix_one_shot(rensa_hashes(corpus))
    return {number for number, flag in enumerate(flags) if flag}


def rensa_pairs(corpus):
    """Returns the pairs that agree on a band of rensa's hashes. The documents must be those that rensa flags."""
    return agreement.band_pairs(np.array(rensa_hashes(corpus).to_rows()), BANDS)


def datasketch(corpus):
    """Queries, then inserts each document; shingles of a document in one batch."""
    from datasketch import MinHash, MinHashLSH

    index, pairs = MinHashLSH(num_perm=HASHES, params=(BANDS, ROWS)), set()
    for number, text in enumerate(data.texts(corpus)):
        sketch = MinHash(num_perm=HASHES)
        sketch.update_batch([shingle.encode() for shingle in shingles(text)])
        pairs.update((other, number) for other in index.query(sketch))
        index.insert(number, sketch)
    return pairs


def gaoya(corpus):
    """Inserts and queries all documents with all threads; its own analyzer cuts the shingles."""
    from gaoya.minhash import MinHashStringIndex

    all_texts = list(data.texts(corpus))
    index = MinHashStringIndex(32, 0.0, BANDS, ROWS, None, "word", False, (SHINGLE, SHINGLE), "smallvec")
    index.par_bulk_insert_docs(list(range(len(all_texts))), all_texts)
    found = index.par_bulk_query(all_texts)
    return {(min(number, other), max(number, other)) for number, others in enumerate(found) for other in others if other != number}


def ours(work):
    run(work, f"find_near_dups c.jsonl --prints {METHOD} --out minhash.tsv")
    return pairs_of(work / "minhash.tsv")


def pairs_of(path):
    """Returns the pairs of one of our tables as numbers from 0; ids are line numbers."""
    with open(path) as lines:
        rows = list(csv.reader(lines, delimiter="\t"))[1:]
    return {tuple(sorted(int(name) - 1 for name in row[1:3])) for row in rows}


def documents_of(pairs):
    return {number for pair in pairs for number in pair}


def minhash_rows(work, documents):
    """Measures minhash from text to pairs, ours and the baselines in turn. Returns the rows, and the pairs of each tool."""
    corpus = work / "c.jsonl"
    tools = {"nearsig": lambda: ours(work), "rensa": lambda: rensa(corpus), "gaoya": lambda: gaoya(corpus), "datasketch": lambda: datasketch(corpus)}
    times, found = {name: [] for name in tools}, {}
    for repetition in range(REPETITIONS):
        for name, tool in tools.items():
            # datasketch takes minutes.
            if repetition == 0 or name != "datasketch":
                start = time.perf_counter()
                found[name] = tool()
                times[name].append(time.perf_counter() - start)
                say(f"minhash: {name}: {times[name][-1]:.2f} s")
    flagged, found["rensa"] = found["rensa"], rensa_pairs(corpus)
    if flagged != documents_of(found["rensa"]):
        sys.exit("bench: rensa flags other documents than those that share a band of its hashes")
    rows = []
    for name, values in times.items():
        seconds = statistics.median(values)
        answer = f"{len(found[name]):,} pairs of {len(documents_of(found[name])):,} documents"
        rows.append([name, version_of_tool(name), f"minhash, {BANDS} bands of {ROWS}", f"{seconds:.3f}", f"{documents / seconds:.0f}", "", answer])
    return rows, found


def version_of_tool(name):
    return commit() if name == "nearsig" else version_of(name)


def check_pairs(work, found):
    """Compares the pairs of all tools with theory. Returns the rows of all bins, the facts of the page, and what does not hold."""
    resemblance = agreement.resemblances(work / "c.jsonl", shingles)
    limit = agreement.certain_resemblance(BANDS, ROWS)
    rows, wrong = [], []
    for name, pairs in found.items():
        own = [[name, version_of_tool(name), *row] for row in agreement.bins(resemblance, pairs, BANDS, ROWS)]
        rows += own
        wrong += [f"{name}: share of pairs of resemblance {row[2]} to {row[3]} outside of its interval" for row in own if row[-1] != "yes"]
        wrong += [f"{name}: pair {pair} of resemblance {resemblance[pair]:.3f} not found" for pair in agreement.missed(resemblance, pairs, BANDS, ROWS)]
        wrong += [f"{name}: pair {pair} without a common shingle found" for pair in pairs - resemblance.keys()]
    certain = sum(value > limit for value in resemblance.values())
    run(work, f"create_prints --json_lines c.jsonl --method minhash --hashes {HASHES} --groups {BANDS} --print_dir prints --print_paths print_paths")
    run(work, "match_prints --print_paths print_paths --out pairs.tsv")
    indexed = agreement.datasketch_pairs(*agreement.prints(work / "print_paths"), BANDS)
    for what, pairs in {"create_prints and match_prints": pairs_of(work / "pairs.tsv"), "datasketch with the hashes of create_prints": indexed}.items():
        if pairs != found["nearsig"]:
            wrong.append(f"{what}: {len(pairs ^ found['nearsig'])} pairs differ from those of find_near_dups")
    facts = {"population": len(resemblance), "certain": certain, "limit": limit, "indexed": len(indexed)}
    return rows, facts, wrong


def page(rows, bins, facts, documents):
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
    return "\n".join([*lines, "", "## minhash", "", *minhash_section(baselines), "", "### Pairs", "", *pairs_section(bins, facts), ""])


def minhash_section(baselines):
    """Returns the lines on the speed of minhash."""
    lines = [
        f"From JSON Lines on disk to duplicates: runs of {SHINGLE} words, {HASHES} hashes in {BANDS} bands. Ours is `find_near_dups --prints minhash`, start included; baselines run in a Python process that is already started, with both cores where they can. "
        "rensa and datasketch shingle in Python, gaoya in Rust; rensa flags documents without naming pairs, its fastest function.",
        "",
        "| tool | seconds | documents/s | ours is faster | pairs |",
        "|---|---|---|---|---|",
    ]
    fastest = min(float(row[3]) for row in baselines if row[0] != "nearsig")
    mine = next(float(row[3]) for row in baselines if row[0] == "nearsig")
    for name, version, _, seconds, rate, _, answer in baselines:
        ratio = "" if name == "nearsig" else f"{float(seconds) / mine:.2f}×"
        lines.append(f"| {name if name == 'nearsig' else f'{name} {version}'} | {seconds} | {int(rate):,} | {ratio} | {answer} |")
    verdict = "holds" if fastest / mine >= WANTED_RATIO else "does not hold"
    return [*lines, "", f"At least {WANTED_RATIO} times as fast as the fastest: {verdict} ({fastest / mine:.2f}×)."]


def pairs_section(bins, facts):
    """Returns the lines on the pairs that the tools find."""
    tools = list(dict.fromkeys(row[0] for row in bins))
    lines = [
        f"Every tool draws its own hash functions, so below a resemblance of {facts['limit']:.3f} each finds a pair with probability 1 − (1 − s^{ROWS})^{BANDS} only, where s is the resemblance. "
        f"The table gives the share found of all pairs with a common shingle ({facts['population']:,} pairs, exact resemblances), next to that probability and its {100 * (1 - agreement.OUTSIDE):g} % binomial interval. "
        "Raw numbers: [pairs.csv](pairs.csv).",
        "",
        f"| resemblance | pairs | expected | interval | {' | '.join(tools)} | all in the interval |",
        "|---" * (len(tools) + 5) + "|",
    ]
    for low, high in dict.fromkeys((row[2], row[3]) for row in bins):
        own = [row for row in bins if (row[2], row[3]) == (low, high)]
        shares = " | ".join(f"{float(row[6]):.4f}" for row in own)
        expected, least, most = (float(own[0][at]) for at in (7, 8, 9))
        is_agreed = "yes" if all(row[-1] == "yes" for row in own) else "**no**"
        lines.append(f"| {low:.2f} – {high:.2f} | {own[0][4]:,} | {expected:.4f} | {least:.4f} – {most:.4f} | {shares} | {is_agreed} |")
    return [
        *lines,
        "",
        f"Above {facts['limit']:.3f} the probability exceeds {agreement.CERTAIN}: all tools find all {facts['certain']:,} pairs. With the hashes of `create_prints` in place of its own, the index of datasketch finds "
        f"the same {facts['indexed']:,} pairs as `match_prints` and `find_near_dups`. The script fails if any of this does not hold.",
    ]


def write_csv(path, columns, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([columns, *rows])


def main():
    documents, work, results = int(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3]).resolve()
    run(work, f"create_corpus --doc_count {documents} --out c.jsonl --truth c.truth")
    rows = []
    for method in METHODS:
        rows.append(method_row(work, documents, method))
        say(" ".join(rows[-1]))
    minhash, found = minhash_rows(work, documents)
    rows += minhash
    write_csv(results / "speed.csv", COLUMNS, rows)
    bins, facts, wrong = check_pairs(work, found)
    write_csv(results / "pairs.csv", agreement.COLUMNS, bins)
    if wrong:
        sys.exit("\n".join(f"bench: {line}" for line in wrong[:20]))
    (results / "README.md").write_text(page(rows, bins, facts, documents))
    print((results / "README.md").read_text())


if __name__ == "__main__":
    main()
