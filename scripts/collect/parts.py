"""The tenth of a collection's documents with the fewest distinct words, and that with the most.

Usage: parts.py COLLECTION BOW_PATHS SMALL LARGE

BOW_PATHS is what create_bows wrote of COLLECTION: a document has as many distinct words as its bag of words says. Of documents with as
many, those that come first in the collection count first; in a part, documents stand as in the collection. A tenth is rounded down.
Documents without words are in no small part. Prints a line with the numbers of distinct words in each.
"""

import sys
from urllib.parse import unquote

import documents


def distinct_words(bow_paths):
    """(name, distinct words) of all documents, in the order of the collection."""
    with open(bow_paths, encoding="utf-8") as lines:
        paths = lines.read().split("\n")[1:-1]
    for path in paths:
        with open(path, "rb") as bows:
            for bow in bows:
                name, _, count = bow.split(maxsplit=1)[0].decode("utf-8").rpartition(":")
                yield unquote(name), int(count)


def smallest(counts, wanted):
    """The places of the documents with the fewest words but at least one, ascending."""
    with_words = [place for place, count in enumerate(counts) if count > 0]
    return sorted(sorted(with_words, key=lambda place: counts[place])[:wanted])


def largest(counts, wanted):
    """The places of the documents with the most words, ascending."""
    return sorted(sorted(range(len(counts)), key=lambda place: -counts[place])[:wanted])


def write_part(path, lines, places, counts):
    """Write some of the lines; return what to tell of them."""
    with open(path, "wb") as part:
        part.writelines(lines[place] for place in places)
    words = [counts[place] for place in places]
    return f"{len(words)} with {min(words, default=0)} to {max(words, default=0)} distinct words"


def main():
    collection, bow_paths, small, large = sys.argv[1:]
    names, lines = zip(*documents.read(collection))
    bow_names, counts = zip(*distinct_words(bow_paths))
    if names != bow_names:
        raise SystemExit(f"{bow_paths} does not hold the documents of {collection} in their order")
    wanted = len(lines) // 10
    few = write_part(small, lines, smallest(counts, wanted), counts)
    many = write_part(large, lines, largest(counts, wanted), counts)
    print(f"{len(lines)} documents; small: {few}; large: {many}")


if __name__ == "__main__":
    main()
