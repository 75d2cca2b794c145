"""The table of the README, made from the raw numbers: report.py README CSV."""

import csv
import pathlib
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
OURS, BARE = "nearsig", "nearsig, without files"

# Words of a signature of 1024 bits.
WORDS = 16

# What is shown: title, row, our tool, the peer, the wanted ratio of rates.
AGAINST_PEERS = [
    ("text → tf-idf", "text", OURS, "polars", 5),
    ("text → tf-idf", "text", OURS, "scikit-learn", 15),
    ("signatures, N(0,1)", "signatures_gauss", OURS, "numba", 1.7),
    ("signatures, N(0,1), without files", "signatures_gauss", BARE, "numba", 1.7),
    ("signatures, N(0,1)", "signatures_gauss", OURS, "scipy", None),
    ("signatures, levels", "signatures_levels", OURS, "numba", 15),
    ("signatures, levels, without files", "signatures_levels", BARE, "numba", 15),
    ("hamming_full ≥ 80 %", "hamming_full_80", OURS, "faiss", 35),
    ("hamming_full ≥ 95 %", "hamming_full_95", OURS, "faiss", 200),
    ("similarity ≥ 0.8, without files", "similarity_80", BARE, "sparse_dot_topn", 150),
    ("similarity ≥ 0.8", "similarity_80", OURS, "sparse_dot_topn", 40),
    ("similarity ≥ 0.95, without files", "similarity_95", BARE, "sparse_dot_topn", 500),
    ("similarity ≥ 0.95", "similarity_95", OURS, "sparse_dot_topn", 60),
    ("text → pairs (other questions: for orientation)", "text_to_pairs", OURS, "find-simdoc", None),
]

# Title, row, the most seconds, what others needed.
AGAINST_TIME = [
    ("hamming_full ≥ 95 %", "hamming_full_95_large", 3, "thesis: 54,748 s"),
    ("hamming (PLEB) ≥ 95 %, iter 50, beam 50, shift 70", "hamming_95_large", 10, "thesis: 1,093 s"),
    ("similarity ≥ 0.95", "similarity_95_large", 60, "thesis: 2,175,547 s"),
]


class Medians:
    """The medians of a run's seconds and rates."""

    def __init__(self, path):
        with open(path) as file:
            self.runs = list(csv.DictReader(file))

    def of(self, row, tool, threads=None):
        """(seconds, rate, threads) with this number of threads, or with the most that the tool has."""
        runs = [run for run in self.runs if run["row"] == row and run["tool"] == tool]
        if not runs:
            return None
        threads = threads or max(int(run["threads"]) for run in runs)
        runs = [run for run in runs if int(run["threads"]) == threads]
        if not runs:
            return None
        median = lambda column: statistics.median(float(run[column]) for run in runs)
        return median("seconds"), median("rate"), threads

    def unit(self, row):
        return next(run["unit"] for run in self.runs if run["row"] == row)


def rounded(number):
    """Three digits, with commas between thousands, or a power of ten."""
    if number >= 1e7:
        digits, exponent = f"{number:.1e}".split("e")
        return f"{digits}·10{''.join('⁰¹²³⁴⁵⁶⁷⁸⁹'[int(digit)] for digit in str(int(exponent)))}"
    digits = max(0, 2 - len(str(int(number))) + 1) if number >= 1 else 3
    return f"{float(f'{number:.3g}'):,.{digits}f}"


def verdict(met, row, limits):
    if met:
        return "yes"
    return "no" + (f": {limits[row]}" if row in limits else "")


def shown(measured):
    seconds, rate, threads = measured
    return f"{rounded(rate)} ({rounded(seconds)} s" + (")" if threads == 2 else ", 1 thread)")


def peer_lines(medians, limits):
    for title, row, tool, peer, wanted in AGAINST_PEERS:
        ours, alone = medians.of(row, tool), medians.of(row, tool, 1)
        # With as many threads as ours, where the peer can.
        theirs = ours and (medians.of(row, peer, ours[2]) or medians.of(row, peer))
        if not theirs:
            continue
        ratio = ours[1] / theirs[1]
        with_one = medians.of(row, peer, 1)
        ratio_alone = f"{rounded(alone[1] / with_one[1])}×" if alone and with_one else "–"
        wanted_text, met = ("–", "–") if wanted is None else (f"≥ {wanted}×", verdict(ratio >= wanted, row, limits))
        yield f"| {title} | {medians.unit(row)}/s | {shown(ours)} | {peer} {shown(theirs)} | **{rounded(ratio)}×** | {ratio_alone} | {wanted_text} | {met} |"


