"""Collections of the experiments: derived from those of scripts/collect, or edited for one question. The same seed gives the same files."""

import gzip
import itertools
import json
import pathlib
import random
import re
import zlib

SEED = 2007
# A synthetic sentence ends after a word whose hash has this remainder: the same words end sentences in a text and in its copies.
SENTENCE_WORDS = 15
# Words that texts are edited with: letters of the shortest, documents they are taken from, and their number.
MIN_LETTERS, MAX_SAMPLED, MAX_WORDS = 4, 1000, 20_000


def read(path):
    """Yields (id, text) of a collection, compressed or not."""
    opened = gzip.open if str(path).endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            document = json.loads(line)
            yield str(document["id"]), document["text"]


def write(path, documents):
    """Writes (id, text) pairs as JSON Lines."""
    with open(path, "w", encoding="utf-8", newline="\n") as lines:
        for name, text in documents:
            lines.write(json.dumps({"id": name, "text": text}, ensure_ascii=False) + "\n")


def write_truth(path, pairs):
    """Writes known pairs as a table."""
    with open(path, "w", encoding="utf-8", newline="\n") as lines:
        lines.write("document_1\tdocument_2\n")
        lines.writelines(f"{one}\t{other}\n" for one, other in pairs)


def versions(source, out, truth):
    """Copies a collection whose ids are ARTICLE/VERSION; two versions of one article are a known pair."""
    documents = list(read(source))
    write(out, documents)
    articles = itertools.groupby(sorted(name for name, _ in documents), key=lambda name: name.rpartition("/")[0])
    write_truth(truth, (pair for _, names in articles for pair in itertools.combinations(names, 2)))


def with_sentences(source, out):
    """Copies a synthetic collection, which has no sentences, with full stops after some words."""
    write(out, ((name, sentences(text)) for name, text in read(source)))


def sentences(text):
    """Returns a text of words as sentences: full stops after some words, capitals after full stops."""
    words, begins = [], True
    for word in text.split():
        ends = zlib.crc32(word.encode()) % SENTENCE_WORDS == 0
        words.append((word.capitalize() if begins else word) + "." * ends)
        begins = ends
    return " ".join(words) + "."


def split_sentences(text):
    """Returns the sentences of a text, by marks followed by white space."""
    return [part for part in re.split(r"(?<=[.!?])\s+", " ".join(text.split())) if part]


def longest(parts, count):
    """Returns the positions of the parts with most words."""
    return sorted(sorted(range(len(parts)), key=lambda at: (-len(parts[at].split()), parts[at]))[:count])


class WordRandom(random.Random):
    """Random numbers, and random words of a collection."""

    def __init__(self, seed, words):
        super().__init__(f"{SEED} {seed}")
        self.words = words

    def word(self):
        """Returns a word, as often as the collection has it: a word that no text has would be the heaviest of any statistics."""
        return self.choice(self.words)


def words_of(documents):
    """Returns words to edit texts with: a sample of the words of a collection without digits, of at least MIN_LETTERS letters."""
    found = [word.lower() for _, text in spread(list(documents), MAX_SAMPLED) for word in re.findall(rf"\b[^\W\d_]{{{MIN_LETTERS},}}\b", text)]
    return spread(found, MAX_WORDS)


