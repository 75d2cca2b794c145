"""Claims of two theses on n-gram indexes, each with a verdict by a rule."""

import itertools

from report.copied_passages.extraction import CLUSTER, EMBEDDED, EXPORT, EXTRACTOR
from report.copied_passages.insertions import ADJACENT, LONG, SCATTERED
from report.copied_passages.plan import LENGTH
from report.copied_passages.runs import NO_STOP_WORDS
from report.copied_passages.samples import ORIGINAL
from report.copied_passages.source import document_f1
from report.markdown import fixed
from report.verdict import Case, Claim, Verdict, all_of

FIRST, SECOND = "Pekař 2015", "Menšík 2017"
# "Twice", "more than doubles": at least this ratio.
DOUBLE = 1.5
# A share below which nothing, or hardly anything, is found; one above which nearly everything is.
NONE, MOST = 0.05, 0.8
# A share below which something is found seldom.
SELDOM = 0.2
# Points by which shares may differ and still be the same.
SAME = 5
# Times that differ by less than this factor are the same; a store that takes more than the other factor is far slower.
SAME_TIME, FAR_SLOWER = 1.25, 3.0
# Two threads are faster if others take this much longer.
MARGIN = 1.05


def write(source):
    """Returns all claims, in the order of the page."""
    return [
        originals(source),
        large_copies(source),
        small_copies(source),
        lengths(source),
        distinct(source),
        arithmetic(source),
        stores(source),
        stop_words(source),
        changed_pages(source),
        resistance(source),
        insertions(source),
        best_settings(source),
    ]


def judged(holds):
    """Returns the verdict on a condition; None is open."""
    return Verdict.OPEN if holds is None else Verdict.HOLDS if holds else Verdict.FAILS


def percent(value):
    return f"{fixed(100 * value, 0)} %"


def originals(source):
    cases = []
    for name, rows in source.tables("table_6_1"):
        for row in rows:
            if (row["grouping"], row["group"]) == ("length", ORIGINAL) and row["condition"] != "m=7":
                marked = round((1 - float(row["share"])) * int(row["documents"]))
                evidence = f"{marked} of {row['documents']} marked; none in {percent(float(row['complete']))} of the samples of {source.plan['table_6_1']['sample']}"
                cases.append(Case(f"{name}, {row['condition']}", judged(marked == 0), evidence))
    return Claim(
        text="No original is marked at a = 70 % or m = 10.",
        source=f"{FIRST}, table 6.1",
        rule="Documents without planted copies against all sources, n = 7. Holds if none of them has a source; fails otherwise.",
        cases=cases,
        reason="Most of PAN's originals that are marked do share text with a source: notices of Wikipedia, and passages of one article. Presidents repeat the phrases of their predecessors. A sample of 30 has few originals, and often none of them is marked.",
    )


def groups(source, small):
    """Yields (case, {condition: share}) of large or small copies: by length, and PAN's copies as they are, or with random changes."""
    kind = "random-obfuscation" if small else "no-obfuscation"
    for name, rows in source.tables("table_6_1"):
        for grouping, group in (("length", "small copies" if small else "large copies"), ("kind", kind)):
            shares = {row["condition"]: float(row["share"]) for row in rows if (row["grouping"], row["group"]) == (grouping, group)}
            if shares:
                yield f"{name}, {group}", shares


def ratio(one, other):
    return float("inf") if other == 0 else one / other


def large_copies(source):
    cases = []
    for name, shares in groups(source, small=False):
        times = ratio(shares["m=10"], shares["a=70%"])
        cases.append(Case(name, judged(times >= DOUBLE), f"{percent(shares['m=10'])} by m = 10, {percent(shares['a=70%'])} by a = 70 %: {fixed(times, 1)} times"))
    return Claim(
        text="Of large copies, m = 10 finds twice as many as a = 70 % (93 : 47 %).",
        source=f"{FIRST}, table 6.1",
        rule=f"Documents whose source is listed, n = 7. A large copy has a passage of at least {source.plan['table_6_1']['large']} words; PAN's documents with copies as they are, which the thesis may mean, are judged apart. Holds if m = 10 finds at least {DOUBLE} times as many.",
        cases=cases,
        reason="a = 70 % finds a copy that is a paragraph, if nothing in it is changed, and none inside a paragraph. Which is more frequent depends on the corpus.",
    )


