"""The page: head, verdicts and one chapter per experiment, as Markdown with plots and copies of the tables."""

import pathlib
from dataclasses import dataclass, field

from . import experiment, files, markdown, plots
from .errors import ReportError
from .source import Source, read_thesis
from .verdict import Verdict

# Folders next to the page.
PICTURES, TABLES = "pictures", "tables"

R_IS_P = """\
> **The thesis' tables 2.15 to 2.54 print P, by its formula, under the name R.** Its formulas are R = |ham ∩ cos| / |cos| and P = |ham ∩ cos| / |ham|. \
Its threshold_ham is the smallest Hamming similarity of any pair with c ≥ threshold_sim: every pair of cos is then in ham, R is always 1, and only P varies. \
The thesis states that precision is always 1 and prints recall: the names are swapped. **The tables below show our P beside its R.**
"""
HOW_TO_READ = """\
Our values are means over the seeds of the hyperplanes, ± half of the 95 % confidence interval by Student's t. A value without ± comes from a single run or does not depend on seeds. \
Each verdict follows from the tables by the stated rule. Rules compare intervals with limits: a case cannot be judged if its interval contains the limit. \
A claim *holds* if it holds in every case that can be judged, *does not hold* if it fails in one, and *cannot be judged on this data* otherwise. \
Our full collections represent the thesis' Coll_Mixed; those ending in -small represent Coll_Small (the tenth of the documents with the fewest distinct words), those ending in -large Coll_Large (the tenth with the most).
"""


@dataclass(frozen=True)
class Origin:
    """The provenance a page states."""

    command: str
    version: str
    commit: str
    machine: str
    small: bool


@dataclass
class Chapter:
    """Text, tables, pictures and claims of one experiment; filled by its claims module."""

    shown: set = field(default_factory=set)
    blocks: list = field(default_factory=list)
    claims: list = field(default_factory=list)
    figures: dict = field(default_factory=dict)

    def text(self, text):
        """Adds a paragraph."""
        self.blocks.append(f"{text}\n\n")

    def table(self, caption, head, rows, text_columns):
        """Adds a table, unless it has no rows."""
        rows = list(rows)
        if rows:
            self.blocks.append(markdown.table(head, rows, text_columns, caption) + "\n")

    def picture(self, name, title, figure):
        """Adds a figure, saved under a name that is unique on the page."""
        if name in self.shown:
            raise ReportError(f"picture '{name}': expected a name not on the page yet")
        self.shown.add(name)
        self.figures[name] = figure
        self.blocks.append(f'<a href="{PICTURES}/{name}.svg"><img src="{PICTURES}/{name}.png" width="800" alt="{title}"></a>\n\n')

    def claim(self, claim):
        """Adds a claim."""
        self.claims.append(claim)


def write(tables, thesis, experiments, out, origin):
    """Writes pictures, copies of the tables, and last the page. Returns (tables read, tables missing, files written)."""
    sources, chapters = compose(tables, thesis, experiments, origin.small)
    written = copy_tables(sources, out / TABLES)
    for chapter in chapters:
        for name, figure in chapter.figures.items():
            written += plots.save(figure, out / PICTURES / name)
    files.write(out / "README.md", render(origin, sources, chapters, collections(experiments)))
    read = sum(len(source.tables) for source in sources)
    return read, sum(len(source.paths) for source in sources) - read, written + 1


def compose(tables, thesis, experiments, small):
    """Reads all tables and lets the claims fill their chapters: (sources, chapters) in the order of the page."""
    published, shown = read_thesis(thesis), set()
    sources, chapters = [], []
    for one, module in in_order(experiments, small):
        sources.append(Source(one, pathlib.Path(tables), published, small, shown))
        chapters.append(Chapter(shown))
        fill(chapters[-1], module, sources[-1])
    return sources, chapters


def in_order(experiments, small):
    """Returns (experiment, claims module) in the order the modules ask for."""
    found = [experiment.read(pathlib.Path(experiments) / name, small) for name in experiment.names(experiments)]
    if not found:
        raise ReportError(f"{experiments}: no folder with {experiment.PLAN}")
    loaded = [(one, one.load_claims()) for one in found]
    return sorted(loaded, key=lambda pair: (pair[1].ORDER, pair[0].name))


