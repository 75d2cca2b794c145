"""Baseline libraries, each used in the fastest manner we know.

    python -m bench.baselines NAME THREADS INPUT…

One process is one baseline with its input in memory. It prints "ready"; then, for every line on standard input ("run" and arguments), it runs once and prints
seconds and facts about the answer as one JSON object. Times exclude imports, loading, compilation and drawing of random matrices.
Libraries take the number of threads from the environment variables that measure.py sets.
"""

import json
import os
import sys
import time

import numpy as np

from bench import data

BITS = 1024  # of a signature
SAMPLE = 20  # documents whose values are compared with ours


def polars_tf_idf(threads, corpus):
    """Text to tf-idf: one lazy query; the optimiser decides, all threads work. Reads the collection from its file, as ours."""
    import polars as pl

    def run(_):
        documents = pl.read_ndjson(corpus, schema={"id": pl.String, "text": pl.String})
        total = len(documents)
        words = documents.lazy().select(pl.col("id").cast(pl.UInt32), pl.col("text").str.split(" ").alias("term")).explode("term")
        counts = words.group_by("id", "term").agg(pl.len().alias("tf"))
        frequencies = counts.group_by("term").agg(pl.len().alias("df"))
        weighted = counts.join(frequencies, on="term").select("id", "term", (pl.col("tf") * (total / pl.col("df")).log()).alias("weight"))
        table = weighted.collect()

        def sample():
            few = table.filter(pl.col("id") <= SAMPLE).rows()
            return {"components": len(table), "sample": grouped(few)}

        return sample

    return run


def grouped(rows):
    """{document: {term: weight}} from (document, term, weight)."""
    sample = {}
    for document, term, weight in rows:
        sample.setdefault(str(document), {})[term] = weight
    return sample


def sklearn_tf_idf(threads, corpus):
    """Text to tf-idf: CountVectorizer with the plain str.split as analyzer (faster than its regular expression), then one sparse product. Single-threaded."""
    import scipy.sparse
    from sklearn.feature_extraction.text import CountVectorizer

    def run(_):
        with open(corpus) as lines:
            texts = [json.loads(line)["text"] for line in lines]
        vectorizer = CountVectorizer(analyzer=str.split, dtype=np.float64)
        counts = vectorizer.fit_transform(texts)
        frequencies = np.bincount(counts.indices, minlength=counts.shape[1])
        weighted = counts @ scipy.sparse.diags_array(np.log(len(texts) / frequencies))

        def sample():
            names = vectorizer.get_feature_names_out()
            few = weighted[:SAMPLE].tocoo()
            rows = zip((few.row + 1).tolist(), names[few.col].tolist(), few.data.tolist(), strict=True)
            return {"components": counts.nnz, "sample": grouped(rows)}

        return sample

    return run


def random_planes(terms):
    """Returns Gaussian rows, one per term, as float32."""
    return np.random.default_rng(2007).standard_normal((terms, BITS), dtype=np.float32)


def sign_error(matrix, signatures):
    """Returns the error of signatures over theory: the mean squared error of the share of different bits against angle / π over 2000 pairs, over p(1 − p) / K."""
    generator = np.random.default_rng(7)
    left = generator.integers(0, matrix.shape[0], 2000)
    right = generator.integers(0, matrix.shape[0], 2000)
    left, right = left[left != right], right[left != right]
    norms = data.norms(matrix)
    dots = np.asarray(matrix[left].multiply(matrix[right]).sum(axis=1)).ravel()
    expected = np.arccos(np.clip(dots / (norms[left] * norms[right]), -1, 1)) / np.pi
    different = np.unpackbits(signatures[left] ^ signatures[right], axis=1).mean(axis=1)
    variance = expected * (1 - expected) / BITS
    usable = variance > 0
    return float(np.mean((different - expected)[usable] ** 2 / variance[usable]))


