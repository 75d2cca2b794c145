"""Files of the pipeline as arrays, for baselines and checks. Documents are named by numbers, as create_corpus names them."""

import collections
import gzip
import json
import math
import os
import pathlib
import re

import numpy as np
import scipy.sparse

# Letters and digits.
WORD = re.compile(r"[^\W_]+")


def texts(path):
    """Yields the texts of JSON Lines, or of all files of a folder, which may be compressed."""
    if not os.path.isdir(path):
        with open(path) as lines:
            for line in lines:
                yield json.loads(line)["text"]
    for file in files_below(path):
        with gzip.open(file) if file.endswith(".gz") else open(file, "rb") as content:
            yield content.read().decode(errors="replace")


def files_below(folder):
    """Returns the files of a folder; links are followed, as by our executables. None for a file."""
    return [path for at, _, names in os.walk(folder, followlinks=True) for path in (os.path.join(at, name) for name in names) if os.path.isfile(path)]


def size_of(path):
    """Returns the bytes of a file, or of all files of a folder."""
    return sum(map(os.path.getsize, files_below(path) or [path]))


def listed(paths_file):
    """Returns the header of a list (word -> number) and the files it names."""
    header, files = {}, []
    for line in pathlib.Path(paths_file).read_text().splitlines():
        word, _, rest = line.partition(" ")
        if word.isupper() and (rest.isdigit() or not rest) and "/" not in word:
            header[word] = int(rest or 0)
        else:
            files.append(line)
    return header, files


def vectors(vec_paths):
    """Returns document numbers and a CSR matrix of float64, from VEC files."""
    header, files = listed(vec_paths)
    names, sizes, indexes, values = [], [], [], []
    for path in files:
        text = pathlib.Path(path).read_bytes().replace(b":", b" ").replace(b"\n", b" ")
        numbers = np.fromstring(text, dtype=np.float64, sep=" ")
        at, keep = 0, np.ones(len(numbers), dtype=bool)
        while at < len(numbers):
            names.append(int(numbers[at]))
            sizes.append(int(numbers[at + 1]))
            keep[at : at + 2] = False
            at += 2 + 2 * sizes[-1]
        components = numbers[keep]
        indexes.append(components[0::2].astype(np.int32))
        values.append(components[1::2])
    ends = np.concatenate([[0], np.cumsum(sizes)])
    shape = (len(names), header["VELIKOST_SLOVNIKU"])
    return np.array(names), scipy.sparse.csr_matrix((np.concatenate(values), np.concatenate(indexes), ends), shape=shape)


def norms(matrix):
    """Returns the norms of the rows of a matrix."""
    return np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())


def signatures(sig_paths):
    """Returns the documents of each distinct signature, and the signatures as rows of bytes."""
    documents, rows = [], []
    for path in listed(sig_paths)[1]:
        for line in pathlib.Path(path).read_text().splitlines():
            signature, _, names = line.partition(":")
            documents.append([int(name) for name in names.split(" ")[1:]])
            rows.append(np.frombuffer(bytes.fromhex(signature), dtype=np.uint8))
    return documents, np.stack(rows)


def result_pairs(path):
    """Returns the pairs of a result file as {(smaller, larger): similarity}. The first document represents all with the same signature."""
    pairs = {}
    with open(path) as lines:
        for line in lines:
            fields = line.rstrip("\n").split(":")
            first = int(fields[0].split("(")[0])
            for other, similarity in zip(fields[1::2], fields[2::2], strict=True):
                other = int(other.split("(")[0])
                pairs[min(first, other), max(first, other)] = float(similarity)
    return pairs


def document_pairs(path):
    """Returns the number of document pairs in a result file, including pairs with equal signatures."""
    matches = 0
    with open(path) as lines:
        for line in lines:
            fields = line.rstrip("\n").split(":")
            mine = 1 + group_size(fields[0])
            matches += mine * (mine - 1)
            matches += sum(mine * (1 + group_size(other)) for other in fields[1::2])
    return matches // 2


def group_size(group):
    """Returns the number of documents in the parentheses of doc1(doc2 doc3)."""
    return group.count(" ") + 1 if "(" in group else 0


def terms(voc_name):
    """Returns the terms of a VOC file, by position."""
    with open(voc_name) as lines:
        return [line.split(" ")[0] for line in lines][2:]


def planted_above(corpus, truth, threshold):
    """Returns the planted pairs whose cosine reaches a threshold: lower-case words weighted by (1 + ln(count))·letters/8."""
    with open(truth) as lines:
        next(lines)
        pairs = [tuple(line.split("\t")[:2]) for line in lines]
    wanted = {document for pair in pairs for document in pair}
    vectors = {}
    with open(corpus) as lines:
        for line in lines:
            record = json.loads(line)
            if record["id"] in wanted:
                counts = collections.Counter(WORD.findall(record["text"].lower()))
                vectors[record["id"]] = {word: (1 + math.log(count)) * min(len(word), 8) / 8 for word, count in counts.items()}
    return [pair for pair in pairs if cosine(*map(vectors.get, pair)) >= threshold]


def cosine(left, right):
    dot = sum(weight * right.get(word, 0) for word, weight in left.items())
    return dot / math.prod(math.sqrt(sum(weight * weight for weight in vector.values())) for vector in (left, right))


def flagged(path):
    """Returns the ids of flagged documents: the id of a document is its line number."""
    return {str(number + 1) for number in np.flatnonzero(np.load(path))}
