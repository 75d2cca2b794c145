"""Writes the tenth of a collection with the fewest distinct words, and the tenth with the most.

Usage: parts.py COLLECTION BOW_PATHS SMALL LARGE

BOW_PATHS is the output of create_bows for COLLECTION, which has the number of distinct words of each document. Ties break by
document order; the parts keep it. A tenth is rounded down. SMALL has no documents without words. Prints one line with the ranges of
distinct words.
"""

import sys
from urllib.parse import unquote

import documents


def distinct_words(bow_paths):
    """Yield (name, distinct words) per document, in the order of the collection."""
    with open(bow_paths, encoding="utf-8") as lines:
        paths = lines.read().split("\n")[1:-1]
    for path in paths:
        with open(path, "rb") as bows:
            for bow in bows:
                name, _, count = bow.split(maxsplit=1)[0].decode("utf-8").rpartition(":")
                yield unquote(name), int(count)


def smallest(counts, wanted):
    """Return the sorted positions of the documents with the fewest words, at least one."""
    with_words = [position for position, count in enumerate(counts) if count > 0]
    return sorted(sorted(with_words, key=lambda position: counts[position])[:wanted])


def largest(counts, wanted):
    """Return the sorted positions of the documents with the most words."""
    return sorted(sorted(range(len(counts)), key=lambda position: -counts[position])[:wanted])


def write_part(path, lines, positions, counts):
    """Write the lines at some positions; return a description."""
    with open(path, "wb") as part:
        part.writelines(lines[position] for position in positions)
    words = [counts[position] for position in positions]
    return f"{len(words)} with {min(words, default=0)} to {max(words, default=0)} distinct words"


def main():
    """Write both parts."""
    collection, bow_paths, small, large = sys.argv[1:]
    names, lines = zip(*documents.read(collection), strict=True)
    bow_names, counts = zip(*distinct_words(bow_paths), strict=True)
    if names != bow_names:
        raise SystemExit(f"{bow_paths}: expected the documents of {collection} in their order, found others")
    wanted = len(lines) // 10
    few = write_part(small, lines, smallest(counts, wanted), counts)
    many = write_part(large, lines, largest(counts, wanted), counts)
    print(f"{len(lines)} documents; small: {few}; large: {many}")


if __name__ == "__main__":
    main()