def small_copies(source):
    cases = []
    for name, shares in groups(source, small=True):
        times = ratio(shares["m=7"], shares["m=10"])
        evidence = f"{percent(shares['a=70%'])} by a = 70 %; {percent(shares['m=10'])} by m = 10, {percent(shares['m=7'])} by m = 7: {fixed(times, 1)} times"
        cases.append(Case(name, judged(shares["a=70%"] <= NONE and times >= DOUBLE), evidence))
    return Claim(
        text="Of small copies, a = 70 % finds none; m = 7 in place of 10 more than doubles those found (29 to 69 %).",
        source=f"{FIRST}, table 6.1",
        rule=f"As above, with shorter passages; PAN's documents with random changes, which hide copies, are judged apart. Holds if a = 70 % finds at most {percent(NONE)} and m = 7 at least {DOUBLE} times as many as m = 10.",
        cases=cases,
        reason="m = 10 finds more than in the thesis, so that nothing is left to double.",
    )


def lengths(source):
    cases = []
    rows = source.rows("table_6_2")
    found = {(int(row["n"]), row["condition"]): int(row["found"]) for row in rows}
    short = [n for n in source.plan.lengths if n <= 15]
    if rows:
        for condition in source.plan["table_6_2"]["conditions"]:
            own = {n: found[n, condition] for n in short if (n, condition) in found}
            cases.append(Case(f"hand-made text, {condition}", judged(len(set(own.values())) == 1), ", ".join(f"n = {n}: {count} of 4" for n, count in own.items())))
        longest = [count for (n, _), count in found.items() if n == 25]
        if longest:
            cases.append(Case("hand-made text, n = 25", judged(not any(longest)), f"{max(longest)} of 4"))
        alarms = sum(int(row["false_alarms"]) for row in rows if row["n"] == "3")
        cases.append(Case("hand-made text, false alarms of n = 3", judged(alarms == 0), f"{alarms} paragraphs"))
    rows = source.rows("lengths-own")
    if rows:
        shares = {(int(row["n"]), row["condition"]): int(row["found"]) / int(row["documents"]) for row in rows}
        for condition in source.plan["table_6_2"]["conditions"]:
            own = {n: shares[n, condition] for n in short if (n, condition) in shares}
            cases.append(Case(f"own corpus, {condition}", judged(100 * (max(own.values()) - min(own.values())) <= SAME), ", ".join(f"n = {n}: {percent(share)}" for n, share in own.items())))
        longest = [share for (n, _), share in shares.items() if n == 25]
        if longest:
            cases.append(Case("own corpus, n = 25", judged(not any(longest)), percent(max(longest))))
        alarms = {row["condition"]: f"{row['marked']} of {row['originals']}" for row in rows if row["n"] == "3"}
        marked = max(int(row["marked"]) for row in rows if row["n"] == "3")
        cases.append(Case("own corpus, false alarms of n = 3", judged(marked == 0), "originals marked: " + ", ".join(f"{condition}: {count}" for condition, count in alarms.items())))
    return Claim(
        text="n = 3 to 15 find the same copies under 25 words, n = 25 finds none, and n = 3 has no false alarm.",
        source=f"{FIRST}, table 6.2",
        rule=f"A hand-made text with four pieces, and exact copies of {min(source.plan['corpus']['lengths'])} words in our corpus, by every limit that n allows. Holds if counts are equal, shares within {SAME} points; n = 25: none found; n = 3: no wrong source.",
        cases=cases,
        reason="The thesis suspects that chance spared it false alarms of n = 3, and so it is: runs of 5 to 7 words are phrases of the language.",
    )


