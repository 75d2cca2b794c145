"""Stages of the pipeline against baseline libraries. Started by scripts/bench.sh.

    python -m bench.pipeline small|full WORK_FOLDER RESULT_FOLDER [FIND_SIMDOC_EXECUTABLE]
"""

import datetime
import math
import os
import pathlib
import sys

import numpy as np

from bench import data, page, raw
from bench.baselines import BITS, SAMPLE, sign_error
from bench.measure import THREADS, Baseline, Measurements, commit, describe_machine, kernel, remove, run_ours, say

# Documents, documents of the large rows, repetitions, repetitions of baselines that take minutes.
SIZES = {"small": (5_000, 10_000, 2, 2), "full": (100_000, 644_566, 2, 1)}
# VEC files have six decimals.
DIGITS = 1e-6
# Minimum share of the pairs of hamming_full that PLEB finds.
PLEB_SHARE = 0.994


class Benchmark:
    """All rows of one run."""

    def __init__(self, size, work, results, find_simdoc):
        self.documents, self.many, self.repetitions, self.slow_repetitions = SIZES[size]
        self.pairs = self.documents * (self.documents - 1) / 2
        self.size, self.work, self.results, self.find_simdoc = size, work, results, find_simdoc
        work.mkdir(parents=True, exist_ok=True)
        results.mkdir(parents=True, exist_ok=True)
        os.chdir(work)
        self.stem = results / f"{datetime.date.today()}-{commit()}-{raw.PIPELINE}"
        self.kept = Measurements(self.stem)
        # Baselines that take minutes run with all threads only.
        self.slow_threads = THREADS if size == "small" else THREADS[-1:]
        self.kinds = ("levels", "gauss")

    def run(self):
        targets = "" if self.size == "full" else " (targets are for full)"
        run = f"scripts/bench.sh {self.size} pipeline: {self.documents:,} documents of 250 words, {self.many:,} in the large collection{targets}"
        describe_machine(f"{self.stem}-machine.txt", run)
        for row in (self.text, self.signing, self.hamming_full, self.similarity, self.text_to_pairs, self.large, self.kernels):
            row()
        page.write(self.results)
        print(page.pipeline(self.results))
        wrong = self.kept.disagreements()
        for check in wrong:
            say(f"does not hold: {check}")
        return 1 if wrong else 0

    def ours(self, *commands):
        """Returns a function that runs our executables in turn with a number of threads: (seconds, command line, counts)."""
        commands = list(commands)

        def run(threads):
            seconds, command, wrote = run_ours(self.work, commands, threads)
            # Commands are recorded without the folder of the data.
            return seconds, command.replace(f"{self.work}/", ""), wrote

        return run

    def afresh(self, files, run):
        """Returns the same without files of earlier runs, whose replacement would take time."""

        def without_old_files(threads):
            remove(self.work, files)
            return run(threads)

        return without_old_files

    # Command lines.

    def make_corpus(self, name, documents, form="json"):
        self.ours(f"create_corpus --doc_count {documents} --out {name} --format {form}")(0)
        return self.work / name

    def tf_idf(self, corpus, prefix, reduced=False):
        bows, voc = f"--bow_paths {prefix}.bow_paths", f"{prefix}.voc"
        yield f"create_bows --json_lines {corpus} {bows} --bow_dir {prefix}.bows"
        yield f"create_voc {bows} --voc_name {voc}"
        if reduced:
            yield f"reduce_voc --old_voc_name {voc} --new_voc_name {voc}.reduced --min_df 2 --max_df 1e18"
            voc += ".reduced"
        yield f"create_vecs {bows} --voc_name {voc} --vec_dir {self.work}/{prefix}.vecs --vec_paths {prefix}.vec_paths"

    def sign(self, prefix, kind):
        return f"create_sigs --vec_paths {prefix}.vec_paths --sig_len {BITS} --rnd_dist {kind} --sig_dir {prefix}.sigs --sig_paths {prefix}.sig_paths"

    # Rows.

    def text(self):
        corpus = self.make_corpus("corpus.jsonl", self.documents)
        baselines = [Baseline("polars", [corpus]), Baseline("scikit-learn", [corpus], threads=(1,))]
        mine = self.afresh("c.*", self.ours(*self.tf_idf("corpus.jsonl", "c")))
        answers = self.kept.alternate("text", mine, baselines, self.repetitions, corpus.stat().st_size / 1e6, "MB")
        ours = self.our_weights()
        for name, answer in answers.items():
            self.check_weights(name, ours, answer["sample"])

    def our_weights(self):
        """Returns {document: {term: weight}} of the first documents."""
        terms = data.terms(self.work / "c.voc")
        weights = {}
        with open(self.work / data.listed(self.work / "c.vec_paths")[1][0]) as lines:
            for _ in range(SAMPLE):
                head, *rest = next(lines).split()
                components = [part.split(":") for part in rest]
                weights[head.split(":")[0]] = {terms[int(index)]: float(value) for index, value in components}
        return weights

    def check_weights(self, name, ours, theirs):
        same_terms = {document: set(weights) for document, weights in ours.items()} == {document: set(weights) for document, weights in theirs.items()}
        differences = [abs(weight - theirs[document].get(term, math.inf)) for document in ours for term, weight in ours[document].items()]
        self.kept.check("text", f"weights of {SAMPLE} documents, {name}", f"{len(differences)} weights", f"differences up to {max(differences):.1g}", same_terms and max(differences) < DIGITS)

    def signing(self):
        vectors = self.work / "c.vec_paths"
        for kind in self.kinds:
            baselines = [Baseline("numba", [vectors])]
            if kind == "gauss":
                baselines.append(Baseline("scipy", [vectors], threads=(1,)))
            answers = self.kept.alternate(f"signatures_{kind}", self.ours(self.sign("c", kind)), baselines, self.repetitions, self.documents, "documents")
            self.check_signatures(kind, answers)
        self.signing_only()

    def signing_only(self):
        """Times signing without files and without drawing hyperplanes, as for the baselines."""
        for line in kernel("signing", self.stem, self.work / "c.vec_paths"):
            if line["what"] in self.kinds:
                rate = float(line["per_second"])
                self.kept.record(f"signatures_{line['what']}", "nearsig, without files", line["threads"], 1, self.documents / rate, self.documents, "documents", "cargo bench --bench signing -- c.vec_paths")

    def check_signatures(self, kind, answers):
        """Compares errors with theory: hyperplanes differ, so bits cannot be equal, but distances spread about the angles alike."""
        names, matrix = data.vectors("c.vec_paths")
        groups, signatures = data.signatures("c.sig_paths")
        row_of = {name: row for row, group in enumerate(groups) for name in group}
        ours = sign_error(matrix, signatures[[row_of[name] for name in names]])
        for name, answer in answers.items():
            theirs = answer["error_over_theory"]
            agrees = abs(ours - 1) < 0.2 and abs(theirs - 1) < 0.2
            self.kept.check(f"signatures_{kind}", f"squared error over theory, {name}", f"{ours:.3f}", f"{theirs:.3f}", agrees)

    def hamming_full(self):
        for threshold in (80, 95):
            row, out, found = f"hamming_full_{threshold}", f"full_{threshold}", self.work / f"faiss_{threshold}.npy"
            faiss = Baseline("faiss", [self.work / "c.sig_paths"], [most_different(threshold), found], self.slow_threads, self.slow_repetitions)
            mine = self.ours(f"hamming_full --sig_paths c.sig_paths --out {out} --threshold {threshold}")
            self.kept.alternate(row, mine, [faiss], self.repetitions, self.pairs, "pairs")
            theirs = set(map(tuple, np.load(found).tolist()))
            ours = set(data.result_pairs(self.work / out))
            self.kept.check(row, "pairs of signatures, faiss", len(ours), len(theirs), ours == theirs)

    def similarity(self):
        # The baseline multiplies all vectors at any threshold: one run with the lower one counts for both rows.
        found = self.work / "topn.npz"
        for threshold in (80, 95):
            row, out = f"similarity_{threshold}", f"similarity_{threshold}"
            topn = Baseline("sparse_dot_topn", [self.work / "c.vec_paths"], [threshold / 100, found], self.slow_threads, self.slow_repetitions)
            mine = self.ours(f"similarity --vec_paths c.vec_paths --out {out} --threshold {threshold}")
            self.join_only(row, threshold)
            self.kept.alternate(row, mine, [topn] if threshold == 80 else [], self.repetitions, self.pairs, "pairs")
            self.kept.check_cosines(row, threshold, data.result_pairs(self.work / out), np.load(found))
        self.kept.repeat("similarity_80", "similarity_95", "sparse_dot_topn")

    def join_only(self, row, threshold):
        """Times the search without its files, as for the baseline."""
        arguments = [self.work / "c.vec_paths", threshold, ",".join(map(str, THREADS)), self.repetitions]
        # Rows of single phases of the join stay in the saved file.
        whole = [line for line in kernel("join", f"{self.stem}-{threshold}", *arguments) if line["what"] == "similarity join"]
        for number, line in enumerate(whole):
            command = f"cargo bench --bench join -- c.vec_paths {threshold}"
            self.kept.record(row, "nearsig, without files", line["threads"], number % self.repetitions + 1, float(line["seconds"]), self.pairs, "pairs", command, f"{line['pairs']} pairs")

    def text_to_pairs(self):
        """Times a simhash search in one process and our pipeline with its files. The tasks differ, so answers are not compared."""
        if not self.find_simdoc:
            return
        search = "hamming --sig_paths p.sig_paths --out p.pairs --threshold 90 --iter_count 20 --beam 50 --shift_count 70"
        texts = self.make_corpus("corpus.txt", self.documents, "text")
        simdoc = Baseline("find-simdoc", [texts], [0.2], self.slow_threads, self.slow_repetitions, command=[self.find_simdoc])
        mine = self.ours(*self.tf_idf("corpus.jsonl", "p"), self.sign("p", self.kinds[0]), search)
        self.kept.alternate("text_to_pairs", mine, [simdoc], self.repetitions, self.documents, "documents")
        remove(self.work, "p.*", "corpus.txt")

    def large(self):
        """Times searches at the size of the thesis, where baselines would take over half an hour each."""
        remove(self.work, "c.*", "corpus.*", "full_*", "faiss_*", "similarity_*", "topn_*")
        self.make_corpus("corpus.jsonl", self.many)
        self.ours(*self.tf_idf("corpus.jsonl", "m", reduced=True))(0)
        remove(self.work, "corpus.*", "m.bow*", "m.voc*")
        self.ours(self.sign("m", self.kinds[0]))(0)
        searches = {
            "hamming_full_95_large": "hamming_full --sig_paths m.sig_paths --out m.full --threshold 95",
            "hamming_95_large": "hamming --sig_paths m.sig_paths --out m.pleb --threshold 95 --iter_count 50 --beam 50 --shift_count 70",
            "similarity_95_large": "similarity --vec_paths m.vec_paths --out m.similar --threshold 95",
        }
        for row, search in searches.items():
            self.kept.alternate(row, self.ours(search), [], self.repetitions, self.many * (self.many - 1) / 2, "pairs")
        everything, found = data.document_pairs(self.work / "m.full"), data.document_pairs(self.work / "m.pleb")
        self.kept.check("hamming_95_large", f"pairs found by hamming, of hamming_full's: {100 * found / everything:.2f} %", found, everything, found >= PLEB_SHARE * everything)
        remove(self.work, "m.*")

    def kernels(self):
        """Times inner loops and the ceilings of the machine in the same run."""
        for line in kernel("kernels", self.stem):
            what = f"{line['kernel']}, {line['cpu']}" + (f", distance up to {line['most']}" if line["most"] != "0" else "")
            self.kept.record("kernels", f"nearsig, {what}", line["threads"], 1, 1.0, float(line["per_second"]), line["unit"], "cargo bench --bench kernels")


def most_different(threshold):
    """Returns the largest number of different bits at a similarity in per cent."""
    return math.floor(BITS * (100 - threshold) / 100)


if __name__ == "__main__":
    size, work, results, *rest = sys.argv[1:]
    sys.exit(Benchmark(size, pathlib.Path(work).resolve(), pathlib.Path(results).resolve(), rest[0] if rest else None).run())