def time_lines(medians, limits, checks):
    for title, row, most, others in AGAINST_TIME:
        ours, alone = medians.of(row, OURS), medians.of(row, OURS, 1)
        if not ours:
            continue
        answer = next(run["answer"] for run in medians.runs if run["row"] == row)
        found, memory = answer.split(";")[0], answer.rpartition("peak memory ")[2]
        share = "".join(f" ({check['check'].rpartition(': ')[2]} of hamming_full's)" for check in checks if check["row"] == row)
        yield f"| {title} | {rounded(ours[0])} s | {rounded(alone[0])} s | {memory} | {found}{share} | {others} | ≤ {most} s | {verdict(ours[0] <= most, row, limits)} |"


def kernel_lines(medians):
    """Rates, and for pairs the share of what counting all their words at the machine's best rate would give; over 1 where not all are looked at."""
    inner = [run for run in medians.runs if run["row"] == "kernels"]
    ceilings = {cpu_of(run): float(run["rate"]) for run in inner if "counted words" in run["tool"]}
    for run in inner:
        rate, ceiling = float(run["rate"]), ceilings.get(cpu_of(run))
        share = f"{rounded(rate * WORDS / ceiling)}" if run["unit"] == "pairs" and ceiling else "–"
        yield f"| {run['tool'].removeprefix('nearsig, ')} | {rounded(rate)} {run['unit']}/s | {share} |"


def cpu_of(run):
    return next((part for part in run["tool"].split(", ") if part in ("scalar", "avx2", "avx512")), "")


def limits():
    """What keeps a row from its goal, by row, where we know."""
    with open(HERE / "limits.csv") as file:
        return {line["row"]: line["limit"] for line in csv.DictReader(file)}


def checks(path):
    with open(str(path).removesuffix(".csv") + "-checks.csv") as file:
        return list(csv.DictReader(file))


def heading(path):
    """What was run where and when, and where the raw numbers are."""
    machine = pathlib.Path(str(path).removesuffix(".csv") + "-machine.txt").read_text().splitlines()
    said = {line.split()[0]: line.split(maxsplit=1)[1] for line in machine}
    return f"{said['run']}; on {said['cpu']}, {said['memory']}, {said['date']}, commit `{said['commit']}`; medians, 2 threads unless said. Raw numbers, checks of the answers, and versions: `res/bench/{path.stem}*`."


def table(path):
    medians, known = Medians(path), limits()
    lines = [
        heading(path),
        "",
        "| work | unit | nearsig | peer | ratio | ratio, 1 thread | wanted | met |",
        "|---|---|---|---|---|---|---|---|",
        *peer_lines(medians, known),
    ]
    slow = list(time_lines(medians, known, checks(path)))
    if slow:
        lines += ["", "| large collection | 2 threads | 1 thread | peak memory | found | others | wanted | met |", "|---|---|---|---|---|---|---|---|", *slow]
    inner = list(kernel_lines(medians))
    if inner:
        lines += ["", "| inner loop, one core | rate | of the popcount ceiling |", "|---|---|---|", *inner]
    return "\n".join(lines)


def front_door(path, wanted):
    """The table of find_near_dups: whole runs from text to pairs."""
    medians = Medians(path)
    lines = [
        heading(path),
        "",
        "| text on disk → near-duplicates | nearsig, documents/s | peer | ratio | wanted | met |",
        "|---|---|---|---|---|---|",
    ]
    for peer, least in wanted.items():
        row = "front_door" if medians.of("front_door", peer) else "front_door_slow"
        ours, theirs = medians.of(row, OURS), medians.of(row, peer)
        if ours and theirs:
            ratio = ours[1] / theirs[1]
            lines.append(f"| against {peer} | {shown(ours)} | {shown(theirs)} | **{rounded(ratio)}×** | ≥ {least}× | {'yes' if ratio >= least else 'no'} |")
    large = medians.of("front_door_large", OURS)
    lines += ["", f"The large collection: {shown(large)}." if large else "", "", "| check | ours | theirs, or the limit | holds |", "|---|---|---|---|"]
    lines += [f"| {check['check']} | {check['ours']} | {check['theirs']} | {check['agree']} |" for check in checks(path)]
    return "\n".join(lines)


def update(readme, table, name="bench"):
    """Puts the table between the marks of the README; adds a section where there are none."""
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    text = readme.read_text()
    if begin not in text:
        text += f"\n## Speed\n\n{begin}\n{end}\n"
    before, _, rest = text.partition(begin)
    after = rest.partition(end)[2]
    readme.write_text(f"{before}{begin}\n{table}\n{end}{after}")


if __name__ == "__main__":
    update(pathlib.Path(sys.argv[1]), table(pathlib.Path(sys.argv[2])))