def numba_signs(threads, vec_paths):
    """Signatures: a compiled loop over documents in parallel that gathers and adds the rows of a document's terms, then packs the signs."""
    import numba

    numba.set_num_threads(threads)
    _, matrix = data.vectors(vec_paths)
    planes = random_planes(matrix.shape[1])
    values = matrix.data.astype(np.float32)

    @numba.njit(parallel=True, fastmath=True)
    def sign(ends, indexes, values, planes, signatures):
        for document in numba.prange(len(ends) - 1):
            sums = np.zeros(BITS, dtype=np.float32)
            for at in range(ends[document], ends[document + 1]):
                row, value = planes[indexes[at]], values[at]
                for bit in range(BITS):
                    sums[bit] += value * row[bit]
            for byte in range(BITS // 8):
                packed = 0
                for bit in range(8):
                    packed = packed << 1 | (1 if sums[byte * 8 + bit] >= 0 else 0)
                signatures[document, byte] = packed

    signatures = np.zeros((matrix.shape[0], BITS // 8), dtype=np.uint8)
    sign(matrix.indptr[:2], matrix.indices, values, planes, signatures)

    def run(_):
        sign(matrix.indptr, matrix.indices, values, planes, signatures)
        return lambda: {"error_over_theory": sign_error(matrix, signatures)}

    return run


def scipy_signs(threads, vec_paths):
    """Signatures: sparse times dense in float32, in blocks that stay in memory, then the signs. Single-threaded."""
    _, matrix = data.vectors(vec_paths)
    planes = random_planes(matrix.shape[1])
    single = matrix.astype(np.float32)
    block = 2000

    def run(_):
        parts = [np.packbits(single[start : start + block] @ planes >= 0, axis=1) for start in range(0, single.shape[0], block)]
        signatures = np.concatenate(parts)
        return lambda: {"error_over_theory": sign_error(matrix, signatures)}

    return run


def faiss_pairs(threads, sig_paths):
    """All pairs of signatures within a distance: IndexBinaryFlat.range_search, its exact search, of all against all."""
    import faiss

    faiss.omp_set_num_threads(threads)
    documents, signatures = data.signatures(sig_paths)
    firsts = np.array([names[0] for names in documents])
    index = faiss.IndexBinaryFlat(BITS)
    index.add(signatures)

    def run(arguments):
        most, out = int(arguments[0]), arguments[1]
        # The radius is exclusive.
        ends, _, found = index.range_search(signatures, most + 1)

        def save():
            query = np.repeat(np.arange(len(signatures)), np.diff(ends).astype(np.int64))
            once = query < found
            left, right = firsts[query[once]], firsts[found[once]]
            np.save(out, np.stack([np.minimum(left, right), np.maximum(left, right)], axis=1))
            return {"pairs": int(once.sum()), "signatures": len(signatures)}

        return save

    return run


def sparse_dot_topn(threads, vec_paths):
    """All pairs of vectors with a cosine at or over a threshold: sp_matmul_topn, with capacity for more matches per document than occur."""
    import scipy.sparse
    from sparse_dot_topn import sp_matmul_topn

    names, matrix = data.vectors(vec_paths)
    norms = np.maximum(data.norms(matrix), np.finfo(float).tiny)
    unit = scipy.sparse.csr_matrix(scipy.sparse.diags_array(1 / norms) @ matrix)
    turned = scipy.sparse.csr_matrix(unit.T)

    def run(arguments):
        threshold, out = float(arguments[0]), arguments[1]
        most_matches = int(arguments[2]) if len(arguments) > 2 else 200
        # The threshold is exclusive, so it is lowered by less than the tolerated rounding.
        found = sp_matmul_topn(unit, turned, top_n=most_matches, threshold=threshold - 1e-9, n_threads=threads)

        def save():
            pairs = found.tocoo()
            once = names[pairs.row] < names[pairs.col]
            np.savez(out, left=names[pairs.row[once]], right=names[pairs.col[once]], cosine=pairs.data[once])
            full = int((np.diff(found.indptr) >= most_matches).sum())
            return {"pairs": int(once.sum()), "documents_with_too_many_matches": full}

        return save

    return run


def rensa_dedup(threads, corpus):
    """Text to duplicates, as documented: words as tokens, 128 permutations, LSH in 16 bands. Reads the files, as ours."""
    import rensa

    def run(arguments):
        tokens = [text.split() for text in data.texts(corpus)]
        matrix = rensa.RMinHash.digest_matrix_from_token_sets(tokens, 128, 42)
        index = rensa.RMinHashLSH(threshold=0.8, num_perm=128, num_bands=16)
        flags = index.query_duplicate_flags_matrix_one_shot(matrix)

        def save():
            np.save(arguments[0], np.asarray(flags, dtype=bool))
            return {"flagged": int(sum(flags))}

        return save

    return run


def datasketch_dedup(threads, corpus):
    """Text to duplicates, as documented: a MinHash of 128 permutations per document, updated word by word, queried and then inserted into an LSH index. Single-threaded."""

    def update(sketch, words):
        for word in words:
            sketch.update(word.encode())

    return datasketch_by(update, corpus)


def datasketch_batches(threads, corpus):
    """The same with all words of a document in one batch, as its reference offers."""
    return datasketch_by(lambda sketch, words: sketch.update_batch([word.encode() for word in words]), corpus)


def datasketch_by(update, corpus):
    from datasketch import MinHash, MinHashLSH

    def run(_):
        index, flagged = MinHashLSH(threshold=0.8, num_perm=128), 0
        for number, text in enumerate(data.texts(corpus)):
            sketch = MinHash(num_perm=128)
            update(sketch, set(text.split()))
            flagged += bool(index.query(sketch))
            index.insert(number, sketch)
        return lambda: {"flagged": flagged}

    return run


def text_dedup(threads, corpus):
    """Text to a deduplicated copy by its command-line tool for MinHash, one process per thread; the time includes its start and its files, as ours."""
    import subprocess
    import tempfile

    def run(_):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "text_dedup.minhash", "--path", "json", "--data_files", corpus, "--split", "train", "--column", "text"]
            command += ["--cache_dir", f"{folder}/cache", "--output", f"{folder}/out", "--threshold", "0.8", "--ngram", "1", "--num_proc", str(threads)]
            environment = os.environ | {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": folder}
            ran = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
        return lambda: {"failed": ran.stderr[-200:]} if ran.returncode else {}

    return run


BASELINES = {
    "polars": polars_tf_idf,
    "scikit-learn": sklearn_tf_idf,
    "numba": numba_signs,
    "scipy": scipy_signs,
    "faiss": faiss_pairs,
    "sparse_dot_topn": sparse_dot_topn,
    "rensa": rensa_dedup,
    "datasketch": datasketch_dedup,
    "datasketch in batches": datasketch_batches,
    "text-dedup": text_dedup,
}


def main():
    name, threads, *inputs = sys.argv[1:]
    run = BASELINES[name](int(threads), *inputs)
    print("ready", flush=True)
    for line in sys.stdin:
        start = time.perf_counter()
        describe = run(line.split()[1:])
        seconds = time.perf_counter() - start
        print(json.dumps({"seconds": seconds, **describe()}), flush=True)


if __name__ == "__main__":
    main()
