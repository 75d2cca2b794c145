"""Claims of two papers on fingerprint methods, each with a verdict by a rule."""

import math
import statistics

from report.fingerprints.contexts import MIXED, ONE_TOPIC
from report.fingerprints.plan import CONTROL, GLOBAL, GROWING, LATER, LOCAL
from report.fingerprints.revisions import CHANGED, MOVED, TWO_SENTENCES
from report.fingerprints.tables import spearman, zero
from report.fingerprints.works import KINDS
from report.markdown import fixed
from report.verdict import Case, Claim, Verdict, all_of

FIRST, SECOND = "Khaliullina 2018", "Orlova & Zaitsev"
# A share of edited copies that a method still finds, above which it withstands the edit, and below which the edit defeats it.
WITHSTANDS, DEFEATED = 0.9, 0.5
# A rank correlation from which on an order is the same.
SAME_ORDER = 0.7
# Points by which a reproduced margin may differ.
MARGIN = 5
# A share of the time below which time is saved.
SAVED = 0.9
# A partial copy is found if recall and precision reach this.
REACHED = 0.8
# Times that differ by less than this share of the smaller one are equal.
SAME_TIME = 0.1
# Percent of elements in several sequences that count as about ten.
ABOUT_TEN = (5, 15)
# Elements below which their share is not judged.
MIN_ELEMENTS = 100
# Mean F1 below which a method recognises hardly any copy.
RECOGNISED = 0.2


def write(source):
    """Returns all claims, in the order of the page."""
    return [
        table_2_order(source),
        md5(source),
        long_sent_leads(source),
        imatch_breaks(source),
        imatch_random_wins(source),
        imatch_random_most_precise(source),
        table_3(source),
        overlap(source),
        first_methods_cost_more(source),
        sections_beat_shingles(source),
        early_stops(source),
        two_sentences(source),
        moved_text(source),
        moved_works(source),
        heavy_words(source),
        heavy_words_steadier(source),
        second_paper(source),
        repeated_elements(source),
        frequency_breaks_a1(source),
        word_breaks_a2(source),
        global_methods(source),
        one_topic(source),
        batches(source),
    ]


def judged(holds):
    """Returns the verdict on a condition; None is open."""
    return Verdict.OPEN if holds is None else Verdict.HOLDS if holds else Verdict.FAILS


def share(value):
    return "undefined" if math.isnan(value) else fixed(value, 3)


def compare(one, other):
    """Judges whether one interval lies above another: open where they overlap or one is undefined."""
    if one is None or other is None:
        return Verdict.OPEN
    if one.low > other.high:
        return Verdict.HOLDS
    return Verdict.FAILS if one.high < other.low else Verdict.OPEN


def tables_2(source):
    """Yields (name, Table) of table 2 on each collection, without and with the paper's preprocessing."""
    yield from source.tables("table_2")
    yield from ((f"{name}, preprocessed", table) for name, table in source.tables("table_2_words"))


def table_2_order(source):
    published = source.plan.values("2")
    rows = source.plan.table_2
    cases = []
    for name, table in tables_2(source):
        theirs = [published[row, "F"] for row in rows]
        ours = [zero(table.value(method, "f1")) for method in rows.values()]
        rank = spearman(theirs, ours)
        best = table.order("f1", rows.values())[:3]
        cases.append(Case(name, judged(None if rank is None else rank >= SAME_ORDER), f"Spearman {'—' if rank is None else fixed(rank, 2)}; ours begins {', '.join(best)}"))
    return Claim(
        text="The methods rank by F as in table 2: Long Sent, TF, Heavy Sent, TF-IDF, I-Match, descriptive words, megashingles, MD5.",
        source=f"{FIRST}, table 2",
        rule=f"Holds on a collection if Spearman's rank correlation of F with the paper's is at least {SAME_ORDER}; undefined F counts as 0.",
        cases=cases,
        reason="Recall is a share of the union of all methods' pairs, so it depends on the other methods: one method that proposes many wrong pairs lowers all others. The paper's web pages are exact or nearly exact copies with "
        "sentences; short descriptions, translations and synthetic words are not.",
    )


