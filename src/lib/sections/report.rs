//! The report of a comparison, as text and as JSON.

use std::fmt::Write;
use std::ops::Range;

use serde::Serialize;

use super::compare::{PartCount, SectionComparison, SectionVerdict, VerdictCount};
use super::document::SectionText;
use super::lines::LineStarts;
use super::options::SectionOptions;
use super::passages::CopiedPassage;
use crate::error::INFALLIBLE;
use crate::executable::{counted, grouped};
use crate::files::pairs::escape;

/// A document that is ready to be compared and reported.
pub(super) struct ReportedDocument<'a> {
    pub id: &'a str,
    pub content: SectionText<'a>,
    pub lines: LineStarts,
}

/// A compared pair.
pub(super) struct PairReport<'a> {
    pub document: &'a ReportedDocument<'a>,
    pub source: &'a ReportedDocument<'a>,
    pub options: &'a SectionOptions,
    pub comparison: SectionComparison,
    /// The longest passages, in the order of the document.
    listed: Vec<usize>,
}

impl<'a> PairReport<'a> {
    /// Reports a comparison with its longest passages, at most `most_passages`; the first of equals.
    pub fn new(
        document: &'a ReportedDocument<'a>,
        source: &'a ReportedDocument<'a>,
        options: &'a SectionOptions,
        comparison: SectionComparison,
        most_passages: usize,
    ) -> Self {
        let mut listed: Vec<usize> = (0..comparison.passages.len()).collect();
        listed.sort_by_key(|number| std::cmp::Reverse(comparison.passages[*number].words));
        listed.truncate(most_passages);
        listed.sort_unstable();
        PairReport { document, source, options, comparison, listed }
    }

    /// Returns the passages to list.
    pub fn passages(&self) -> impl Iterator<Item = &CopiedPassage> {
        self.listed.iter().map(|number| &self.comparison.passages[*number])
    }

    /// Returns the report for people.
    pub fn text(&self) -> String {
        let mut text = String::new();
        self.append_verdict(&mut text).expect(INFALLIBLE);
        self.append_sections(&mut text).expect(INFALLIBLE);
        self.append_passages(&mut text).expect(INFALLIBLE);
        text
    }

    fn append_verdict(&self, text: &mut String) -> std::fmt::Result {
        let SectionComparison { sections, blocks, words, shingles, .. } = &self.comparison;
        let ids = [self.document.id, self.source.id].map(escape);
        let verdict = if self.comparison.is_copied { "copied" } else { "not copied" };
        writeln!(text, "{}, compared with {}: {verdict}", ids[0], ids[1])?;
        writeln!(text, "  sections  {}", judged(sections))?;
        writeln!(text, "  blocks    {}", judged(blocks))?;
        writeln!(text, "  words     {} in copied passages", common(words))?;
        writeln!(text, "  shingles  {} anywhere in the source", common(shingles))?;
        let SectionComparison { compared_pairs, part_pairs, .. } = self.comparison;
        let pairs = counted(part_pairs, "block pairs");
        let threshold = 100.0 * self.options.threshold;
        let is_partial = sections.compared < sections.total || blocks.compared < blocks.total;
        let hint = if is_partial { "; --no_early_stop judges all" } else { "" };
        let compared = grouped(compared_pairs);
        writeln!(text, "  threshold {threshold} %; compared {compared} of {pairs}{hint}")
    }

    fn append_sections(&self, text: &mut String) -> std::fmt::Result {
        let rows: Vec<[String; 7]> = std::iter::once(SECTION_COLUMNS.map(String::from))
            .chain(self.comparison.section_verdicts.iter().map(|section| self.row(section)))
            .collect();
        let width = |column: usize| {
            rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default()
        };
        let widths: Vec<usize> = (0..SECTION_COLUMNS.len()).map(width).collect();
        writeln!(text, "\nSections")?;
        for row in &rows {
            let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
            writeln!(text, "  {}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
        }
        Ok(())
    }

    fn row(&self, section: &SectionVerdict) -> [String; 7] {
        let verdict = match section.is_copied {
            Some(true) => "copied",
            Some(false) => "not copied",
            None => "not judged",
        };
        let heading = section.heading.clone().map(|range| one_line(self.document, range));
        [
            section.number.to_string(),
            verdict.to_string(),
            judged(&section.blocks),
            common(&section.words),
            span(self.document.lines.of(&section.bytes)),
            section.source.map_or("-".to_string(), |number| number.to_string()),
            heading.unwrap_or_default(),
        ]
    }

    fn append_passages(&self, text: &mut String) -> std::fmt::Result {
        let total = self.comparison.passages.len();
        let longest = match total - self.listed.len() {
            0 => String::new(),
            _ => format!(", the {} longest", grouped(self.listed.len() as u64)),
        };
        writeln!(text, "\nPassages: {}{longest}", grouped(total as u64))?;
        for (number, passage) in (1..).zip(self.passages()) {
            let place = |document: &ReportedDocument<'_>, bytes: &Range<usize>| {
                let (first, last) = document.lines.of(bytes);
                let noun = if first == last { "line" } else { "lines" };
                let lines = span((first, last));
                format!("{noun} {lines} (bytes {}-{})", bytes.start, bytes.end)
            };
            let words = counted(passage.words as u64, "words");
            let here = place(self.document, &passage.bytes);
            let there = place(self.source, &passage.source_bytes);
            writeln!(text, "  {number}. {words}, {here}; source {there}")?;
            writeln!(text, "     {}", one_line(self.document, passage.bytes.clone()))?;
        }
        Ok(())
    }

