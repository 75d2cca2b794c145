"""Changed pages: an old version of each page is indexed, a new one searched.

A page is *listed* if its own old version is, and *marked* as changed if it is listed with less than all n-grams in common. Success is the share of changed pages that
are marked. False alarms are pages with another page listed, and unchanged pages that are marked.
"""

import itertools

from ..fingerprints import texts

HEAD = ["collection", "versions", "preset", "n", "pages", "changed", "listed", "marked", "with_other_pages", "unchanged", "unchanged_marked"]


def article(name):
    """Returns the article of a version."""
    return name.rpartition("/")[0]


def chapter(name):
    """Returns the chapter of a translation: kjv.Genesis.1, or a path …/kjv/genesis_001.txt."""
    return name.rpartition("/")[2] if "/" in name else name.partition(".")[2]


def articles(folder):
    """Returns the versions of each article, oldest first."""
    documents = sorted(texts.read(folder / "documents.jsonl.gz"), key=lambda document: (article(document[0]), int(document[0].rpartition("/")[2])))
    return [list(versions) for _, versions in itertools.groupby(documents, key=lambda document: article(document[0]))]


def count(old, new, found, page, condition):
    """Returns the counts of HEAD from `pages` on."""
    before = {page(name): text.split() for name, text in old}
    changed = listed = marked = others = unchanged_marked = 0
    for name, text in new:
        is_changed = text.split() != before[page(name)]
        sources = {page(source): match for source, match in found[name].sources.items() if match.meets(condition)} if name in found else {}
        own = sources.pop(page(name), None)
        is_marked = own is not None and own.similarity < 1
        changed += is_changed
        listed += is_changed and own is not None
        marked += is_changed and is_marked
        unchanged_marked += not is_changed and is_marked
        others += bool(sources)
    return len(new), changed, listed, marked, others, len(new) - changed, unchanged_marked