def md5(source):
    cases = []
    for name, table in tables_2(source):
        recalls = {method: zero(table.value(method, "recall_union")) for method in table.methods()}
        precision = table.value("md5", "precision_string")
        lowest = min(recalls.values())
        holds = None if math.isnan(precision) else precision >= 0.995 and recalls["md5"] == lowest
        cases.append(Case(name, judged(holds), f"precision {share(precision)}, recall {share(recalls['md5'])}, lowest recall {share(lowest)}"))
    return Claim(
        text="MD5 has precision 1 and the lowest recall.",
        source=f"{FIRST}, table 2",
        rule="Holds if its precision is at least 0.995 and no method has less recall; open where it proposes no pair.",
        cases=cases,
        reason="Where other methods need sentences or frequent words that texts lack, they find even less than MD5. With the paper's preprocessing, short reports that differ only in numbers and short words have the same hash.",
    )


def long_sent_leads(source):
    cases = []
    for name, table in tables_2(source):
        first = {column: table.order(column, table.methods())[0] for column in ("recall_union", "precision_string", "f1")}
        cases.append(Case(name, judged(set(first.values()) == {"long_sent"}), ", ".join(f"{column}: {method}" for column, method in first.items())))
    published = source.plan.values("2")
    precisions = sorted((value for (_, column), value in published.items() if column == "precision"), reverse=True)
    place = precisions.index(published["Long Sent", "precision"]) + 1
    cases.append(Case("the paper's own table", Verdict.FAILS, f"precision {place}th of {len(precisions)}"))
    return Claim(
        text="Long Sent leads on all metrics.",
        source=f"{FIRST}, text",
        rule="Holds if it has the highest recall, precision and F.",
        cases=cases,
        reason="",
    )


def recall_of(source, kind, method):
    table = source.table(f"edits-{kind}")
    return table.value(method, "recall_truth") if table else math.nan


def imatch_breaks(source):
    cases = []
    for kind in ("one_word", "five_percent"):
        plain, random = (recall_of(source, kind, method) for method in ("imatch", "imatch_random"))
        known = not math.isnan(plain + random)
        cases.append(Case(kind.replace("_", " "), judged(plain <= DEFEATED and random >= WITHSTANDS if known else None), f"I-Match {share(plain)}, randomised {share(random)}"))
    return Claim(
        text="Plain I-Match breaks on small edits, the randomised one does not.",
        source=f"{FIRST}, §1.2",
        rule=f"One word of each text, or one word in twenty, is replaced. Holds if plain I-Match finds at most {DEFEATED} and the randomised one at least {WITHSTANDS}.",
        cases=cases,
        reason="With more edits, a random lexicon must lack all changed words of the lexicon, each with probability 0.33.",
    )


def imatch_random_wins(source):
    cases = []
    for name, table in tables_2(source):
        own, mega = ([table.interval(method, column) for column in ("precision_string", "recall_union")] for method in ("imatch_random", "megashingles"))
        verdict = all_of(compare(*pair) for pair in zip(own, mega, strict=True))
        numbers = [f"{column}: {share(table.value('imatch_random', column))} and {share(table.value('megashingles', column))}" for column in ("precision_string", "recall_union")]
        cases.append(Case(name, verdict, "; ".join(numbers)))
    return Claim(
        text="Randomised I-Match beats megashingles in precision and recall.",
        source=f"{FIRST}, table 2",
        rule="Holds if both intervals of I-Match lie above those of megashingles, fails if one lies below, open otherwise.",
        cases=cases,
        reason="A fingerprint of all lexicon words changes with any of them; megashingles need two groups of shingles that survive.",
    )


def imatch_random_most_precise(source):
    cases = []
    for name, table in tables_2(source):
        others = [method for method in table.methods() if method not in ("imatch_random", "md5")]
        own = table.interval("imatch_random", "precision_string")
        verdicts = {method: compare(own, table.interval(method, "precision_string")) for method in others}
        above = [method for method, verdict in verdicts.items() if verdict is Verdict.FAILS]
        best = table.order("precision_string", others)[0]
        numbers = f"{share(table.value('imatch_random', 'precision_string'))}; best of the others {best} {share(table.value(best, 'precision_string'))}; intervals above: {', '.join(above) or 'none'}"
        cases.append(Case(name, all_of(verdicts.values()), numbers))
    return Claim(
        text="Randomised I-Match is the most precise near-duplicate method.",
        source=f"{FIRST}, ch. 2",
        rule="Of the methods of table 2 without MD5. Holds if the interval of its precision lies above those of all others, fails if one of theirs lies above it, open otherwise.",
        cases=cases,
        reason="Any of eleven coordinates is enough, and each ignores all words outside of its lexicon. Texts that share their lexicon words, such as reports of one form with other numbers, agree though they are not similar.",
    )


