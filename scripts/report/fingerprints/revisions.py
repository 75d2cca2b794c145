"""Copies of whole works with moved text or changed words, by share of the text. A work has sections, its sentences are lines."""

import itertools
import re

from . import texts

SENTENCE = re.compile(r"[^.!?]+[.!?]")


def works(documents, pattern, count):
    """Returns {work: [(heading, [line])]} of the works with most words; a document is a section of the work that the pattern finds in its id."""
    found = {}
    for name, text in documents:
        matched = re.search(pattern, name)
        if matched:
            chapters = found.setdefault(matched[1], [])
            chapters.append((f"# {matched[1].replace('_', ' ')} {len(chapters) + 1}", text.strip().split("\n")))
    return {name: found[name] for name in sorted(found, key=lambda work: (-size(found[work]), work))[:count]}


def size(chapters):
    """Counts the words of a work."""
    return sum(len(line.split()) for _, lines in chapters for line in lines)


def by_lines(change):
    """Returns a revision that changes a share of the lines of every section, at least one, each by itself."""

    def revise(chapters, share, rng):
        return [(heading, some_changed(lines, share, change, rng)) for heading, lines in chapters]

    return revise


def some_changed(lines, share, change, rng):
    lines = list(lines)
    for at in rng.sample(range(len(lines)), max(1, round(share * len(lines)))):
        lines[at] = change(lines[at], rng)
    return lines


def moved_sentences(chapters, share, rng):
    """Exchanges the places of a share of the lines of every section, at least two if there are as many."""
    revised = []
    for heading, lines in chapters:
        places = rng.sample(range(len(lines)), min(len(lines), max(2, round(share * len(lines)))))
        lines = list(lines)
        # Every line moves: each takes the place of the next.
        for one, other in itertools.pairwise(places):
            lines[one], lines[other] = lines[other], lines[one]
        revised.append((heading, lines))
    return revised


def by_words(change):
    """Returns a revision that changes a share of the words of every section, at least one."""

    def revise(chapters, share, rng):
        return [(heading, words_changed(lines, share, change, rng)) for heading, lines in chapters]

    return revise


def words_changed(lines, share, change, rng):
    places = [(line, at) for line, text in enumerate(lines) for at in range(len(text.split()))]
    split = [text.split() for text in lines]
    for line, at in rng.sample(places, max(1, round(share * len(places)))):
        split[line][at] = change(split[line][at], rng)
    return [" ".join(words) for words in split]


def replaced_word(word, rng):
    return texts.with_marks(rng.word(), word)


def inserted_word(word, rng):
    return f"{rng.word()} {word}"


def two_sentences(chapters, _, rng):
    """Replaces one word of each of the two sentences of the work with most words."""
    bodies = ["\n".join(lines) for _, lines in chapters]
    spans = [(len(one[0].split()), chapter, one.start(), one.end()) for chapter, body in enumerate(bodies) for one in SENTENCE.finditer(body)]
    longest = sorted(spans, key=lambda span: (-span[0], span[1:]))[:2]
    # The last one first: the places of the other stay right.
    for _, chapter, start, end in sorted(longest, key=lambda span: span[1:], reverse=True):
        word = rng.choice(list(re.finditer(r"\w+", bodies[chapter][start:end])))
        bodies[chapter] = bodies[chapter][: start + word.start()] + rng.word() + bodies[chapter][start + word.end() :]
    return [(heading, body.split("\n")) for (heading, _), body in zip(chapters, bodies, strict=True)]


MOVED = {"moved words": by_lines(texts.moved_word), "moved phrases": by_lines(texts.moved_phrase), "moved sentences": moved_sentences}
CHANGED = {"replaced words": by_words(replaced_word), "inserted words": by_words(inserted_word)}
TWO_SENTENCES = "two longest sentences"
REVISIONS = MOVED | CHANGED | {TWO_SENTENCES: two_sentences}


def shares(plan, kind):
    """Returns the shares of text that a kind of revision changes; the two longest sentences are no share."""
    return plan["moved"] if kind in MOVED else plan["changed"] if kind in CHANGED else [0]


def copies(originals, kind, plan, render):
    """Returns (documents, {copy: (work, share)}) of one kind of revision."""
    documents, facts = [(name, render(chapters)) for name, chapters in originals.items()], {}
    words = texts.words_of(documents)
    for name, chapters in originals.items():
        for share in shares(plan, kind):
            copy = f"{name}#{share}"
            facts[copy] = (name, share)
            documents.append((copy, render(REVISIONS[kind](chapters, share, texts.WordRandom(f"{kind} {copy}", words)))))
    return documents, facts
