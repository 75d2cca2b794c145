"""Prints the share of planted near-duplicates in a result, by the share of edited words, as CSV: planted.py NAME TRUTH RESULT."""

import collections
import sys


def documents(group):
    """Returns the documents of doc1(doc2 doc3)."""
    return group.replace("(", " ").rstrip(")").split()


def found_pairs(path):
    """Returns all ordered pairs of documents in a result."""
    pairs = set()
    with open(path) as lines:
        for line in lines:
            fields = line.rstrip("\n").split(":")
            mine = documents(fields[0])
            others = [other for group in fields[1::2] for other in documents(group)]
            pairs.update((one, other) for one in mine for other in mine + others)
    return pairs


def main(name, truth, result):
    pairs = found_pairs(result)
    planted, found = collections.Counter(), collections.Counter()
    with open(truth) as lines:
        next(lines)
        for line in lines:
            original, copy, share = line.split()
            planted[share] += 1
            found[share] += (original, copy) in pairs or (copy, original) in pairs
    print("edit_share,search,planted,found,share_found")
    for share in sorted(planted, key=float):
        print(f"{share},{name},{planted[share]},{found[share]},{found[share] / planted[share]:.4f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
