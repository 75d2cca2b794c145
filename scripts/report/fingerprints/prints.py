"""PRINT files of create_prints, and the sequences of sent_words in them."""

import itertools
import pathlib
import urllib.parse
from dataclasses import dataclass

# Lines of a list before the paths of its files: documents, method, rule of agreement.
HEAD_LINES = 3
# Fields of a print of sent_words before its sentences, and the number of these.
SENTENCES_AT, SENTENCES = 2, 3
# Ratio of the lengths of neighbours above which a sequence ends.
LENGTH_RATIO = 1.15


@dataclass(frozen=True)
class PrintList:
    """Prints by document, as text, and the method and rule lines of their list."""

    rules: list
    prints: dict

    @classmethod
    def read(cls, path):
        """Reads a list and its files."""
        lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
        rules, files = lines[1:HEAD_LINES], lines[HEAD_LINES:]
        prints = {}
        for file in files:
            for line in pathlib.Path(file).read_text(encoding="utf-8").splitlines():
                name, _, print_ = line.partition(":")
                prints[urllib.parse.unquote(name)] = (name, print_)
        return cls(rules, prints)

    def print_of(self, document):
        """Returns the print of a document as text."""
        return self.prints[document][1]

    def replaced(self, other, documents):
        """Returns this list with the prints that another list has for some documents."""
        return PrintList(self.rules, self.prints | {document: other.prints[document] for document in documents})

    def write(self, path):
        """Writes a list with one file next to it."""
        path = pathlib.Path(path)
        file = path.with_suffix(".prints").absolute()
        file.write_text("".join(f"{name}:{print_}\n" for name, print_ in self.prints.values()), encoding="utf-8")
        path.write_text("\n".join([f"VELIKOST_KOLEKCE {len(self.prints)}", *self.rules, str(file)]) + "\n", encoding="utf-8")


def changed(one, other, documents):
    """Returns the share of documents whose prints differ in two lists."""
    documents = list(documents)
    return sum(one.print_of(document) != other.print_of(document) for document in documents) / len(documents)


def repeated_elements(listed):
    """Returns (documents in sequences of sent_words, those of them in more than one), after sequences inside others are dropped.

    Counts documents, as the paper does; match_prints counts different prints.
    """
    counts = {}
    for sequence in maximal(sequences(listed)):
        for document in sequence:
            counts[document] = counts.get(document, 0) + 1
    return len(counts), sum(count > 1 for count in counts.values())


def sequences(listed):
    """Yields sets of at least two documents with a common long sentence, cut where the lengths of neighbours differ too much."""
    records = []
    for document, (_, print_) in listed.prints.items():
        fields = [int(field, 16) for field in print_.split()[1:]]
        signs = fields[SENTENCES_AT : SENTENCES_AT + SENTENCES]
        records += [(sign, fields[0], document) for sign in set(signs) if sign]
    for _, group in itertools.groupby(sorted(records), key=lambda record: record[0]):
        current, last = [], None
        for _, length, document in group:
            if last is not None and length > LENGTH_RATIO * last:
                if len(current) > 1:
                    yield frozenset(current)
                current = []
            current.append(document)
            last = length
        if len(current) > 1:
            yield frozenset(current)


def maximal(found):
    """Returns the different sets that are inside no other."""
    kept, of_document = [], {}
    for sequence in sorted(set(found), key=len, reverse=True):
        if any(sequence <= kept[number] for number in of_document.get(min(sequence), ())):
            continue
        for document in sequence:
            of_document.setdefault(document, []).append(len(kept))
        kept.append(sequence)
    return kept
