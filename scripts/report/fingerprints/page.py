"""The page of the experiments with fingerprint methods: verdicts, tables next to the papers' values, and plots."""

import importlib.util
import math

from .. import files, markdown, plots
from ..verdict import Verdict
from . import pictures, texts
from .contexts import CONTEXTS
from .plan import CONTROL
from .runs import read_csv
from .tables import SHARES, Table, spearman, zero
from .works import KINDS

PICTURES, TABLES = "pictures", "tables"


class Source:
    """The plan and the tables of a run."""

    def __init__(self, plan, folder):
        self.plan, self.folder = plan, folder

    def table(self, name):
        """Returns a table of evaluate_methods; it is empty, and false, if it is missing."""
        return Table(self.folder / f"{name}.csv")

    def tables(self, kind, suffix=""):
        """Yields (collection, Table) for the tables of one kind that exist."""
        for name in self.plan.collections:
            table = self.table(f"{kind}-{name}{suffix}")
            if table:
                yield name, table

    def rows(self, name):
        """Returns the rows of another table."""
        return read_csv(self.folder / f"{name}.csv")


def load_claims(folder):
    """Imports claims.py of the experiment."""
    spec = importlib.util.spec_from_file_location(f"claims_{folder.name}", folder / "claims.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write(plan, tables, out, origin):
    """Writes pictures, copies of the tables, and last the page. Returns the number of files."""
    source = Source(plan, tables)
    written = 0
    for path in sorted(tables.glob("*.csv")):
        files.write(out / TABLES / path.name, path.read_bytes())
        written += 1
    for name, figure in figures(source):
        written += plots.save(figure, out / PICTURES / name)
    claims = load_claims(plan.folder).write(source)
    files.write(out / "README.md", render(source, claims, origin))
    return written + 1


def figures(source):
    """Yields (name, figure)."""
    panels = [(source.plan.collections[name]["title"], table) for name, table in source.tables("all")]
    if panels:
        yield "precision_recall", pictures.precision_recall("Precision and recall of all methods", panels)
        sizes = document_counts(source)
        costs = [(source.plan.collections[name]["title"], table, sizes.get(name, 1)) for name, table in source.tables("all")]
        yield "quality_cost", pictures.quality_cost("F over time per document; larger markers: larger prints", costs)


def document_counts(source):
    """Returns {collection: documents}, from the table that states them."""
    return {row["collection"]: int(row["documents"]) for row in source.rows("documents")}


def render(source, claims, origin):
    """Returns the Markdown of the page."""
    parts = [head(source, origin), "\n## Verdicts\n\n", verdicts(claims), "\n"]
    parts += [table_2(source), second_paper(source), table_3(source), table_4(source), edits(source), revised(source), topics(source), additions(source), all_methods(source)]
    parts += ["\n## Claims and rules\n\n", *map(render_claim, claims), data(source)]
    return "".join(parts)


def head(source, origin):
    small = " --small" if source.plan.small else ""
    counts = document_counts(source)
    listed = ", ".join(f"{one['title']} ({counts[name]:,})" for name, one in source.plan.collections.items() if name in counts)
    warning = "\n**Small version: it shows that everything runs; it judges no claim.**\n" if source.plan.small else ""
    return (
        "# Fingerprint methods, side by side\n\n"
        f"**Generated** by `scripts/fingerprints.sh{small}` from the tables of `evaluate_methods`; manual changes are lost.\n{warning}\n"
        f"- nearsig {origin['version']}, commit {origin['commit']}\n- {origin['machine']}, two threads\n- documents: {listed}\n\n"
        "Recall is the share of the union of all compared methods' pairs, precision that of pairs with string similarity of at least 80 %, as in the first paper. "
        "Intervals are 95 %, by resampling documents. Texts are read as they are, each method chooses its words; only the second half of table 2 has the paper's preprocessing.\n"
    )


def verdicts(claims):
    rows = []
    for number, claim in enumerate(claims, start=1):
        case = claim.telling_case()
        evidence = "no data" if case is None else f"{case.name}: {case.evidence}"
        rows.append([number, claim.text, claim.source, f"**{claim.verdict}**", f"{claim.tally()}; {evidence}" if len(claim.cases) > 1 else evidence])
    return markdown.table(["", "claim", "paper", "verdict", "on our data"], rows, 5)


def bounds(interval):
    """Formats a share with its interval."""
    if interval is None:
        return markdown.NO_VALUE
    text = markdown.fixed(interval.mean, 2)
    return text if interval.low == interval.high else f"{text} ({markdown.fixed(interval.low, 2)}–{markdown.fixed(interval.high, 2)})"


def table_2(source):
    """Our values next to table 2 of the first paper, one table per collection, without and with the paper's preprocessing."""
    text = "\n## Table 2: recall, precision and F\n\n" + "".join(table_2_of(source, name, table) for name, table in source.tables("table_2"))
    processed = list(source.tables("table_2_words"))
    if processed:
        text += f"### With the paper's preprocessing\n\nMarkup, stop words and words of three letters or fewer are dropped (`{' '.join(source.plan.preprocessing)}`). Precision is judged by texts without markup, with all words.\n\n"
    return text + "".join(table_2_of(source, name, table) for name, table in processed)


def table_2_of(source, name, table):
    published, rows = source.plan.values("2"), []
    for row, method in source.plan.table_2.items():
        cells = [row, *(markdown.fixed(published[row, column], 2) for column in ("recall", "precision", "F"))]
        cells += [bounds(table.interval(method, column)) for column in ("recall_union", "precision_string", "f1")]
        rows.append([*cells, f"{table.value(method, 'pairs'):,.0f}"])
    theirs = [published[row, "F"] for row in source.plan.table_2]
    rank = spearman(theirs, [zero(table.value(method, "f1")) for method in source.plan.table_2.values()])
    caption = f"{source.plan.collections[name]['title']}; rank correlation of F: {markdown.maybe(rank, markdown.fixed, 2)}"
    return markdown.table(["method", "paper R", "paper P", "paper F", "R", "P", "F", "pairs"], rows, 1, caption) + "\n"


def second_paper(source):
    rows = []
    for name, table in source.tables("sent_words"):
        for method in table.methods():
            rows.append([name, method, *(bounds(table.interval(method, column)) for column in ("recall_union", "precision_string", "f1")), f"{table.value(method, 'pairs'):,.0f}"])
    text = "\n## sent_words, a1 and a2\n\nThe second paper states recall and precision of about 0.95 for sent_words, 0.85 and 0.80 for a2, 0.60 and at most 0.95 for a1 (derived from its margins).\n\n"
    shares = []
    for row in source.rows("sequences"):
        elements, repeated = int(row["elements"]), int(row["repeated"])
        shares.append([row["collection"], f"{elements:,}", f"{repeated:,}", f"{100 * repeated / elements:.1f} %" if elements else markdown.NO_VALUE])
    text += markdown.table(["collection", "method", "R", "P", "F", "pairs"], rows, 2)
    return text + "\n" + markdown.table(["collection", "elements", "in several sequences", "share"], shares, 1, "Elements of sent_words (documents in sequences); the paper: about 10 % in several")


def table_3(source):
    rows = []
    for name, table in source.tables("table_3", "-6"):
        for method in table.methods():
            exact = [source.table(f"table_3-{name}-{percent}").value(method, "precision_string") for percent in (6, 15, 30)]
            shown = [markdown.NO_VALUE if math.isnan(value) else f"{100 * value:.0f} %" for value in exact]
            rows.append([name, method, f"{table.value(method, 'pairs'):,.0f}", *shown, f"{table.value(method, 'seconds'):.2f} s"])
    text = "\n## Table 3: descriptive words and shingles\n\nThe paper: descriptive words 22 million pairs, 61, 76, 91 %, 1.5 h; shingles 19 million, 66, 80, 94 %, 3.5 h. Differences are judged by string similarity here, by experts there.\n\n"
    return text + markdown.table(["collection", "method", "pairs", "differ < 6 %", "< 15 %", "< 30 %", "time"], rows, 2)


def table_4(source):
    """F1 per work next to table 4 of the first paper, for both kinds of copies."""
    text = (
        "\n## Table 4: borrowed works\n\nFifteen books of the King James Version, each with 45 copies that borrow 10 to 90 % of its words and go on with verses of other books. "
        "The paper does not say how its copies borrow: ours borrow runs of 3 to 12 verses, or whole sections. F1 counts one decision per copy; duplicates have at least 75 % borrowed words. "
        "*Anywhere* looks for the shingles of a block in the whole work.\n\n"
    )
    return text + "".join(works_table(source, kind) for kind in KINDS)


def works_table(source, kind):
    published = source.plan.values("4")
    scores = {(row["work"], row["method"]): float(row["f1"]) for row in source.rows("works") if row["copies"] == kind}
    if not scores:
        return f"Borrowed {kind}: not run.\n\n"
    methods, works = (list(dict.fromkeys(key[place] for key in scores)) for place in (1, 0))
    names = {"sections": "sections F1", "shingles": "shingles F1", "long_sent": "Long Sent F1", "tf_idf": "TF-IDF F1"}
    lines = []
    for work in works:
        theirs = [markdown.fixed(published[f"work {work}", column], 2) for column in names.values()]
        lines.append([work, *theirs, *(markdown.fixed(scores[work, method], 2) for method in methods)])
    theirs = [sum(published[f"work {work}", column] for work in works) / len(works) for column in names.values()]
    means = [sum(scores[work, method] for work in works) / len(works) for method in methods]
    lines.append(["mean", *(markdown.fixed(value, 3) for value in theirs + means)])
    return markdown.table(["work", *(f"paper: {name}" for name in names), *methods], lines, 1, f"Borrowed {kind}") + "\n"


def edits(source):
    kinds = {kind: source.table(f"edits-{kind}") for kind in texts.EDITS}
    kinds = {kind: table for kind, table in kinds.items() if table}
    if not kinds:
        return ""
    methods = next(iter(kinds.values())).methods()
    rows = [[method, *(markdown.fixed(zero(table.value(method, "recall_truth")), 2) for table in kinds.values())] for method in methods]
    described = "; ".join(f"*{kind.replace('_', ' ')}*: {texts.EDITS[kind].__doc__.rstrip('.').lower()}" for kind in kinds)
    return f"\n## Edited copies: share found\n\n{described}.\n\n" + markdown.table(["method", *(kind.replace("_", " ") for kind in kinds)], rows, 1)


def revised(source):
    """Shares of revised copies that are found: one table per kind, one column per share of the text."""
    rows = source.rows("revisions")
    if not rows:
        return ""
    parts = [
        f"\n## Revised works: share found\n\nThe {source.plan.revisions['works']} longest books, each with one copy per kind and share of changed text: sentences (verses) with two exchanged words, or with a phrase moved to the end, "
        "sentences that move within their section, replaced words, inserted words. A section has at least one change. The settings of the methods are those of table 4.\n\n"
    ]
    for kind in dict.fromkeys(row["kind"] for row in rows):
        own = [row for row in rows if row["kind"] == kind]
        found = {(row["method"], row["share"]): int(row["found"]) / int(row["copies"]) for row in own}
        methods, shares = (list(dict.fromkeys(row[column] for row in own)) for column in ("method", "share"))
        lines = [[method, *(markdown.fixed(found[method, share], 2) for share in shares)] for method in methods]
        heads = [f"{100 * float(share):g} %" for share in shares] if len(shares) > 1 else ["found"]
        parts.append(markdown.table(["method", *heads], lines, 1, kind.capitalize()) + "\n")
    return "".join(parts)


def topics(source):
    rows = source.rows("topics")
    if not rows:
        return ""
    settings = source.plan.topics
    own = {(row["topic"], row["edit"], row["method"], row["context"]): row for row in rows}
    lines = []
    for topic, edit, method in dict.fromkeys((row["topic"], row["edit"], row["method"]) for row in rows):
        both = [own[topic, edit, method, context] for context in CONTEXTS]
        numbers = [markdown.fixed(float(row[column]), 2) for column in ("recall", "precision", "f1") for row in both]
        lines.append([topic, edit.replace("_", " "), method, *numbers, f"{100 * float(both[0]['changed_prints']):.0f} %"])
    text = (
        f"\n## Statistics of one topic\n\n{settings['judged']} documents of a topic and an edited copy of each (edits as above), among {settings['context']} others of the topic, or among as many documents of all other topics. "
        "Recall counts copies; right pairs are copies, and pairs of at least 80 % equal words in the same order. The last column is the share of prints that differ between both; "
        f"{CONTROL} needs no statistics.\n\n"
    )
    heads = [f"{name}, {context.replace('_', ' ')}" for name in ("R", "P", "F1") for context in CONTEXTS]
    return text + markdown.table(["topic", "edit", "method", *heads, "other prints"], lines, 3)


def additions(source):
    lines = []
    for row in source.rows("additions"):
        pairs = int(row["pairs"])
        missed = f"{100 * int(row['missed']) / pairs:.1f} %" if pairs else markdown.NO_VALUE
        lines.append([row["method"], f"{int(row['batch']):,}", f"{100 * float(row['changed_prints']):.1f} %", f"{pairs:,}", missed, row["additional"]])
    if not lines:
        return ""
    settings = source.plan.additions
    title = source.plan.collections[settings["collection"]]["title"]
    text = (
        f"\n## Additions\n\n{title}: {settings['existing']:,} existing documents keep the prints that they got by their own statistics; a batch of new documents gets prints by the statistics of all. "
        "One half of a batch are the documents that follow, one half copies of existing ones with one word replaced. Pairs consist of an existing and a new document; they are compared with those of prints that are all made again.\n\n"
    )
    return text + markdown.table(["method", "batch", "prints that change", "pairs", "missed", "additional"], lines, 1)


def all_methods(source):
    parts = ["\n## All methods\n\n"]
    for name in ("precision_recall", "quality_cost"):
        parts.append(f'<a href="{PICTURES}/{name}.svg"><img src="{PICTURES}/{name}.png" width="800" alt="{name.replace("_", " ")}"></a>\n\n')
    for name, table in source.tables("all"):
        rows = []
        for method in table.methods():
            shares = [markdown.NO_VALUE if math.isnan(table.value(method, column)) else markdown.fixed(table.value(method, column), 3) for column in SHARES]
            rows.append([method, f"{table.value(method, 'pairs'):,.0f}", *shares, f"{table.value(method, 'seconds'):.2f}", f"{table.value(method, 'bytes_per_document'):.0f}"])
        parts.append(markdown.table(["method", "pairs", *SHARES, "seconds", "bytes per document"], rows, 1, source.plan.collections[name]["title"]) + "\n")
    return "".join(parts)


def render_claim(claim):
    text = f"### {claim.text} — {claim.verdict}\n\n*Rule.* {claim.rule}\n\n"
    if not claim.cases:
        return text + "No data.\n\n"
    text += markdown.table(["case", "verdict", "numbers"], [[case.name, case.verdict, case.evidence] for case in claim.cases], 3) + "\n"
    if claim.verdict is Verdict.FAILS and claim.reason:
        text += f"*Possible explanation, not measured.* {claim.reason}\n\n"
    return text


def data(source):
    return (
        f"## Data\n\n[{TABLES}]({TABLES}) holds the tables behind all numbers; `exp/fingerprints` the plan, the published values and the claims. "
        f"Missing collections: {', '.join(name for name in source.plan.collections if not source.table(f'all-{name}')) or 'none'}.\n"
    )