def spread(items, count):
    """Returns `count` items, evenly spread; all if there are fewer."""
    return [items[at * len(items) // count] for at in range(count)] if len(items) > count else list(items)


def with_marks(word, old):
    """Returns a word with the marks after the word it replaces: without them, two sentences would be one."""
    return word + re.search(r"\W*$", old)[0]


def changed_words(words, share, rng, draw=WordRandom.word):
    """Replaces a share of the words, at least one, by drawn words, of the collection if nothing else is said."""
    words = list(words)
    for at in rng.sample(range(len(words)), max(1, round(share * len(words)))):
        words[at] = with_marks(draw(rng), words[at])
    return words


def one_word(text, rng):
    """One word is replaced."""
    words = text.split()
    at = rng.randrange(len(words))
    words[at] = with_marks(rng.word(), words[at])
    return " ".join(words)


def five_percent(text, rng):
    """One word in twenty is replaced."""
    return " ".join(changed_words(text.split(), 0.05, rng))


def new_words(text, rng):
    """One word in twenty is replaced by a word that no text has."""
    return " ".join(changed_words(text.split(), 0.05, rng, new_word))


def new_word(rng):
    """Returns a word that hardly any text has; of letters, for methods drop words with digits."""
    return "".join(rng.choice("bcdfgklmnprstvz") + rng.choice("aeiou") for _ in range(5))


def two_sentences(text, rng):
    """One word of each of the two longest sentences is replaced."""
    parts = split_sentences(text)
    for at in longest(parts, 2):
        parts[at] = " ".join(one_word(parts[at], rng).split())
    return " ".join(parts)


def moved_words(text, rng):
    """In every fifth sentence, two neighbouring words change places."""
    parts = split_sentences(text)
    parts[::5] = [moved_word(part, rng) for part in parts[::5]]
    return " ".join(parts)


def moved_word(sentence, rng):
    """Returns a sentence of more than three words with two neighbours, not the last word, in each other's place."""
    words = sentence.split()
    if len(words) > 3:
        place = rng.randrange(len(words) - 2)
        words[place], words[place + 1] = words[place + 1], words[place]
    return " ".join(words)


def moved_phrases(text, rng):
    """In every fifth sentence, the words before a comma, or the first half, move to its end."""
    parts = split_sentences(text)
    parts[::5] = [moved_phrase(part, rng) for part in parts[::5]]
    return " ".join(parts)


def moved_phrase(sentence, rng):
    """Returns a sentence whose beginning, up to one of its commas or else its middle, stands at its end."""
    body = sentence.rstrip(".!?:;,")
    words, mark = body.split(), sentence[len(body) :]
    ends = [at for at, word in enumerate(words[:-1], start=1) if word.endswith(",")]
    cut = rng.choice(ends) if ends else len(words) // 2
    return " ".join(words[cut:] + words[:cut]).rstrip(",") + mark


def moved_sentences(text, rng):
    """All sentences change places."""
    parts = split_sentences(text)
    rng.shuffle(parts)
    return " ".join(parts)


def raised_frequency(text, rng):
    """A word of another text is added often enough to be the most frequent one."""
    counts = {}
    for word in re.findall(r"\w+", text.lower()):
        counts[word] = counts.get(word, 0) + 1
    return text.rstrip() + f" {rng.word()}" * (max(counts.values(), default=0) + 1) + "."


def word_in_long_sentence(text, rng):
    """One word of one of the two longest sentences moves to its end."""
    parts = split_sentences(text)
    at = rng.choice(longest(parts, 2))
    words = parts[at].split()
    first = words.pop(0)
    words.insert(len(words) - 1, first)
    parts[at] = " ".join(words)
    return " ".join(parts)


EDITS = {edit.__name__: edit for edit in (one_word, five_percent, new_words, two_sentences, moved_words, moved_phrases, moved_sentences, raised_frequency, word_in_long_sentence)}
# Sentences that an edited document has at least.
MIN_SENTENCES = 6


def edited(source, kind, count, out, truth):
    """Writes some documents with enough sentences, evenly spread, and an edited copy of each."""
    documents = list(read(source))
    usable = [(name, text) for name, text in documents if len(split_sentences(text)) >= MIN_SENTENCES]
    originals, words = usable[:: max(1, len(usable) // count)][:count], words_of(documents)
    copies = [(f"{name}#copy", EDITS[kind](text, WordRandom(f"{kind} {name}", words))) for name, text in originals]
    write(out, originals + copies)
    write_truth(truth, ((name, f"{name}#copy") for name, _ in originals))


def overlapping(source, percent, count, out, truth):
    """Writes documents, and as many others of the same length that begin with a share of one's text and go on with unrelated text."""
    usable = [(name, text) for name, text in read(source) if len(text) >= 2000]
    chosen = usable[:: max(1, len(usable) // (2 * count))][: 2 * count]
    originals, others = chosen[0::2], chosen[1::2]
    copies = []
    for (name, text), (_, other) in zip(originals, others, strict=False):
        kept = round(len(text) * percent / 100)
        copies.append((f"{name}#copy", text[:kept] + " " + (other * 2)[: len(text) - kept]))
    write(out, originals + copies)
    write_truth(truth, ((name, f"{name}#copy") for name, _ in originals[: len(copies)]))


def ensure(path, create, *arguments):
    """Creates a file unless it exists; returns its path."""
    path = pathlib.Path(path)
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        create(*arguments)
    return path
