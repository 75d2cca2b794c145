"""Documents of one language, from message catalogues.

Usage: languages.py LANGUAGE OUT CATALOGUES...

Each folder CATALOGUES holds .mo files of a translation. Writes their messages as JSON Lines to OUT, each document some messages of one
catalogue, 300 to 3,000 characters; for LANGUAGE en, the messages that are translated. A message occurs once. Of documents that share
more than a quarter of their character trigrams (Jaccard), only the first is kept: pairs are then those that an experiment plants.
"""

import gettext
import math
import random
import re
import sys
from pathlib import Path

import documents

# Messages with fewer characters are labels. Chinese, Japanese and Korean say the same in half as many.
MIN_MESSAGE, MIN_SHORT_MESSAGE = 20, 10
SHORT = ("zh", "ja", "ko")
# Characters: a document ends with the message that reaches its own length, at least the first, at most the second.
MIN_DOCUMENT, MAX_TARGET, MAX_DOCUMENT = 300, 900, 3000
MAX_DOCUMENTS = 600
MAX_JACCARD = 0.25
# Mnemonics of menus: "_Open", "~Open", "เปิด(_O)".
MNEMONIC = re.compile(r"\([_~]\w\)|[_~](?=\w)")


def messages(path, language):
    """Return the distinct messages of a catalogue, in the order of their English texts."""
    with open(path, "rb") as file:
        catalogue = gettext.GNUTranslations(file)._catalog  # the only access to all messages
    pairs = [(key, text) for key, text in catalogue.items() if isinstance(key, str) and key and text]
    texts = (key.rpartition("\x04")[2] if language == "en" else text for key, text in sorted(pairs))
    return [" ".join(MNEMONIC.sub("", text).split()) for text in texts]


def grouped(texts, rng):
    """Yield texts joined to documents, whose lengths are uniform in logarithm."""
    target, group = 0, []
    for text in texts:
        if not group:
            target = math.exp(rng.uniform(math.log(MIN_DOCUMENT), math.log(MAX_TARGET)))
        group.append(text)
        length = sum(map(len, group)) + len(group)
        if length > MAX_DOCUMENT:
            group = []
        elif length >= target:
            yield "\n".join(group) + "\n"
            group = []


def trigrams(text):
    """Return the set of a text's character trigrams."""
    return {text[at:at + 3] for at in range(len(text) - 2)}


def without_similar(texts):
    """Return the texts that share few trigrams with each kept before them."""
    kept, sets = [], []
    for text in texts:
        own = trigrams(text)
        if all(len(own & other) <= MAX_JACCARD * len(own | other) for other in sets):
            kept.append(text)
            sets.append(own)
    return kept


def main():
    """Write the documents of a language."""
    language, out, *folders = sys.argv[1:]
    catalogues = sorted(path for folder in folders for path in Path(folder).rglob("*.mo"))
    shortest = MIN_SHORT_MESSAGE if language in SHORT else MIN_MESSAGE
    rng, seen, found = random.Random(language), set(), []
    for path in catalogues:
        long = [text for text in messages(path, language) if len(text) >= shortest]
        new = [text for text in dict.fromkeys(long) if text not in seen]
        seen.update(new)
        found.extend(grouped(new, rng))
    rng.shuffle(found)
    kept = without_similar(found)[:MAX_DOCUMENTS]
    documents.write(out, ((f"{language}{number}", text) for number, text in enumerate(kept)))


if __name__ == "__main__":
    main()
