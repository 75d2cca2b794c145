"""Indexes, searches and what they find."""

import pathlib
import re
import shutil
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field

from ..fingerprints.runs import execute


@dataclass
class Match:
    """What a source has in common with a document: shares of n-grams, of the whole and of the best paragraph, and the longest run in words."""

    similarity: float
    run: int
    paragraph: float = 0.0

    def meets(self, condition):
        """Returns whether the source is listed: `a=70%`, a share of the whole or of a paragraph, or `m=10`, a run."""
        kind, number = re.fullmatch(r"([am])=(\d+)%?", condition).groups()
        return max(self.similarity, self.paragraph) >= int(number) / 100 if kind == "a" else self.run >= int(number)


@dataclass
class Searched:
    """A document: its n-grams, the matches of sources, and those of its paragraphs, by number."""

    ngrams: int
    sources: dict
    paragraphs: dict = field(default_factory=dict)

    def listed(self, condition):
        """Returns the sources that meet a condition."""
        return {name for name, match in self.sources.items() if match.meets(condition)}

    def limited(self, accuracy, run, length):
        """Returns the sources that reach one of both limits; a run of 0 is no limit, and n-grams of `length` words show no shorter run."""
        return self.listed(f"a={accuracy}%") | (self.listed(f"m={max(run, length)}") if run else set())


def index(folder, inputs, lengths, rules):
    """Indexes documents; `rules` are flags of ngram_index. An index that exists is kept."""
    folder = pathlib.Path(folder)
    if not (folder / "complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        execute(["ngram_index", "add", *inputs, "--index", folder / "index", "-n", ",".join(map(str, lengths)), *rules])
        (folder / "complete").touch()
    return folder / "index"


def matches(place, inputs, length, flags, out):
    """Returns {document: Searched} of all sources that share an n-gram."""
    execute(["ngram_search", *inputs, "--index", place, "-n", length, "-a", 0, "-m", 0, *flags, "--format", "xml", "--out", out])
    found = {}
    for _, element in ElementTree.iterparse(out):
        if element.tag == "document":
            found[element.get("id")] = read_document(element)
            element.clear()
    return found


def read_document(element):
    """Returns the Searched of a `document` element."""
    total = int(element.get("ngrams"))
    searched = Searched(total, {source.get("id"): match(source, total) for source in element.findall("source")})
    for paragraph in element.findall("paragraph"):
        own = {source.get("id"): match(source, int(paragraph.get("ngrams"))) for source in paragraph.findall("source")}
        searched.paragraphs[int(paragraph.get("number"))] = own
        for name, one in own.items():
            searched.sources[name].paragraph = max(searched.sources[name].paragraph, one.similarity)
    return searched


def match(source, total):
    """Returns the Match of a `source` element among `total` n-grams."""
    return Match(int(source.get("ngrams")) / total, int(source.get("run")))


def passages(place, inputs, length, limits, flags, out):
    """Writes the passages that ngram_search finds; `limits` has percent and run."""
    execute(["ngram_search", *inputs, "--index", place, "-n", length, "-a", limits["accuracy"], "-m", limits["run"], *flags, "--format", "jsonl", "--out", out])
    return out