def first_methods_cost_more(source):
    cases = []
    for name, table in source.tables("all"):
        later = sorted(table.value(method, "seconds") for method in LATER if method in table.rows)
        for method in ("sif", "koala"):
            own = table.value(method, "seconds")
            if later and not math.isnan(own):
                middle = statistics.median(later)
                holds = None if max(own, middle) < (1 + SAME_TIME) * min(own, middle) else own > middle
                cases.append(Case(f"{method}, {name}", judged(holds), f"{fixed(own, 2)} s; later methods {fixed(later[0], 2)} to {fixed(later[-1], 2)} s, median {fixed(middle, 2)} s; {sum(one < own for one in later)} of {len(later)} are faster"))
    return Claim(
        text="sif and Koala cost more than later methods.",
        source=f"{FIRST}, ch. 2",
        rule=f"Later methods: {', '.join(LATER)}. Holds on a collection if a method takes longer than the median of the later ones, fails if less; open if both differ by less than {100 * SAME_TIME:.0f} %. Times are those of our implementations.",
        cases=cases,
        reason="Rolling hashes make a fingerprint per character cheap, and later methods with statistics of the collection read every text twice.",
    )


def table_3(source):
    cases = []
    for name, _ in source.tables("table_3", suffix="-6"):
        tables = {percent: source.table(f"table_3-{name}-{percent}") for percent in (6, 15, 30)}
        first = tables[6]
        more = first.value("descr_words", "pairs") / max(first.value("shingles", "pairs"), 1)
        faster = first.value("shingles", "seconds") / first.value("descr_words", "seconds")
        points = [100 * (table.value("shingles", "precision_string") - table.value("descr_words", "precision_string")) for table in tables.values()]
        holds = None if any(map(math.isnan, points)) else 1.05 <= more <= 1.5 and faster >= 1.5 and all(0 <= point <= 10 for point in points)
        worse = ", ".join("—" if math.isnan(point) else fixed(point, 1) for point in points)
        cases.append(Case(name, judged(holds), f"{fixed(faster, 2)} times faster, {fixed(100 * (more - 1), 0)} % more pairs, {worse} points less exact at 6, 15, 30 %"))
    return Claim(
        text="Descriptive words run 2.3 times faster than shingles, propose 16 % more copies and are 3 to 5 points less exact.",
        source=f"{FIRST}, table 3",
        rule="Holds if they run at least 1.5 times faster, propose 5 to 50 % more pairs, and are 0 to 10 points less exact at all three differences.",
        cases=cases,
        reason="Choosing descriptive words needs statistics of the whole collection, an additional pass over it; that is the larger part of the time on collections of this size. The paper does not state the shingles' threshold.",
    )


def overlap(source):
    rows = source.rows("overlap")
    cases = []
    for method, percent, high in (("sif", "25", 25), ("koala", "3–5", 5)):
        reached = [int(row["percent"]) for row in rows if row["method"] == method and float(row["recall"]) >= REACHED and float(row["precision"] or 0) >= REACHED]
        least = min(reached, default=None)
        holds = None if not rows else least is not None and least <= high
        cases.append(Case(method, judged(holds), f"smallest overlap found: {'none' if least is None else f'{least} %'}; claimed {percent} %"))
    return Claim(
        text="sif detects an overlap of 25 %, Koala one of 3 to 5 %.",
        source=f"{FIRST}, §1.1",
        rule=f"Copies begin with a share of another text. An overlap is found if recall and precision are at least {REACHED} at a threshold of half the overlap. Holds if the smallest overlap found is at most the claimed one.",
        cases=cases,
        reason="Koala keeps a fixed number of substrings per document: of thirty, an overlap of 3 % leaves one on average, and none in a third of the copies. Anchors keep a sample of positions, which a short overlap may miss.",
    )


def wins(source, kind, method):
    """Returns (wins, ties, losses) of the section method, to two decimals."""
    scores = {(row["work"], row["method"]): round(float(row["f1"]), 2) for row in source.rows("works") if row["copies"] == kind}
    works = sorted({work for work, _ in scores})
    pairs = [(scores[work, "sections"], scores[work, method]) for work in works]
    return tuple(sum(test(*pair) for pair in pairs) for test in (float.__gt__, float.__eq__, float.__lt__))