def fill(chapter, module, source):
    """Lets a claims module fill its chapter; an unknown column is an error that names the module."""
    try:
        module.write(source, chapter)
    except KeyError as error:
        raise ReportError(f"{module.__file__}: unknown column or key {error}") from error


def copy_tables(sources, folder):
    """Copies all tables and bins; returns their number."""
    paths = [path for source in sources for path in source.files()]
    for path in paths:
        files.write(folder / path.name, path.read_bytes())
    return len(paths)


def collections(experiments):
    """Returns the checksums of the collections; None where they are not recorded."""
    path = pathlib.Path(experiments) / "collections.sha256"
    return path.read_text() if path.exists() else None


def render(origin, sources, chapters, checksums):
    """Returns the Markdown of the page."""
    parts = [head(origin), "\n## Verdicts\n\n", HOW_TO_READ, "\n", verdicts(sources, chapters), "\n", R_IS_P]
    parts += [render_chapter(source, chapter, origin.small) for source, chapter in zip(sources, chapters, strict=True)]
    parts.append(render_data(checksums))
    return "".join(parts)


def head(origin):
    small = " --small" if origin.small else ""
    warning = (
        "\n**Small version of every experiment: it shows that everything runs; it does not test the thesis' claims.**\n"
        if origin.small
        else ""
    )
    return (
        "# The thesis' tables and figures, reproduced\n\n"
        f"**Generated** by `{origin.command}` from the tables of `run_experiment`; manual changes are lost. `scripts/reproduce.sh all{small}` runs everything.\n{warning}\n"
        f"- nearsig {origin.version}, commit {origin.commit}\n"
        f"- {origin.machine}\n"
        "- [tables](#tables-and-data) behind every number, and checksums of the data\n"
    )


def verdicts(sources, chapters):
    """Returns the table of all claims."""
    rows = []
    for source, chapter in zip(sources, chapters, strict=True):
        name = source.experiment.name
        link = f"[{name}](#{markdown.anchor(name)})"
        for claim in chapter.claims:
            rows.append([len(rows) + 1, claim.text, claim.source or "ours", f"**{claim.verdict}**", in_short(claim), link])
    return markdown.table(["", "claim", "thesis", "verdict", "on our data", "where"], rows, 6)


def in_short(claim):
    """Returns the tally of a claim and its most telling case."""
    case = claim.telling_case()
    if case is None:
        return "no data"
    evidence = f"{case.name}: {case.evidence}"
    return evidence if len(claim.cases) == 1 else f"{claim.tally()}; {evidence}"


def render_chapter(source, chapter, small):
    one = source.experiment
    thesis = f" Tables and figures of the thesis: {', '.join(one.thesis_tables)}." if one.thesis_tables else ""
    version = " --small" if small else ""
    parts = [f"\n## {one.name}\n\n{one.title}.{thesis}\n\n```sh\nrun_experiment --experiment exp/{one.name}{version}\n```\n\n"]
    parts += [f"> {note}\n\n" for note in source.notes()]
    parts += map(render_claim, chapter.claims)
    if source.tables:
        parts += chapter.blocks
    return "".join(parts)


def render_claim(claim):
    text = f"### {claim.text} — {claim.verdict}\n\n*Rule.* {claim.rule}\n\n"
    if not claim.cases:
        return text + "No rows to judge.\n\n"
    rows = [[case.name, case.verdict, case.evidence] for case in claim.cases]
    text += markdown.table(["case", "verdict", "numbers"], rows, 3) + "\n"
    if claim.verdict is Verdict.FAILS and claim.reason:
        text += f"*Why it does not hold.* {claim.reason}\n\n"
    return text


def render_data(checksums):
    record = f"```text\n{checksums.rstrip()}\n```\n" if checksums else "The collections are not recorded.\n"
    return (
        f"\n## Tables and data\n\n[{TABLES}]({TABLES}) holds all rows behind the numbers above, one per configuration and seed. "
        "`scripts/collect/collections.sh` creates the collections; their sources and checksums:\n\n" + record
    )
