"""A corpus of planted copies from public-domain books. The same seed gives the same files.

Sources are whole documents of a collection, every second one. The others are cut into pieces of some hundred words, which host the copies: a suspicious document is a
piece with passages of sources, all of one kind and length; half of the passages are paragraphs of their own, half stand inside a paragraph. Some pieces stay as they
are: originals.
"""

import random
import re

from ..fingerprints import texts

SEED = 2007
# Passages per suspicious document.
PASSAGES = 2
# One word in this many is inserted or deleted.
RATE = 8
# Words that change places with each other.
WINDOW = 5
# Latin letters and their Cyrillic look-alikes.
LOOK_ALIKES = str.maketrans("aceopxyABCEHKMOPTX", "асеорхуАВСЕНКМОРТХ")
HEAD = "suspicious\toffset\tlength\tsource\tsource_offset\tsource_length\tkind\n"


def exact(words, _rng, _others):
    """Copied as it is."""
    return words


def shuffled_words(words, rng, _others):
    """The words of every other group of five change places."""
    groups = [words[at : at + WINDOW] for at in range(0, len(words), WINDOW)]
    for group in groups[::2]:
        rng.shuffle(group)
    return [word for group in groups for word in group]


def inserted_words(words, rng, others):
    """One word in eight is followed by a word of another text, at least one."""
    chosen = set(rng.sample(range(len(words)), max(1, len(words) // RATE)))
    return [part for at, word in enumerate(words) for part in ((word, rng.choice(others)) if at in chosen else (word,))]


def deleted_words(words, rng, _others):
    """One word in eight is dropped, at least one."""
    dropped = set(rng.sample(range(len(words)), max(1, len(words) // RATE)))
    return [word for at, word in enumerate(words) if at not in dropped]


def reordered_sentences(words, rng, _others):
    """The sentences change places; a single one is cut in two halves."""
    ends = [at + 1 for at, word in enumerate(words[:-1]) if re.search(r"[.!?]\W*$", word)] or [len(words) // 2]
    parts = [words[start:end] for start, end in zip([0, *ends], [*ends, len(words)], strict=True)]
    order = list(range(len(parts)))
    while order == sorted(order):
        rng.shuffle(order)
    return [word for at in order for word in parts[at]]


def homoglyphs(words, rng, _others):
    """Every other word has Cyrillic letters in place of the Latin ones that look like them."""
    return [word.translate(LOOK_ALIKES) if rng.random() < 0.5 else word for word in words]


KINDS = {kind.__name__: kind for kind in (exact, shuffled_words, inserted_words, deleted_words, reordered_sentences, homoglyphs)}


def pieces(documents, least):
    """Yields (id, paragraphs) of pieces of at least `least` words; a shorter rest is left out."""
    for name, text in documents:
        own, count, number = [], 0, 0
        for paragraph in text.splitlines():
            own.append(paragraph)
            count += len(paragraph.split())
            if count >= least:
                number += 1
                yield f"{name}.{number}", own
                own, count = [], 0


def sentence_starts(text):
    """Returns the character positions at which a sentence begins."""
    return [0, *(match.end() for match in re.finditer(r"[.!?]\s+", text) if match.end() < len(text))]


def passage(text, length, rng):
    """Returns (offset, end) of `length` words from the beginning of a sentence on; None if the text is too short."""
    places = [match.span() for match in re.finditer(r"\S+", text)]
    first = {start: number for number, (start, _) in enumerate(places)}
    numbers = [first[start] for start in sentence_starts(text) if start in first and first[start] + length <= len(places)]
    if not numbers:
        return None
    number = rng.choice(numbers)
    return places[number][0], places[number + length - 1][1]


def drawn(sources, length, rng, used):
    """Returns (source, offset, end) of a passage of a source that is not used yet in this document."""
    while True:
        name, text = sources[rng.randrange(len(sources))]
        found = passage(text, length, rng) if name not in used else None
        if found:
            used.add(name)
            return name, text, *found


def host(paragraphs, copies, rng):
    """Plants copies in paragraphs; returns (text, [(offset, length)] of the copies). Every second copy is a paragraph, the others follow a sentence."""
    lines = [[(paragraph, None)] for paragraph in paragraphs]
    places = sorted(rng.sample(range(len(lines)), min(len(copies), len(lines))))
    for number, copy in enumerate(copies):
        at = places[number % len(places)]
        if number % 2 == 0:
            lines[at] = [*lines[at], ("\n", None), (copy, number)]
            continue
        paragraph = lines[at][0][0]
        cut = rng.choice(sentence_starts(paragraph))
        lines[at][0:1] = [part for part in ((paragraph[:cut].rstrip(), None), (copy, number), (paragraph[cut:], None)) if part[0]]
    text, found = "", {}
    for line in lines:
        for part, number in line:
            if text and not text.endswith("\n") and part != "\n":
                text += " "
            if number is not None:
                found[number] = (len(text), len(part))
            text += part
        text += "\n"
    return text, [found[number] for number in range(len(copies))]


def create(documents, settings):
    """Returns (sources, suspicious documents, truth): (id, text) pairs, and rows of the truth with kind and length apart."""
    sources, hosts = documents[0::2], list(pieces(documents[1::2], settings["piece"]))
    rng = random.Random(f"{SEED} hosts")
    rng.shuffle(hosts)
    others = [word for _, paragraphs in hosts[:50] for paragraph in paragraphs for word in paragraph.split()]
    wanted = [(kind, length) for kind in KINDS for length in settings["lengths"] for _ in range(settings["documents"])]
    needed = len(wanted) + settings["originals"]
    if needed > len(hosts):
        raise ValueError(f"expected {needed} pieces to host copies, found {len(hosts)}")
    suspicious, truth = [], []
    for number, (name, paragraphs) in enumerate(hosts[:needed]):
        identity = f"suspicious-{number:04}"
        kind, length = wanted[number] if number < len(wanted) else (None, None)
        rng = random.Random(f"{SEED} {identity} {name} {kind} {length}")
        used, copies, origins = set(), [], []
        for _ in range(PASSAGES if kind else 0):
            source, text, start, end = drawn(sources, length, rng, used)
            copies.append(" ".join(KINDS[kind](text[start:end].split(), rng, others)))
            origins.append((source, start, end - start))
        text, places = host(paragraphs, copies, rng)
        suspicious.append((identity, text))
        truth += [(identity, *place, *origin, kind, length) for place, origin in zip(places, origins, strict=True)]
    return sources, suspicious, truth


def write(collection, settings, folder):
    """Writes sources.jsonl, suspicious.jsonl, truth.tsv (kinds of changes) and lengths.tsv (the same passages, their lengths as kinds) to a folder."""
    documents = [document for document in texts.read(collection) if re.search(settings.get("id", ""), document[0])]
    sources, suspicious, truth = create(documents, settings)
    folder.mkdir(parents=True, exist_ok=True)
    texts.write(folder / "sources.jsonl", sources)
    texts.write(folder / "suspicious.jsonl", suspicious)
    for name, kind in (("truth.tsv", lambda row: row[6]), ("lengths.tsv", lambda row: f"{row[7]:03} words")):
        with open(folder / name, "w", encoding="utf-8", newline="\n") as lines:
            lines.write(HEAD)
            lines.writelines("\t".join(map(str, (*row[:6], kind(row)))) + "\n" for row in truth)