def sections_beat_shingles(source):
    cases = []
    published = {"shingles": (11, 2, 2), "long_sent": (3, 0, 12), "tf_idf": (12, 1, 2)}
    for kind in KINDS:
        for method, theirs in published.items():
            own = wins(source, kind, method)
            holds = None if not sum(own) else (own[0] > own[2]) == (theirs[0] > theirs[2])
            cases.append(Case(f"against {method}, borrowed {kind}", judged(holds), f"wins/ties/losses {'/'.join(map(str, own))}, in the paper {'/'.join(map(str, theirs))}"))
    return Claim(
        text="Sections beat shingles and TF-IDF on most works, not Long Sent.",
        source=f"{FIRST}, table 4",
        rule="F1 per work over 45 copies, one decision per copy, duplicates from 75 % borrowed words on. Holds if sections win more works than they lose exactly where the paper's do.",
        cases=cases,
        reason="The paper does not say how its copies borrow, and the result depends on it. Where copies borrow runs of verses, hardly any block of the copy begins at the word of a block of the work, and three thresholds of 75 % in a row "
        "let nearly nothing pass; where they borrow whole sections, blocks are equal, and sections are decided as they were made.",
    )


def cost(source, kind, variant):
    """Returns the row of a variant of the section method; None if it was not run."""
    return next((row for row in source.rows("stops") if (row["copies"], row["variant"]) == (kind, variant)), None)


def early_stops(source):
    cases = []
    for kind in KINDS:
        stopped, complete = (cost(source, kind, variant) for variant in ("sections", "sections, all compared"))
        if stopped and complete:
            pairs, seconds = ([float(row[column]) for row in (stopped, complete)] for column in ("block_pairs", "seconds"))
            holds = complete["other_verdicts"] == "0" and seconds[0] < SAVED * seconds[1]
            numbers = f"{fixed(pairs[0], 0)} of {fixed(pairs[1], 0)} block pairs, {fixed(seconds[0], 1)} of {fixed(seconds[1], 1)} s, {complete['other_verdicts']} other verdicts; {stopped['copied']} copied"
            cases.append(Case(f"borrowed {kind}", judged(holds), numbers))
    return Claim(
        text="Stopping at 75 % agreement or 25 % difference saves time with the same verdicts.",
        source=f"{FIRST}, ch. 3",
        rule=f"Holds if it takes less than {SAVED} of the time and every document has the same verdict.",
        cases=cases,
        reason="Few block pairs are compared, but an index of shingles finds them in either case; reading and splitting the texts presumably takes most of the time.",
    )


def two_sentences(source):
    long, shingles, tf_idf = (recall_of(source, "two_sentences", method) for method in ("long_sent", "shingles", "tf_idf"))
    known = not math.isnan(long + shingles)
    cases = [Case("two longest sentences", judged(long <= DEFEATED and shingles >= WITHSTANDS if known else None), f"Long Sent {share(long)}, shingles {share(shingles)}, TF-IDF {share(tf_idf)}")]
    long, sections = (found_copies(source, TWO_SENTENCES, method) for method in ("long_sent", "sections"))
    if not math.isnan(long + sections):
        cases.append(Case("two longest sentences of works", judged(long <= DEFEATED and sections >= WITHSTANDS), f"Long Sent {share(long)}, sections {share(sections)}"))
    return Claim(
        text="Two edited sentences defeat Long Sent; shingles and sections need more.",
        source=f"{FIRST}, ch. 3",
        rule=f"One word of each of the two longest sentences is replaced. Holds if Long Sent finds at most {DEFEATED} and shingles, of works sections, at least {WITHSTANDS}.",
        cases=cases,
        reason="Our rule for the longest sentences counts words in a text whose sentences are cut by marks; where the tools cut them elsewhere, the edit misses them.",
    )


def moved_text(source):
    cases = []
    for kind in ("moved_words", "moved_phrases", "moved_sentences"):
        shingles, tf_idf = (recall_of(source, kind, method) for method in ("shingles", "tf_idf"))
        known = not math.isnan(shingles + tf_idf)
        cases.append(Case(kind.replace("_", " "), judged(shingles < tf_idf if known else None), f"shingles {share(shingles)}, TF-IDF {share(tf_idf)}"))
    return Claim(
        text="Shingles suffer from moved words, phrases and sentences, TF-IDF does not.",
        source=f"{FIRST}, ch. 3",
        rule="Holds if TF-IDF finds a larger share of the copies.",
        cases=cases,
        reason="Moving a sentence breaks only the shingles at its ends, moving a word about ten: most of a long text stays equal, and a threshold of 0.5 forgives the rest.",
    )