    /// Returns the report as one line of JSON.
    pub fn json(&self) -> String {
        let SectionComparison { sections, blocks, words, shingles, .. } = self.comparison;
        let verdicts = &self.comparison.section_verdicts;
        let report = JsonReport {
            document_1: self.document.id,
            document_2: self.source.id,
            copied: self.comparison.is_copied,
            options: self.options,
            sections,
            blocks,
            words,
            shingles,
            block_pairs: self.comparison.part_pairs,
            compared_block_pairs: self.comparison.compared_pairs,
            section_list: verdicts.iter().map(|section| self.json_section(section)).collect(),
            passage_count: self.comparison.passages.len(),
            passages: self.passages().map(|passage| self.json_passage(passage)).collect(),
        };
        let mut line = serde_json::to_string(&report).expect("the report has no maps");
        line.push('\n');
        line
    }

    fn json_section(&self, section: &'a SectionVerdict) -> JsonSection<'_> {
        let text = self.document.content.text();
        JsonSection {
            number: section.number,
            heading: section.heading.clone().map(|range| &text[range]),
            copied: section.is_copied,
            blocks: section.blocks,
            words: section.words,
            mean_share: section.mean_share,
            source_section: section.source,
            place: JsonPlace::new(self.document, &section.bytes),
        }
    }

    fn json_passage(&self, passage: &CopiedPassage) -> JsonPassage<'_> {
        JsonPassage {
            words: passage.words,
            document_1: JsonPlace::new(self.document, &passage.bytes),
            document_2: JsonPlace::new(self.source, &passage.source_bytes),
            text: &self.document.content.text()[passage.bytes.clone()],
        }
    }
}

const SECTION_COLUMNS: [&str; 7] =
    ["section", "verdict", "blocks", "words", "lines", "source", "heading"];

/// Returns the share of copied parts, a lower bound if not all were judged.
fn judged(count: &VerdictCount) -> String {
    let VerdictCount { total, compared, copied } = *count;
    let share = common(&PartCount { total, common: copied });
    match compared == total {
        true => share,
        false => format!(">= {share}, {} judged", grouped(compared as u64)),
    }
}

fn common(count: &PartCount) -> String {
    let PartCount { total, common } = *count;
    let percent = 100.0 * common as f64 / total.max(1) as f64;
    format!("{percent:.1} % ({} of {})", grouped(common as u64), grouped(total as u64))
}

/// Returns a range of lines.
fn span((first, last): (usize, usize)) -> String {
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}

/// Returns a part of a text as one line that a terminal shows as it is.
fn one_line(document: &ReportedDocument<'_>, range: Range<usize>) -> String {
    let words: Vec<&str> = document.content.text()[range].split_whitespace().collect();
    words.join(" ").replace(char::is_control, "\u{fffd}")
}

#[derive(Serialize)]
struct JsonReport<'a> {
    document_1: &'a str,
    document_2: &'a str,
    copied: bool,
    sections: VerdictCount,
    blocks: VerdictCount,
    words: PartCount,
    shingles: PartCount,
    block_pairs: u64,
    compared_block_pairs: u64,
    options: &'a SectionOptions,
    section_list: Vec<JsonSection<'a>>,
    passage_count: usize,
    passages: Vec<JsonPassage<'a>>,
}

#[derive(Serialize)]
struct JsonSection<'a> {
    number: usize,
    heading: Option<&'a str>,
    copied: Option<bool>,
    blocks: VerdictCount,
    words: PartCount,
    mean_share: Option<f64>,
    source_section: Option<usize>,
    #[serde(flatten)]
    place: JsonPlace,
}

#[derive(Serialize)]
struct JsonPassage<'a> {
    words: usize,
    document_1: JsonPlace,
    document_2: JsonPlace,
    text: &'a str,
}

/// Bytes, the last one excluded, and lines, the last one included.
#[derive(Serialize)]
struct JsonPlace {
    bytes: [usize; 2],
    lines: [usize; 2],
}

impl JsonPlace {
    fn new(document: &ReportedDocument<'_>, bytes: &Range<usize>) -> Self {
        let (first, last) = document.lines.of(bytes);
        JsonPlace { bytes: [bytes.start, bytes.end], lines: [first, last] }
    }
}
