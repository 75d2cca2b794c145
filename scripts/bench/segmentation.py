"""Rules for the words of scripts without spaces, compared on edited copies: words, n-grams of characters, ICU4X's dictionaries.

Usage: python -m bench.segmentation COLLECTIONS SEGMENT RESULTS

SEGMENT is the executable of scripts/bench/segment. Uses the documents with even numbers. Writes segmentation.csv.
"""

import csv
import json
import math
import re
import subprocess
import sys
import unicodedata
from collections import Counter
from pathlib import Path

import numpy as np
import scipy.sparse

from bench.languages import RATES, THRESHOLD, TUNING, documents, planted

# Scripts without spaces that the four languages use: Thai, Hangul, kana, Han.
SPACELESS = re.compile(r"[\u0e00-\u0e7f\u3005\u3007\u3040-\u31ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f]")
LANGUAGES = ("zh", "ja", "ko", "th")
# Letters that a character of these scripts counts as in the weight of a term.
LETTERS = (1, 2, 3, 4)


def is_mark(character):
    """Return whether a character belongs to the one before it."""
    return unicodedata.category(character)[0] == "M"


def runs(text):
    """Yield runs of units (characters with their marks), and whether their script has no spaces."""
    run, spaceless = [], False
    for character in unicodedata.normalize("NFC", text).lower() + " ":
        if run and is_mark(character):
            run[-1] += character
            continue
        kind = bool(SPACELESS.match(character))
        if run and (kind != spaceless or not character.isalnum()):
            yield run, spaceless
            run = []
        if character.isalnum():
            run.append(character)
            spaceless = kind


def grams(*sizes):
    """Return a rule: n-grams of these sizes in scripts without spaces, words in others."""
    def terms(text):
        for run, spaceless in runs(text):
            found = ["".join(run[at:at + size]) for size in sizes for at in range(len(run) - size + 1)] if spaceless else []
            yield from found or ["".join(run)]
    return lambda texts: [list(terms(text)) for text in texts]


def words(texts):
    """Return runs of letters and digits, the rule for scripts with spaces."""
    return [[word.lower() for word in re.findall(r"[^\W_]+", unicodedata.normalize("NFC", text))] for text in texts]


def dictionary(segment, kind):
    """Return a rule: words of ICU4X."""
    def terms(texts):
        lines = "".join(json.dumps({"text": text}) + "\n" for text in texts)
        done = subprocess.run([segment, kind], input=lines, capture_output=True, text=True, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]
    return terms


def weight(term, count, letters):
    """Return the weight of a term."""
    length = sum(letters if SPACELESS.match(character) else 1 for character in term if not (letters > 1 and is_mark(character)))
    return (1 + math.log(count)) * min(8, length) / 8


def cosines(bags, letters):
    """Return the cosines of all bags of words."""
    numbers, rows, columns, weights = {}, [], [], []
    for row, bag in enumerate(bags):
        for term, count in Counter(bag).items():
            rows.append(row)
            columns.append(numbers.setdefault(term, len(numbers)))
            weights.append(weight(term, count, letters))
    matrix = scipy.sparse.csr_array((weights, (rows, columns)), shape=(len(bags), len(numbers)))
    norms = np.sqrt((matrix * matrix).sum(axis=1))
    matrix = scipy.sparse.diags_array(1 / np.where(norms == 0, 1, norms)) @ matrix
    return (matrix @ matrix.T).toarray()


def measured(originals, copies, letters):
    """Return precision and recall of the bags of copies, and their median cosine."""
    found = cosines(originals + copies, letters)
    count = len(originals)
    truth = found[np.arange(count), np.arange(count) + count]
    pairs, hits = (found[np.triu_indices(2 * count, 1)] >= THRESHOLD).sum(), (truth >= THRESHOLD).sum()
    return {"precision": f"{hits / pairs:.4f}" if pairs else "", "recall": f"{hits / count:.4f}", "median_cosine": f"{np.median(truth):.4f}"}


def main():
    """Write segmentation.csv."""
    collections, segment, results = sys.argv[1:]
    rules = {
        "words": words, "unigrams": grams(1), "bigrams": grams(2), "trigrams": grams(3), "unigrams and bigrams": grams(1, 2),
        "ICU4X dictionary": dictionary(segment, "dictionary"), "ICU4X auto (LSTM)": dictionary(segment, "auto"),
    }
    rows = []
    for language in LANGUAGES:
        texts = documents(collections, language, TUNING)
        copies = {rate: planted(texts, language, rate) for rate in RATES}
        for name, rule in rules.items():
            originals, bags = rule(texts), {rate: rule(copies[rate]) for rate in RATES}
            terms = round(sum(map(len, originals)) / len(originals))
            for letters in LETTERS:
                head = {"language": language, "rule": name, "letters_per_character": letters, "terms": terms}
                rows.extend(head | {"edited_percent": rate} | measured(originals, bags[rate], letters) for rate in RATES)
    with open(Path(results) / "segmentation.csv", "w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, rows[0], lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


if __name__ == "__main__":
    main()