def found_copies(source, kind, method, share=None):
    """Returns the share of the revised copies that a method finds, of one share of changed text or of all; NaN if there are none."""
    rows = [row for row in source.rows("revisions") if (row["kind"], row["method"]) == (kind, method) and share in (None, float(row["share"]))]
    copies = sum(int(row["copies"]) for row in rows)
    return sum(int(row["found"]) for row in rows) / copies if copies else math.nan


def by_margin(difference):
    """Judges a difference of shares: holds from the margin on, fails if it is not positive, open between."""
    return Verdict.HOLDS if 100 * difference >= MARGIN else Verdict.FAILS if difference <= 0 else Verdict.OPEN


def moved_works(source):
    cases = []
    for kind in MOVED:
        for method in ("sections", "shingles"):
            own, tf_idf = (found_copies(source, kind, one) for one in (method, "tf_idf"))
            if not math.isnan(own + tf_idf):
                cases.append(Case(f"{kind}, {method}", by_margin(tf_idf - own), f"{method} {share(own)}, TF-IDF {share(tf_idf)}"))
    return Claim(
        text="Sections, like shingles, suffer from moved words, phrases and sentences; TF-IDF does not.",
        source=f"{FIRST}, ch. 3",
        rule=f"Copies of whole works, with a growing share of sentences whose words or phrases move, or that move within their section. Holds if TF-IDF finds at least {MARGIN} points more of all copies, fails if it finds no more, open between.",
        cases=cases,
        reason="Moving a sentence breaks only the shingles at its two ends, and a method that compares all shingles of two documents does not see its place. Blocks of a section do: all words after the sentence move to other blocks.",
    )


def heavy_words_steadier(source):
    cases = []
    for kind in CHANGED:
        heavy, plain = (found_copies(source, kind, method) for method in ("sections, heavy words", "sections"))
        seconds = {row["variant"]: float(row["seconds"]) for row in source.rows("revision_costs") if row["kind"] == kind}
        if not math.isnan(heavy + plain) and seconds:
            slow, fast = seconds["sections, heavy words"], seconds["sections"]
            slower = Verdict.HOLDS if slow > (1 + SAME_TIME) * fast else Verdict.FAILS if fast > (1 + SAME_TIME) * slow else Verdict.OPEN
            numbers = f"finds {share(heavy)} of the copies against {share(plain)}, {fixed(slow, 2)} s against {fixed(fast, 2)} s"
            cases.append(Case(kind, all_of((by_margin(heavy - plain), slower)), numbers))
    return Claim(
        text="Heavy words in place of a block's shingles find more copies with small edits, and take longer.",
        source=f"{FIRST}, ch. 3 (expected, not built there)",
        rule=f"Copies of whole works with a growing share of replaced or inserted words. Holds if the variant finds at least {MARGIN} points more of all copies and takes more than {100 * SAME_TIME:.0f} % longer, by the fastest of three runs; fails if it finds no more, or is faster by as much.",
        cases=cases,
        reason="Reading and splitting the texts may take most of the time of either variant, and a block has one checksum in place of a hundred shingles.",
    )


def heavy_words(source):
    cases = []
    for kind in KINDS:
        heavy, plain = (cost(source, kind, variant) for variant in ("sections, heavy words", "sections"))
        if not heavy or not plain:
            continue
        rows = [row for row in source.rows("works") if row["copies"] == kind]
        f1 = {name: [float(row["f1"]) for row in rows if row["method"] == name] for name in ("sections, heavy words", "sections")}
        means = [sum(values) / len(values) for values in f1.values()]
        holds = None if max(means) < RECOGNISED else float(heavy["seconds"]) > float(plain["seconds"]) and means[0] > means[1]
        cases.append(Case(f"borrowed {kind}", judged(holds), f"mean F1 {fixed(means[0], 3)} against {fixed(means[1], 3)}, {heavy['seconds']} s against {plain['seconds']} s"))
    return Claim(
        text="Heavy words in place of a block's shingles are slower, but steadier under small edits.",
        source=f"{FIRST}, ch. 3 (proposed, not built there)",
        rule=f"Holds if the variant takes longer and has a higher mean F1; open where both recognise hardly any copy (mean F1 below {RECOGNISED}).",
        cases=cases,
        reason="A checksum of a block's heaviest words is equal or not: edits that move one of them into or out of the heaviest change it, while shingles forgive a quarter of a block.",
    )