def distinct(source):
    cases = []
    for name, rows in source.tables("table_6_3"):
        counts = {int(row["n"]): int(row["distinct"]) for row in rows}
        if LENGTH not in counts or len(counts) < 3:
            continue
        order = sorted(counts)
        rises = all(counts[one] < counts[other] for one, other in itertools.pairwise(order) if other <= LENGTH)
        falls = all(counts[one] > counts[other] for one, other in itertools.pairwise(order) if one >= LENGTH)
        cases.append(Case(name, judged(rises and falls), ", ".join(f"n = {n}: {fixed(counts[n] / counts[LENGTH], 3)}" for n in order)))
    return Claim(
        text="Distinct n-grams rise to n = 7, then fall (0.68, 0.996, 1, 0.89, 0.76 of those of n = 7).",
        source=f"{FIRST}, table 6.3",
        rule="Sources without punctuation, paragraphs are lines. Holds if the number rises from each n to the next up to 7 and falls from there on.",
        cases=cases,
        reason="A paragraph of k words has k − n + 1 n-grams: longer ones are fewer. Short ones repeat, the more the larger the collection. In small collections with short paragraphs, the peak is at n = 5.",
    )


def arithmetic(source):
    cases, published = [], source.plan.values("2.2.1")
    for row in source.rows("arithmetic"):
        words = int(row["words"])
        stated = {5: published["one word inserted in 5 words", "3-grams in all"], 25: published["one word inserted in 25 words", "3-grams in all (as printed)"]}[words]
        holds = int(row["affected"]) == 3 and int(row["ngrams_inserted"]) == stated
        cases.append(Case(f"one word inserted in {words}", judged(holds), f"{row['affected']} of {row['ngrams_inserted']} 3-grams; stated: 3 of {stated:.0f}"))
        cases.append(Case(f"n-grams of {words} words", judged(int(row["ngrams"]) == words + 1), f"{row['ngrams']} 3-grams = k − n + 1; stated: k + 1"))
    return Claim(
        text="A word inserted in 25 spoils 3 of 22 3-grams; k words give k + 1 n-grams.",
        source=f"{FIRST}, §2.2.1",
        rule="Counted by ngram_search. Holds if the numbers are equal.",
        cases=cases,
        reason="25 words and one more have 24 3-grams. k words have k − n + 1 n-grams.",
    )


def factor(one, other):
    """Returns (by the medians, least, most): how many times as long one measurement takes as another."""
    times = [{end: float(row[end]) for end in ("seconds", "fastest", "slowest")} for row in (one, other)]
    return tuple(ratio(times[0][first], times[1][second]) for first, second in (("seconds", "seconds"), ("fastest", "slowest"), ("slowest", "fastest")))


def at_least(times, limit):
    """Judges whether a factor reaches a limit, by its ends: open where they lie on both sides."""
    _, least, most = times
    return Verdict.HOLDS if least >= limit else Verdict.FAILS if most < limit else Verdict.OPEN


def cluster_factor(source):
    """Returns (megabytes, factor of cluster and embedded index, evidence) of the largest text; None without measurements."""
    own = {(row["tool"], int(row["megabytes"])): row for row in source.extraction()}
    sizes = sorted(size for tool, size in own if tool == CLUSTER and (EMBEDDED, size) in own)
    factors = {size: factor(own[CLUSTER, size], own[EMBEDDED, size]) for size in sizes}
    evidence = "; ".join(f"{size} MB: {own[CLUSTER, size]['seconds']} s against {own[EMBEDDED, size]['seconds']} s, {fixed(times[0], 1)} times ({fixed(times[1], 1)}–{fixed(times[2], 1)})" for size, times in factors.items())
    return (factors[sizes[-1]], evidence) if sizes else None


def stores(source):
    cases, own = [], {(row["tool"], int(row["megabytes"])): row for row in source.extraction()}
    for tool, text in ((EMBEDDED, "embedded index"), (EXPORT, "embedded index with export of hashes")):
        factors = {size: factor(own[tool, size], own[EXTRACTOR, size]) for one, size in sorted(own) if one == tool and (EXTRACTOR, size) in own}
        if factors:
            verdict = at_least(max(factors.values()), SAME_TIME).inverse
            cases.append(Case(f"{text} against {EXTRACTOR}", verdict, "; ".join(f"{size} MB: {own[tool, size]['seconds']} s against {own[EXTRACTOR, size]['seconds']} s" for size in factors)))
    if cluster := cluster_factor(source):
        cases.append(Case("cluster against embedded index", at_least(cluster[0], FAR_SLOWER), cluster[1]))
    return Claim(
        text="A local index is as fast as n-gram extractors; a networked store is far slower.",
        source=f"{FIRST}, figure 6.1",
        rule=f"n = 7, two threads; {EXTRACTOR} has one. Holds if the index takes less than {SAME_TIME} times as long as the extractor for every size, and the cluster at least {fixed(FAR_SLOWER, 0)} times as long as the embedded index for the largest; open where the fastest and slowest runs disagree.",
        cases=cases,
        reason="The thesis writes about 100 n-grams per request and waits for each; here batches are pipelined to all nodes, which run on the same machine.",
    )


