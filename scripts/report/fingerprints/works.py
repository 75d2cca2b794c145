"""Long works and copies that borrow a share of them: 15 books of the King James Version, each with 45 copies of 10 to 90 % borrowing.

A work is a book with its chapters as sections. A copy has the same headings; parts of it are taken over, the others are replaced by verses of other books in
another translation, of another length. The papers do not say how copies borrow, and methods depend on it, so there are two kinds: copies that borrow runs of
a few verses, and copies that borrow whole sections. Every second copy also has words of its borrowed verses replaced.
"""

import json

from . import texts

WORKS = 15
COPIES = 45
LOW, HIGH = 0.10, 0.90
# Duplicates have at least this share of borrowed words.
THRESHOLD = 0.75
# Share of borrowed verses with replaced words, and of words replaced in them, at least one.
EDITED_VERSES, EDITED_SHARE = 0.4, 0.02
ORIGINAL, FILLER = "kjv", "web"
# Kinds of copies, and the verses that they borrow at a time.
RUNS, SECTIONS = "runs", "sections"
KINDS = (RUNS, SECTIONS)
RUN = (3, 12)


def books(bible, translation):
    """Returns {book: [(chapter heading, [verse])]} of a translation, in the order of the collection."""
    found = {}
    for name, text in texts.read(bible):
        part, book, chapter = name.split(".")
        if part == translation:
            found.setdefault(book, []).append((f"# {book.replace('_', ' ')} {chapter}", text.strip().split("\n")))
    return found


def words(chapters):
    """Counts the words of a book."""
    return sum(len(verse.split()) for _, verses in chapters for verse in verses)


def chosen(bible, count=WORKS):
    """Returns the longest books, in the order of the collection."""
    all_books = books(bible, ORIGINAL)
    names = sorted(sorted(all_books, key=lambda book: -words(all_books[book]))[:count], key=list(all_books).index)
    return {name: all_books[name] for name in names}


def render(chapters):
    """Returns a book as Markdown."""
    return "\n\n".join(heading + "\n\n" + "\n".join(verses) for heading, verses in chapters) + "\n"


def shares(copies):
    """Returns the share of borrowed words of each copy."""
    return [LOW + (HIGH - LOW) * number / (copies - 1) for number in range(copies)]


def filler_verses(bible, works):
    """Returns the verses of all other books in another translation."""
    return [verse for book, chapters in books(bible, FILLER).items() if book not in works for _, verses in chapters for verse in verses]


def pieces(verses, kind, rng):
    """Yields the parts of a section that are borrowed or replaced as a whole."""
    at = 0
    while at < len(verses):
        size = rng.randint(*RUN) if kind == RUNS else len(verses)
        yield verses[at : at + size]
        at += size


def replaced(piece, fillers, rng):
    """Returns other verses, half to one and a half times as many."""
    count = max(1, round(len(piece) * rng.uniform(0.5, 1.5)))
    start = rng.randrange(max(1, len(fillers) - count))
    return fillers[start : start + count]


def edited(piece, rng):
    """Replaces words in some verses."""
    is_changed = (rng.random() < EDITED_VERSES for _ in piece)
    return [" ".join(texts.changed_words(verse.split(), EDITED_SHARE, rng)) if changed else verse for verse, changed in zip(piece, is_changed, strict=True)]


def borrow(chapters, share, fillers, kind, is_edited, rng):
    """Returns (a copy, the share of its words that are borrowed)."""
    copy, borrowed, total = [], 0, 0
    for heading, verses in chapters:
        lines = []
        for piece in pieces(verses, kind, rng):
            # The share so far decides half of the time, so that every copy comes close to the share it should have.
            is_borrowed = borrowed <= share * total if rng.random() < 0.5 else rng.random() < share
            if not is_borrowed:
                piece = replaced(piece, fillers, rng)
            elif is_edited:
                piece = edited(piece, rng)
            count = sum(len(verse.split()) for verse in piece)
            borrowed, total = borrowed + count * is_borrowed, total + count
            lines += piece
        copy.append((heading, lines))
    return copy, borrowed / total


def create(bible, kind, out, plan, works=WORKS, copies=COPIES):
    """Writes works and copies of one kind as JSON Lines, and the shares of borrowed words as JSON."""
    originals = chosen(bible, works)
    fillers = filler_verses(bible, originals)
    words, documents, facts = texts.words_of(enumerate(fillers)), [], []
    for number, (book, chapters) in enumerate(originals.items(), start=1):
        documents.append((f"work{number}", render(chapters)))
        for copy_number, share in enumerate(shares(copies)):
            rng = texts.WordRandom(f"{kind} {book} {copy_number}", words)
            copy, borrowed = borrow(chapters, share, fillers, kind, copy_number % 2 == 1, rng)
            name = f"work{number}.{copy_number}"
            documents.append((name, render(copy)))
            facts.append({"work": number, "book": book, "copy": name, "borrowed": round(borrowed, 4)})
    texts.write(out, documents)
    plan.write_text(json.dumps(facts, indent=1) + "\n")


def f1(found, relevant):
    """Returns F1 of two sets; 0 if they share nothing."""
    hits = len(found & relevant)
    return 2 * hits / (len(found) + len(relevant)) if hits else 0.0


def scores(facts, found):
    """Returns [(work, F1)] of one method; `found` is the set of copies that it takes for duplicates."""
    by_work = {}
    for fact in facts:
        by_work.setdefault(fact["work"], []).append(fact)
    result = []
    for work, copies in sorted(by_work.items()):
        names = {fact["copy"] for fact in copies}
        relevant = {fact["copy"] for fact in copies if fact["borrowed"] >= THRESHOLD}
        result.append((work, f1(found & names, relevant)))
    return result
