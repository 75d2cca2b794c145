"""Whether tools with hash functions of their own find the pairs that theory expects, by exact resemblance.

The pairs compared are all pairs of documents with a common shingle, not only those that a tool found: otherwise the shares would be biased."""

from itertools import pairwise

import numpy as np
import scipy.sparse
from scipy import stats

from bench import data

# Probability that a correct tool leaves the interval of one bin.
OUTSIDE = 1e-4
# Pairs above this probability must be found by every tool.
CERTAIN = 0.9999
# Bins of resemblance; pairs below the first are found with a probability of less than 1 in 24,000.
EDGES = [round(0.2 + 0.05 * step, 2) for step in range(17)]
COLUMNS = "tool version low high pairs found share expected interval_low interval_high agree".split()


def probability(resemblance, bands, rows):
    """Returns the probability that two documents agree on all rows of a band."""
    return 1 - (1 - resemblance**rows) ** bands


def certain_resemblance(bands, rows):
    """Returns the resemblance from which on the probability exceeds CERTAIN."""
    return (1 - (1 - CERTAIN) ** (1 / bands)) ** (1 / rows)


def common_shingles(corpus, shingles):
    """Returns the sizes of the sets of shingles, and a matrix of documents by shingles that several documents have."""
    numbers, hashes, sizes = [], [], []
    for number, text in enumerate(data.texts(corpus)):
        distinct = {hash(shingle) for shingle in shingles(text)}
        sizes.append(len(distinct))
        hashes.append(np.fromiter(distinct, dtype=np.int64, count=len(distinct)))
        numbers.append(np.full(len(distinct), number, dtype=np.int32))
    _, columns, counts = np.unique(np.concatenate(hashes), return_inverse=True, return_counts=True)
    is_common = counts[columns] > 1
    rows, columns = np.concatenate(numbers)[is_common], columns[is_common]
    values = np.ones(len(rows), dtype=np.int32)
    return np.array(sizes), scipy.sparse.csr_matrix((values, (rows, columns)), shape=(len(sizes), len(counts)))


def resemblances(corpus, shingles):
    """Returns the exact resemblance of every pair of documents (numbers from 0, smaller first) with a common shingle."""
    sizes, matrix = common_shingles(corpus, shingles)
    common = scipy.sparse.triu(matrix @ matrix.T, k=1).tocoo()
    union = sizes[common.row] + sizes[common.col] - common.data
    pairs = zip(common.row.tolist(), common.col.tolist(), strict=True)
    return dict(zip(pairs, (common.data / union).tolist(), strict=True))


def bins(resemblance, found, bands, rows):
    """Yields the rows of a tool: per bin the pairs, those found, the expected share, its interval, and whether the share is in it."""
    values, is_found = np.array(list(resemblance.values())), np.array([pair in found for pair in resemblance])
    for low, high in pairwise(EDGES):
        # Equal sets belong to the last bin.
        inside = (values >= low) & ((values < high) | (high == EDGES[-1]))
        if not inside.any():
            continue
        pairs, hits = int(inside.sum()), int(is_found[inside].sum())
        expected = float(probability(values[inside], bands, rows).mean())
        # The exact variance is smaller: probabilities differ within a bin.
        least, most = (int(bound) for bound in stats.binom.interval(1 - OUTSIDE, pairs, expected))
        yield [low, high, pairs, hits, *(f"{share:.6f}" for share in (hits / pairs, expected, least / pairs, most / pairs)), "yes" if least <= hits <= most else "no"]


def missed(resemblance, found, bands, rows):
    """Returns the pairs that every tool must find and this one did not."""
    limit = certain_resemblance(bands, rows)
    return [pair for pair, value in resemblance.items() if value > limit and pair not in found]


def band_pairs(matrix, bands):
    """Returns the pairs of rows of a matrix of min-wise hashes that agree on a band, by sorting each band."""
    found = set()
    for band in np.split(matrix, bands, axis=1):
        order = np.lexsort(band.T)
        is_new = np.any(band[order][1:] != band[order][:-1], axis=1)
        for group in np.split(order, np.flatnonzero(is_new) + 1):
            members = sorted(group.tolist())
            found.update((low, high) for at, low in enumerate(members) for high in members[at + 1 :])
    return found


def prints(paths_file):
    """Returns document numbers from 0 and the matrix of fingerprints of PRINT files whose prints have one length."""
    folder, names, rows = paths_file.parent, [], []
    for line in paths_file.read_text().splitlines():
        if not line.endswith(".print"):
            continue
        for record in (folder / line).read_text().splitlines():
            head, *fingerprints = record.split(" ")
            names.append(int(head.partition(":")[0]) - 1)
            rows.append([int(fingerprint, 16) for fingerprint in fingerprints])
    return names, np.array(rows, dtype=np.uint64)


def datasketch_pairs(names, matrix, bands):
    """Returns the pairs that the index of datasketch finds among given min-wise hashes; its scheme only matters to hashing."""
    from datasketch import MinHash, MinHashLSH

    width = matrix.shape[1]
    index, found = MinHashLSH(num_perm=width, params=(bands, width // bands)), set()
    for name, values in zip(names, matrix, strict=True):
        sketch = MinHash(num_perm=width, hashvalues=values, scheme="legacy")
        found.update((min(name, other), max(name, other)) for other in index.query(sketch))
        index.insert(name, sketch)
    return found
