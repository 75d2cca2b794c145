"""Error of signatures relative to theory, by the effective number of terms.

Usage: levels_accuracy.py FOLDER SEEDS

FOLDER holds vec_paths, a result of similarity at 30 % and lists of signatures accuracy_DIST_SEED of
1024 bits. Prints, per class of effective terms n_eff = (sum w^2)^2 / sum w^4 of the sparser document
of a pair, the mean squared error of the share of equal bits over p(1 - p)/K. Exits with an error if
levels exceed LIMIT for documents of 8 or more effective terms.
"""

import math
import sys
from pathlib import Path

BITS = 1024
MAX_COSINE = 95
LIMIT = 1.1
CLASSES = ((0, 5), (5, 8), (8, 12), (12, 20), (20, 30), (30, math.inf), (8, math.inf))


def listed(path, header):
    """Yield the lines of all files of a list that has `header` lines of its own."""
    for line in path.read_text().splitlines()[header:]:
        yield from Path(line).read_text().splitlines()


def effective_terms(folder):
    """Return {document: effective terms} of all documents with terms."""
    found = {}
    for line in listed(folder / "vec_paths", 4):
        head, *items = line.split()
        squares = [float(item.split(":")[1]) ** 2 for item in items]
        if squares:
            found[head.rsplit(":", 1)[0]] = sum(squares) ** 2 / sum(s * s for s in squares)
    return found


def read_pairs(folder):
    """Return (name, other name, expected share of equal bits, effective terms) per pair."""
    effective = effective_terms(folder)
    pairs = []
    for line in (folder / "similarity_30").read_text().splitlines():
        name, *rest = line.split(":")
        for other, cosine in zip(rest[::2], rest[1::2], strict=False):
            if name < other and float(cosine) <= MAX_COSINE:
                p = 1 - math.acos(float(cosine) / 100) / math.pi
                pairs.append((name, other, p, min(effective[name], effective[other])))
    return pairs


def read_signatures(path):
    """Return {document: signature as an integer}."""
    signatures = {}
    for line in listed(path, 3):
        digits, names = line.split(":", 1)
        for name in names.split()[1:]:
            signatures[name] = int(digits, 16)
    return signatures


def errors(folder, distribution, seeds, pairs):
    """Return the mean relative squared error of each pair over all seeds."""
    found = [0.0] * len(pairs)
    for seed in range(1, seeds + 1):
        signatures = read_signatures(folder / f"accuracy_{distribution}_{seed}")
        for at, (one, other, p, _) in enumerate(pairs):
            share = 1 - (signatures[one] ^ signatures[other]).bit_count() / BITS
            found[at] += (share - p) ** 2 / (p * (1 - p) / BITS) / seeds
    return found


def main():
    """Print the table; fail if levels are off."""
    folder, seeds = Path(sys.argv[1]), int(sys.argv[2])
    pairs = read_pairs(folder)
    by_distribution = [errors(folder, name, seeds, pairs) for name in ("gauss", "levels")]
    print("effective_terms,pairs,gauss,levels")
    for low, high in CLASSES:
        chosen = [at for at, pair in enumerate(pairs) if low <= pair[3] < high]
        gauss, levels = (sum(found[at] for at in chosen) / max(1, len(chosen)) for found in by_distribution)
        print(f"{low} to {high},{len(chosen)},{gauss:.4f},{levels:.4f}")
    # The last class is the one that the limit is about.
    if levels > LIMIT:
        sys.exit(f"levels_accuracy.py: expected a relative error of at most {LIMIT} from 8 effective terms, found {levels:.4f}")


if __name__ == "__main__":
    main()