def second_paper(source):
    cases = []
    for name, table in source.tables("sent_words"):
        points = {}
        for measure, column in (("recall", "recall_union"), ("precision", "precision_string")):
            own = table.value("sent_words", column)
            for other in ("a1", "a2"):
                points[measure, other] = 100 * (zero(own) - zero(table.value(other, column)))
        values = [table.value("sent_words", column) for column in ("recall_union", "precision_string")]
        holds = None if any(map(math.isnan, values)) else (
            min(values) >= 0.9 and points["recall", "a1"] >= 35 - MARGIN and points["recall", "a2"] >= 10 - MARGIN
            and points["precision", "a2"] >= 15 - MARGIN and points["precision", "a1"] >= -MARGIN
        )
        margins = ", ".join(f"{measure} {fixed(value, 0)} over {other}" for (measure, other), value in points.items())
        cases.append(Case(name, judged(holds), f"recall {share(values[0])}, precision {share(values[1])}; points: {margins}"))
    return Claim(
        text="sent_words reaches 95 % recall and precision: 35 points more recall than a1, 10 more than a2; 15 points more precision than a2, no less than a1.",
        source=f"{SECOND}, conclusions",
        rule=f"Recall is the share of the pairs of the three methods. Holds if recall and precision are at least 0.9 and no margin falls short by more than {MARGIN} points.",
        cases=cases,
        reason="Recall is relative to what the three methods find together. The most frequent words of a1 are function words, which unrelated texts share: a1 then proposes most pairs of the union, nearly all of them wrong. "
        "The paper names no collection; with derived parameters (six words, two sentences) its a1 is TF of the first paper, which drops short words.",
    )


def repeated_elements(source):
    cases = []
    for row in source.rows("sequences"):
        elements, repeated = int(row["elements"]), int(row["repeated"])
        percent = 100 * repeated / elements if elements else math.nan
        holds = None if elements < MIN_ELEMENTS else ABOUT_TEN[0] <= percent <= ABOUT_TEN[1]
        cases.append(Case(row["collection"], judged(holds), f"{fixed(percent, 1)} % of {elements:,} elements" if elements else "no sequence"))
    return Claim(
        text="About 10 % of the elements of sent_words stand in more than one sequence.",
        source=f"{SECOND}, step 6",
        rule=f"Elements are documents in sequences of at least two, after sequences inside others are dropped. Holds from {ABOUT_TEN[0]} to {ABOUT_TEN[1]} %, open for fewer than {MIN_ELEMENTS} elements.",
        cases=cases,
        reason="A document stands in several sequences if it shares different long sentences with different documents. How often that happens depends on how texts of a collection are copied; the paper names no collection.",
    )


def frequency_breaks_a1(source):
    a1, other = (recall_of(source, "raised_frequency", method) for method in ("a1", "sent_words"))
    return Claim(
        text="Raising the frequency of one word breaks a1.",
        source=f"{SECOND}, text",
        rule=f"Holds if a1 finds at most {DEFEATED} of the copies with one more frequent word.",
        cases=[Case("one word made most frequent", judged(None if math.isnan(a1) else a1 <= DEFEATED), f"a1 {share(a1)}, sent_words {share(other)}")],
        reason="",
    )


def word_breaks_a2(source):
    a2, other = (recall_of(source, "word_in_long_sentence", method) for method in ("a2", "sent_words"))
    return Claim(
        text="Moving one word in a long sentence breaks a2.",
        source=f"{SECOND}, text",
        rule=f"One word of one of the two longest sentences moves. Holds if a2 finds at most {DEFEATED} of the copies.",
        cases=[Case("one word of a long sentence moved", judged(None if math.isnan(a2) else a2 <= DEFEATED), f"a2 {share(a2)}, sent_words {share(other)}")],
        reason="",
    )


def mean_f(table, methods):
    present = [method for method in methods if method in table.rows]
    return sum(zero(table.value(method, "f1")) for method in present) / len(present) if present else math.nan


