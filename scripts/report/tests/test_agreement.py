"""The comparison of pairs of minhash with theory."""

import json

import numpy as np
import pytest

from bench import agreement


def shingles(text):
    return text.split()


def test_resemblances_are_those_of_all_pairs_with_a_common_shingle(tmp_path):
    corpus = tmp_path / "c.jsonl"
    texts = ["a b c c", "b c d", "x y", "d", "z z"]
    corpus.write_text("".join(json.dumps({"id": str(number), "text": text}) + "\n" for number, text in enumerate(texts, 1)))
    assert agreement.resemblances(corpus, shingles) == {(0, 1): 0.5, (1, 3): pytest.approx(1 / 3)}


def test_bands_agree_by_all_of_their_rows():
    matrix = np.array([[1, 2, 3, 4], [1, 2, 9, 9], [1, 9, 3, 4], [2, 1, 4, 3], [1, 2, 3, 4]])
    assert agreement.band_pairs(matrix, 2) == {(0, 1), (0, 4), (1, 4), (0, 2), (2, 4)}


def test_the_limit_is_where_the_probability_is_certain():
    limit = agreement.certain_resemblance(16, 8)
    assert agreement.probability(limit, 16, 8) == pytest.approx(agreement.CERTAIN)
    pairs = {(0, 1): limit + 0.01, (0, 2): limit - 0.01, (0, 3): 1.0}
    assert agreement.missed(pairs, {(0, 3)}, 16, 8) == [(0, 1)]


def test_shares_outside_of_the_interval_are_told():
    pairs = {(0, number): 0.62 for number in range(1, 1001)} | {(1, number): 1.0 for number in range(2, 12)}
    expected = agreement.probability(0.62, 16, 8)
    ends = {(1, number) for number in range(2, 12)}

    def verdicts(count):
        found = ends | {(0, number) for number in range(1, count + 1)}
        return [(row[0], row[2], row[-1]) for row in agreement.bins(pairs, found, 16, 8)]

    assert verdicts(round(1000 * expected)) == [(0.6, 1000, "yes"), (0.95, 10, "yes")]
    assert verdicts(round(1000 * expected) + 100) == [(0.6, 1000, "no"), (0.95, 10, "yes")]


def test_prints_are_read_in_order(tmp_path):
    (tmp_path / "p").mkdir()
    (tmp_path / "print_paths").write_text("VELIKOST_KOLEKCE 2\nMETODA minhash\nSHODA bands 2 0\np/a.print\n")
    (tmp_path / "p/a.print").write_text("1:2 ff 1\n2:2 0 10\n")
    names, matrix = agreement.prints(tmp_path / "print_paths")
    assert (names, matrix.tolist()) == ([0, 1], [[255, 1], [0, 16]])