def stop_words(source):
    cases = []
    rows = {(row["preset"], row["n"], row["group"]): row for row in source.rows("sources-own")}
    for n in map(str, source.plan.lengths):
        for group, name, value in (("exact", "recall of documents, exact copies", lambda row: float(row["document_recall"])), ("all", "F1 of documents, all copies", document_f1)):
            own = [value(rows[preset, n, group]) for preset in ("default", NO_STOP_WORDS) if (preset, n, group) in rows]
            if len(own) == 2 and int(n) == LENGTH:
                difference = 100 * (own[0] - own[1])
                verdict = Verdict.OPEN if abs(difference) < 1 else judged(difference > 0)
                cases.append(Case(f"{name}, n = {n}", verdict, f"{fixed(own[0], 3)} with stop words, {fixed(own[1], 3)} without"))
    return Claim(
        text="Removing stop words is unsuited to finding syntactic copies.",
        source=f"{FIRST}, §2.1, §4.1",
        rule="The default rules with and without 120 English stop words, the same limits. Holds where removing them lowers the measure, fails where it raises it, open within 1 point.",
        cases=cases,
        reason="Without stop words, n-grams span more text: fewer phrases of the language are taken for copies, but some short copies are missed. The same limit in words is a longer passage, too.",
    )


def changed_pages(source):
    cases, published = [], source.plan.values("text 6.3")["older against current Wikipedia", "success [%], about"]
    settings = source.plan["changed_pages"]
    rows = [row for row in source.rows("changed_pages-wikipedia") if (row["preset"], int(row["n"])) == (settings["preset"], LENGTH)]
    shares = {row["versions"]: 100 * int(row["marked"]) / int(row["changed"]) for row in rows}
    for row in rows:
        evidence = (
            f"{fixed(shares[row['versions']], 1)} % of {row['changed']} changed pages marked, {fixed(100 * int(row['listed']) / int(row['changed']), 1)} % listed; "
            f"{row['with_other_pages']} of {row['pages']} pages with another page listed, {row['unchanged_marked']} of {row['unchanged']} unchanged pages marked"
        )
        cases.append(Case(row["versions"], judged(abs(shares[row["versions"]] - published) <= SAME), evidence))
    return Claim(
        text="About 84 % of the changed pages of Wikipedia are found.",
        source=f"{SECOND}, §6.3",
        rule=f"The old version of each page is indexed, the new one searched (mensik, n = 7, a = {settings['accuracy']} %). A changed page is found if its own old version is listed with less than all n-grams in common. "
        f"Holds if the share lies within {SAME} points. The time between both versions is not published: the last two versions of each article and the first and the last are judged apart.",
        cases=cases,
        reason="The share falls with the time between two versions. First versions are often stubs.",
    )


def resistance(source):
    cases, rows = [], source.rows("resistance-own")
    found = {(row["preset"], row["kind"]): int(row["found"]) / int(row["documents"]) for row in rows}
    for kind in ("inserted_words", "shuffled_words", "reordered_sentences") if found else ():
        own, other = found["mensik", kind], found["pekar", kind]
        difference = 100 * (own - other)
        verdict = Verdict.HOLDS if difference >= SAME else Verdict.FAILS if difference <= -SAME else Verdict.OPEN
        cases.append(Case(kind.replace("_", " "), verdict, f"{percent(own)} of the documents found with sorted long words, {percent(other)} with all words in order"))
    for row in source.rows("identical"):
        if row["change"] != "the same text" and int(row["n"]) != LENGTH:
            cases.append(Case(f"s = 1 means identical: {row['change']}", judged(float(row["similarity"]) < 1), f"s = {row['similarity']}"))
    return Claim(
        text="Dropping short words and sorting the words of an n-gram resist insertion and reordering; s = 1 means identical texts.",
        source=f"{SECOND}, §2.4, §4.1",
        rule=f"Rules of mensik and pekar on our corpus, both with n = 7 and a = 20 %. Holds for a change if mensik finds at least {SAME} points more, fails if it finds that many less, open between. Two texts that are not identical: holds if s < 1.",
        cases=cases,
        reason="An inserted word spoils the seven n-grams around it, sorted or not, unless it is short; n-grams of long words span twice the text, so that more of them are hit, and a copy of 20 words has few or none. "
        "Short words do not count, and the order of n words does not either.",
    )