def global_methods(source):
    cases = []
    for name, table in source.tables("all"):
        ours = [mean_f(table, methods) for methods in (GLOBAL, LOCAL)]
        cases.append(Case(name, judged(None if any(map(math.isnan, ours)) else ours[0] > ours[1]), f"mean F {share(ours[0])} with statistics, {share(ours[1])} without"))
    pairs = [(count, source.table(f"growth-{count}")) for count in source.plan.growth["documents"]]
    leads = [(count, zero(table.value("tf_idf", "f1")) - zero(table.value("tf", "f1"))) for count, table in pairs if table]
    if len(leads) > 1:
        text = ", ".join(f"{count:,}: {fixed(100 * lead, 1)}" for count, lead in leads)
        cases.append(Case("TF-IDF over TF as the collection grows", judged(leads[-1][1] > leads[0][1]), f"points of F by documents: {text}"))
    published = source.plan.values("2")
    cases.append(Case("table 2 of the first paper", Verdict.FAILS, f"TF {published['TF (k=6)', 'F']}, TF-IDF {published['TF-IDF (k=6)', 'F']}"))
    return Claim(
        text="Methods with statistics of the collection are more precise and complete than those without, the more so the larger the collection.",
        source=f"{SECOND}, text",
        rule=f"Holds on a collection if the mean F of {', '.join(GLOBAL)} is above that of {', '.join(LOCAL)}; as it grows, if the lead of TF-IDF over TF does. Growing: {', '.join(GROWING)}.",
        cases=cases,
        reason="Weights move with the collection, so a fingerprint of the heaviest words changes where one word enters or leaves them; it is exact, not similar words that count.",
    )


def one_topic(source):
    cases = []
    rows = source.rows("topics")
    for topic, edit in dict.fromkeys((row["topic"], row["edit"]) for row in rows):
        own = {(row["method"], row["context"]): row for row in rows if (row["topic"], row["edit"]) == (topic, edit)}
        f1 = {context: [float(own[method, context]["f1"]) for method in GLOBAL] for context in (ONE_TOPIC, MIXED)}
        means = {context: statistics.mean(values) for context, values in f1.items()}
        each = ", ".join(f"{method} {fixed(one, 2)} and {fixed(mixed, 2)}" for method, one, mixed in zip(GLOBAL, f1[ONE_TOPIC], f1[MIXED], strict=True))
        cases.append(Case(f"{topic}, {edit.replace('_', ' ')}", by_margin(means[MIXED] - means[ONE_TOPIC]), f"mean F1 {fixed(means[ONE_TOPIC], 3)} with statistics of one topic, {fixed(means[MIXED], 3)} with mixed ones; {each}"))
    return Claim(
        text="Collections of one topic skew methods with statistics.",
        source=f"{SECOND}, text",
        rule=f"The same documents and edited copies of one topic are judged twice: among others of the topic, and among as many of all other topics. Holds if the mean F1 of {', '.join(GLOBAL)} is lower among the topic by at least {MARGIN} points, "
        "fails if it is not lower, open between.",
        cases=cases,
        reason="Prints do change with the statistics (see the table), but those of a document and of its copy change together. Which statistics are better depends on the words that replace others: the same words are rare in one collection and frequent in the other.",
    )


def batches(source):
    cases = []
    rows = source.rows("additions")
    for method in dict.fromkeys(row["method"] for row in rows if row["method"] != CONTROL):
        own = [row for row in rows if row["method"] == method]
        missed = [int(row["missed"]) / int(row["pairs"]) if int(row["pairs"]) else math.nan for row in own]
        known = [value for value in missed if not math.isnan(value)]
        text = "; ".join(f"{int(row['batch']):,} added: {100 * float(row['changed_prints']):.1f} % of the prints change, {'—' if math.isnan(value) else f'{100 * value:.1f} %'} of {int(row['pairs']):,} pairs missed" for row, value in zip(own, missed, strict=True))
        cases.append(Case(method, judged(100 * max(known) >= MARGIN if known else None), text))
    return Claim(
        text="Additions to a collection must be batched for methods with statistics.",
        source=f"{SECOND}, text",
        rule=f"Prints of existing documents are kept while new documents get prints by the statistics of all. Additions must be batched if kept prints miss pairs, for then every addition needs all prints again. Holds for a method if at least {MARGIN} % of the pairs of an existing and a new document are missed for one size of a batch.",
        cases=cases,
        reason="The heaviest sentences are the longest ones with any weights: their order hardly depends on the weight of single words.",
    )
