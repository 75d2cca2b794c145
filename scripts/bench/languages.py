"""Precision and recall of find_near_dups on edited copies of texts in several languages.

Usage: python -m bench.languages COLLECTIONS RESULTS

The documents with odd numbers are planted with copies; those with even numbers are for tuning (bench.segmentation). Writes results.csv.
"""

import csv
import json
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

LANGUAGES = {
    "zh": "Chinese", "ja": "Japanese", "ko": "Korean", "th": "Thai", "hi": "Hindi", "ar": "Arabic", "ru": "Russian", "el": "Greek", "en": "English",
}
RATES = (1, 5, 10)
THRESHOLD = 0.8
TUNING, REPORTED = 0, 1


def documents(folder, language, half):
    """Return the texts of one half of a language's documents."""
    lines = (Path(folder) / f"{language}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["text"] for line in lines][half::2]


def edited(text, rate, characters, rng):
    """Return a copy in which rate % of the characters, at least one, are replaced, deleted, or followed by new ones."""
    copy = list(text)
    for _ in range(max(1, round(len(text) * rate / 100))):
        place, kind = rng.randrange(len(copy)), rng.randrange(3)
        if kind == 0:
            copy[place] = rng.choice(characters)
        elif kind == 1:
            copy.insert(place, rng.choice(characters))
        else:
            del copy[place]
    return "".join(copy)


def planted(texts, language, rate):
    """Return an edited copy of every text, with characters of all texts."""
    characters = "".join(texts)
    return [edited(text, rate, characters, random.Random(f"{language} {rate} {number}")) for number, text in enumerate(texts)]


def search(texts, copies, folder):
    """Return {(document, document): cosine} of the pairs that find_near_dups finds."""
    lines = [json.dumps({"id": f"{kind}{number}", "text": text}) for kind, group in (("o", texts), ("c", copies)) for number, text in enumerate(group)]
    (folder / "documents.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = ["find_near_dups", "-q", folder / "documents.jsonl", "--threshold", str(THRESHOLD), "--out", folder / "pairs.tsv", "--no_sync"]
    subprocess.run(command, check=True)
    rows = (folder / "pairs.tsv").read_text(encoding="utf-8").splitlines()[1:]
    return {frozenset(names): float(cosine) for cosine, *names in (row.split("\t")[:3] for row in rows)}


def measured(texts, language, rate, folder):
    """Return the row of a language and an edit rate."""
    found = search(texts, planted(texts, language, rate), folder)
    truth = [frozenset((f"o{number}", f"c{number}")) for number in range(len(texts))]
    hits = [found[pair] for pair in truth if pair in found]
    return {
        "language": language, "documents": len(texts), "characters": round(statistics.mean(map(len, texts))), "edited_percent": rate,
        "found": len(found), "true": len(hits), "precision": f"{len(hits) / len(found):.4f}" if found else "", "recall": f"{len(hits) / len(truth):.4f}",
    }


def main():
    """Write results.csv."""
    collections, results = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        rows = [
            measured(documents(collections, language, REPORTED), language, rate, Path(folder))
            for language in LANGUAGES for rate in RATES
        ]
    with open(Path(results) / "results.csv", "w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, rows[0], lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


if __name__ == "__main__":
    main()