def insertions(source):
    cases = []
    for name, rows in source.tables("insertions"):
        for words in dict.fromkeys(row["words"] for row in rows):
            own = {(int(row["n"]), row["kind"]): int(row["found"]) / int(row["documents"]) for row in rows if row["words"] == words}
            gain = 100 * (own[3, SCATTERED] - own[LENGTH, SCATTERED])
            holds = own[LENGTH, LONG] >= MOST and own[LENGTH, ADJACENT] >= MOST and own[LENGTH, SCATTERED] <= SELDOM and gain >= SAME
            evidence = f"n = 7: long {percent(own[LENGTH, LONG])}, adjacent {percent(own[LENGTH, ADJACENT])}, scattered {percent(own[LENGTH, SCATTERED])}; n = 3: scattered {percent(own[3, SCATTERED])}"
            cases.append(Case(f"{name}, paragraphs of {words} random words", judged(holds), evidence))
    settings = source.plan["insertions"]
    return Claim(
        text="In random text, long or adjacent sentences are found, scattered single ones seldom; a smaller n helps.",
        source=f"{SECOND}, §6.3",
        rule=f"One sentence of at least {settings['long']} words, {settings['adjacent']} adjacent ones, or {settings['scattered']} single ones of {settings['short'][0]} to {settings['short'][1]} words in {settings['paragraphs']} paragraphs (mensik, a = 20 %). "
        f"Holds if long and adjacent ones are found in at least {percent(MOST)} of the documents, scattered ones in at most {percent(SELDOM)}, and n = 3 finds at least {SAME} points more of these than n = 7.",
        cases=cases,
        reason="The limit is a share of a paragraph: in a long paragraph, one sentence is less than 20 %, whatever n is.",
    )


def best_settings(source):
    cases = []
    scores = {int(row["n"]): document_f1(row) for row in source.rows("sources-own") if (row["preset"], row["group"]) == ("mensik", "all")}
    if LENGTH in scores and len(scores) > 2:
        cases.append(Case("n, F1 of documents on our corpus", judged(max(scores, key=scores.get) == LENGTH), ", ".join(f"n = {n}: {fixed(score, 3)}" for n, score in scores.items())))
    for prefix, name in (("threads", "threads of indexing, embedded"), ("cluster_threads", "threads of indexing, cluster")):
        own = {threads: row for threads in source.plan["extraction"]["threads"] for row in source.rows(f"{prefix}-{threads}")}
        if len(own) > 1:
            faster = [at_least(factor(row, own[2]), MARGIN) for threads, row in own.items() if threads != 2]
            slower = [at_least(factor(own[2], row), MARGIN) for threads, row in own.items() if threads != 2]
            verdict = Verdict.FAILS if Verdict.HOLDS in slower else all_of(one if one is Verdict.HOLDS else Verdict.OPEN for one in faster)
            cases.append(Case(name, verdict, ", ".join(f"{threads}: {row['seconds']} s ({row['fastest']}–{row['slowest']})" for threads, row in own.items())))
    if cluster := cluster_factor(source):
        cases.append(Case("client and server", at_least(cluster[0], 2), cluster[1]))
    return Claim(
        text="n = 7 and two threads are best; the talk of client and server is the bottleneck.",
        source=f"{SECOND}, §2.4.2, §5.1, §6.4",
        rule="n: holds if 7 has the highest F1 of documents with the rules of mensik. Threads: holds if one and four both take at least 5 % longer than two, in the fastest and slowest runs alike; fails if two take that much longer than others; open between. Talk: holds if the cluster takes at least twice as long as the embedded index for the largest text.",
        cases=cases,
        reason="The machine has two cores. Requests are pipelined, so that clients hardly wait; n is a matter of the copies.",
    )
