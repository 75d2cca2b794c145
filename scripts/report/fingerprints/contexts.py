"""Collections that change: one topic or many around the same documents, and batches added to existing documents."""

import difflib
import re

from . import texts

# Contexts of the judged documents.
ONE_TOPIC, MIXED = "one_topic", "mixed"
CONTEXTS = (ONE_TOPIC, MIXED)
# Pairs whose words agree to this share, in order, are right.
SIMILAR = 0.8
COPY = "#copy"


def is_of(topic, name, text):
    """Returns whether a document is of a topic, by its id or its text."""
    return bool(re.search(topic["id"], name) if "id" in topic else re.search(topic["text"], text))


def around(documents, topic, edit, judged, context):
    """Returns (originals and one copy of each by an edit, {context: other documents}); None if the topic has too few documents."""
    inside = [document for document in documents if is_of(topic, *document)]
    if len(inside) < judged + context:
        return None
    originals = texts.spread(inside, judged)
    names, words = {name for name, _ in originals}, texts.words_of(documents)
    copies = [(name + COPY, texts.EDITS[edit](text, texts.WordRandom(f"{topic['name']} {edit} {name}", words))) for name, text in originals]
    others = {
        ONE_TOPIC: texts.spread([document for document in inside if document[0] not in names], context),
        MIXED: texts.spread([document for document in documents if not is_of(topic, *document)], context),
    }
    return originals + copies, others


def quality(judged, pairs):
    """Returns (F1, precision, recall, pairs) of the pairs among documents and their copies. Recall counts copies; right pairs are copies, or similar."""
    words = {name: text.split() for name, text in judged}
    inside = {pair for pair in pairs if len(pair) == 2 and pair <= words.keys()}
    copies = {frozenset((name, name + COPY)) for name in words if name + COPY in words}
    right = sum(pair in copies or is_similar(*(words[name] for name in sorted(pair))) for pair in inside)
    precision, recall = right / len(inside) if inside else 0.0, len(inside & copies) / len(copies)
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return f1, precision, recall, len(inside)


def is_similar(one, other):
    """Returns whether two lists of words agree to the share of similar texts."""
    matcher = difflib.SequenceMatcher(None, one, other, autojunk=False)
    return matcher.quick_ratio() >= SIMILAR and matcher.ratio() >= SIMILAR


def batch(documents, existing, size):
    """Returns `size` new documents: those that follow the existing ones, and as many copies of existing ones with a replaced word."""
    usable = [document for document in documents[:existing] if document[1].split()]
    copied, words = texts.spread(usable, size // 2), texts.words_of(usable)
    copies = [(name + COPY, texts.one_word(text, texts.WordRandom(f"batch {name}", words))) for name, text in copied]
    return documents[existing : existing + size - len(copies)] + copies
