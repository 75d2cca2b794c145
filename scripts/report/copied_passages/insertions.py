"""Random text with sentences of known sources, as Menšík tested his system: long sentences, adjacent ones, and single ones scattered over a document."""

import random

from ..fingerprints import texts

SEED = 2007
LONG, ADJACENT, SCATTERED = "long sentence", "adjacent sentences", "scattered sentences"
KINDS = (LONG, ADJACENT, SCATTERED)


def random_paragraphs(vocabulary, settings, rng):
    """Returns paragraphs of words drawn at random."""
    return [[rng.choice(vocabulary) for _ in range(settings["words"])] for _ in range(settings["paragraphs"])]


def drawn(sentences, kind, settings, rng):
    """Returns the inserted sentences, as lists that stay together; None if a source has too few of them."""
    counts = [len(sentence.split()) for sentence in sentences]
    if kind == LONG:
        usable = [[sentence] for sentence, count in zip(sentences, counts, strict=True) if count >= settings["long"]]
        return [rng.choice(usable)] if usable else None
    if kind == ADJACENT:
        count = settings["adjacent"]
        starts = [at for at in range(len(sentences) - count + 1) if all(own >= settings["short"][0] for own in counts[at : at + count])]
        return [sentences[(at := rng.choice(starts)) : at + count]] if starts else None
    low, high = settings["short"]
    usable = [[sentence] for sentence, count in zip(sentences, counts, strict=True) if low <= count <= high]
    return rng.sample(usable, settings["scattered"]) if len(usable) >= settings["scattered"] else None


def create(sources, settings):
    """Returns ([(id, text)], {id: (kind, source)})."""
    vocabulary = texts.words_of(sources)
    split = [(name, [sentence for line in text.splitlines() for sentence in texts.split_sentences(line)]) for name, text in sources]
    documents, truth = [], {}
    for kind in KINDS:
        rng = random.Random(f"{SEED} {kind}")
        for number in range(settings["documents"]):
            groups = None
            while groups is None:
                source, sentences = rng.choice(split)
                groups = drawn(sentences, kind, settings, rng)
            paragraphs = random_paragraphs(vocabulary, settings, rng)
            for place, group in zip(rng.sample(range(len(paragraphs)), len(groups)), groups, strict=True):
                at = rng.randrange(len(paragraphs[place]) + 1)
                paragraphs[place][at:at] = " ".join(group).split()
            name = f"{kind.replace(' ', '-')}-{number:03}"
            documents.append((name, "\n\n".join(map(" ".join, paragraphs)) + "\n"))
            truth[name] = kind, source
    return documents, truth
