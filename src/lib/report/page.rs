//! The page: head, verdicts, a chapter for each experiment, as Markdown.

use super::chapters::{Block, Body, Drawn};
use super::markdown::{Grid, anchor};
use super::source::Chapter;
use super::verdict::{Case, Claim, Verdict};

/// Where pictures are, relative to the page.
pub const PICTURES: &str = "pictures";
/// Where copies of the tables are, relative to the page.
pub const TABLES: &str = "tables";

/// How the page came to be.
pub struct Origin {
    /// The command line that makes it.
    pub command: String,
    /// The machine it was made on.
    pub machine: String,
    /// The commit it was made with.
    pub commit: String,
    /// The record of the collections.
    pub collections: Option<String>,
    /// Whether it is about the small versions.
    pub small: bool,
}

const R_IS_P: &str = "\
> **The thesis' tables 2.15 to 2.54 print under R what its formula calls P.** Its formulas are R = |ham ∩ cos| / |cos| and P = |ham ∩ cos| / |ham|. \
It takes as threshold_ham the smallest Hamming similarity of any pair with c ≥ threshold_sim: then every pair of cos is in ham, R by the formula is always 1, and what varies is P. \
The thesis says that Precision is always 1 and prints Recall: the names are the wrong way round. **In the tables below our P stands beside its R.**\n";

const HOW_TO_READ: &str = "\
Our values are means over the seeds of the random vectors, ± half of the 95 % interval by Student's t; a value without ± is of one run or does not depend on seeds. \
Every verdict is computed from the tables by the rule that stands with it. A rule looks at intervals: where an interval lies on both sides of the rule's limit, the case cannot be judged. \
A claim *holds* when it holds in every case that can be judged, *does not hold* when it fails in one, and *cannot be judged on this data* otherwise. \
Our collections stand for the thesis' Coll_Mixed as they are, those ending in -small for Coll_Small (the tenth of the documents with the fewest distinct words), those ending in -large for Coll_Large (the tenth with the most).\n";

/// The whole page.
pub fn write(origin: &Origin, chapters: &[(&Chapter, Body)]) -> String {
    let mut text = head(origin);
    text += "\n## Verdicts\n\n";
    text += HOW_TO_READ;
    text.push('\n');
    text += &verdicts(chapters);
    text.push('\n');
    text += R_IS_P;
    for (chapter, body) in chapters {
        text += &write_chapter(chapter, body, origin.small);
    }
    text += &data(origin);
    text
}

fn head(origin: &Origin) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let Origin { command, machine, commit, .. } = origin;
    let small = if origin.small { " --small" } else { "" };
    let of_small = if origin.small {
        "\n**This is the small version of every experiment: it shows that everything runs, not what the thesis claims.**\n"
    } else {
        ""
    };
    format!(
        "# The thesis' tables and figures, reproduced\n\n\
         **Generated** by `{command}` from the tables that `run_experiment` wrote; changes made here by hand are lost. `scripts/reproduce.sh all{small}` does all of it.\n{of_small}\n\
         - nearsig {version}, commit {commit}\n\
         - {machine}\n\
         - the [tables](#the-tables-and-the-data) behind every number, and the data's checksums\n"
    )
}

/// What a chapter is called.
fn heading(chapter: &Chapter) -> String {
    chapter.name.to_string()
}

fn verdicts(chapters: &[(&Chapter, Body)]) -> String {
    let mut rows = Vec::new();
    for (chapter, body) in chapters {
        let heading = heading(chapter);
        let place = format!("[{heading}](#{})", anchor(&heading));
        for claim in &body.claims {
            let source = if claim.source.is_empty() { "ours" } else { &claim.source };
            rows.push(vec![
                (rows.len() + 1).to_string(),
                claim.text.clone(),
                source.to_string(),
                format!("**{}**", claim.verdict()),
                in_short(claim),
                place.clone(),
            ]);
        }
    }
    let head = ["", "claim", "thesis", "verdict", "on our data", "where"].map(String::from).into();
    Grid { caption: String::new(), head, rows, words: 6 }.markdown()
}

/// The tally, and the one case that says most.
fn in_short(claim: &Claim) -> String {
    let Some(case) = telling(claim) else { return "no data".into() };
    if let [_] = claim.cases.as_slice() {
        return format!("{}: {}", case.name, case.evidence);
    }
    format!("{}; {}: {}", claim.tally(), case.name, case.evidence)
}

/// The first case with the verdict of the whole.
fn telling(claim: &Claim) -> Option<&Case> {
    let verdict = claim.verdict();
    claim.cases.iter().find(|case| case.verdict == verdict)
}

fn write_chapter(chapter: &Chapter, body: &Body, small: bool) -> String {
    let heading = heading(chapter);
    let mut text = format!("\n## {heading}\n\n");
    if let Some(experiment) = &chapter.experiment {
        text += &format!("{}.", experiment.title);
        if !experiment.tables.is_empty() {
            text +=
                &format!(" Tables and figures of the thesis: {}.", experiment.tables.join(", "));
        }
        let version = if small { " --small" } else { "" };
        text += &format!(
            "\n\n```sh\nrun_experiment --experiment exp/{}{version}\n```\n\n",
            experiment.name
        );
    }
    for note in chapter.notes() {
        text += &format!("> {note}\n\n");
    }
    text += &body.claims.iter().map(write_claim).collect::<String>();
    let has_values = chapter.tables.iter().any(|one| one.table.is_some());
    if has_values {
        text += &body.blocks.iter().map(write_block).collect::<String>();
    }
    text
}

fn write_claim(claim: &Claim) -> String {
    let verdict = claim.verdict();
    let mut text = format!("### {} — {verdict}\n\n*Rule.* {}\n\n", claim.text, claim.rule);
    if claim.cases.is_empty() {
        return text + "There are no rows to judge it by.\n\n";
    }
    let row =
        |case: &Case| vec![case.name.clone(), case.verdict.to_string(), case.evidence.clone()];
    let head = ["case", "verdict", "numbers"].map(String::from).into();
    let rows = claim.cases.iter().map(row).collect();
    text += &Grid { caption: String::new(), head, rows, words: 3 }.markdown();
    text.push('\n');
    if verdict == Verdict::DoesNotHold && !claim.reason.is_empty() {
        text += &format!("*Why it does not hold.* {}\n\n", claim.reason);
    }
    text
}

fn write_block(block: &Block) -> String {
    match block {
        Block::Text(text) => format!("{text}\n\n"),
        Block::Table(grid) => grid.markdown() + "\n",
        Block::Picture(Drawn { name, shows, .. }) => format!(
            "<a href=\"{PICTURES}/{name}.svg\"><img src=\"{PICTURES}/{name}.png\" width=\"800\" alt=\"{shows}\"></a>\n\n"
        ),
    }
}

fn data(origin: &Origin) -> String {
    let mut text = format!(
        "\n## The tables and the data\n\nAll rows that the numbers above are computed from, one a configuration and seed, are in [{TABLES}]({TABLES}). \
         The collections are made by `scripts/collect/collections.sh`; these are what they were made from and the checksums of what was made:\n\n"
    );
    text += &match &origin.collections {
        Some(record) => format!("```text\n{}\n```\n", record.trim_end()),
        None => "There is no record of the collections.\n".to_string(),
    };
    text
}
