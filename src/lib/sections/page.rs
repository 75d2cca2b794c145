//! The HTML page: both texts side by side, copied passages marked.

use std::ops::Range;

use rustc_hash::FxHashMap;
use serde::Serialize;

use super::compare::{PartCount, SectionVerdict, VerdictCount};
use super::options::SectionOptions;
use super::passages::CopiedPassage;
use super::report::{PairReport, ReportedDocument};
use crate::error::Result;
use crate::files::output::Output;
use crate::page::html::{PanePage, text_parts};
use crate::page::{PageDocument, Utf16Positions};

const KEYS: &str = include_str!("assets/keys.html");
const OWN_STYLE: &str = include_str!("assets/sections.css");
const SCRIPT: &str = include_str!("assets/sections.js");

/// Content of the page, in the layout that its script reads.
#[derive(Serialize)]
pub(super) struct SectionPage<'a> {
    title: &'a str,
    /// The command that wrote it.
    made_by: String,
    options: &'a SectionOptions,
    documents: Vec<PageDocument>,
    /// The first document of each part of the texts.
    text_parts: Vec<usize>,
    pairs: Vec<ComparedPair>,
    #[serde(skip)]
    numbers: FxHashMap<String, usize>,
}

/// A pair of documents.
#[derive(Serialize)]
struct ComparedPair {
    /// Positions in [`SectionPage::documents`].
    left: usize,
    right: usize,
    copied: bool,
    sections: VerdictCount,
    blocks: VerdictCount,
    words: PartCount,
    shingles: PartCount,
    section_list: Vec<PageSection>,
    /// The number of passages, with those that are not shown.
    passage_count: usize,
    /// Starts and ends in both texts, in UTF-16 code units, and the number of words.
    passages: Vec<[usize; 5]>,
}

/// A section of the left document.
#[derive(Serialize)]
struct PageSection {
    number: usize,
    heading: String,
    copied: Option<bool>,
    blocks: VerdictCount,
    words: PartCount,
    source: Option<usize>,
    /// Its start in the text, in UTF-16 code units; none if it is not shown.
    start: Option<usize>,
}

impl<'a> SectionPage<'a> {
    /// Creates a page without pairs.
    pub fn new(title: &'a str, made_by: String, options: &'a SectionOptions) -> Self {
        SectionPage {
            title,
            made_by,
            options,
            documents: Vec::new(),
            text_parts: Vec::new(),
            pairs: Vec::new(),
            numbers: FxHashMap::default(),
        }
    }

    /// Returns the number of pairs.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Adds a pair, with texts of at most `text_limit` bytes.
    pub fn add(&mut self, report: &PairReport<'_>, text_limit: usize) {
        let left = self.document(report.document, text_limit);
        let right = self.document(report.source, text_limit);
        let texts = [left, right].map(|number| &*self.documents[number].text);
        let comparison = &report.comparison;
        let pair = ComparedPair {
            left,
            right,
            copied: comparison.is_copied,
            sections: comparison.sections,
            blocks: comparison.blocks,
            words: comparison.words,
            shingles: comparison.shingles,
            section_list: sections(report, texts[0]),
            passage_count: comparison.passages.len(),
            passages: passages(report, texts),
        };
        self.pairs.push(pair);
    }

    /// Returns the position of a document, which is added if it is new.
    fn document(&mut self, document: &ReportedDocument<'_>, text_limit: usize) -> usize {
        let next = self.documents.len();
        let number = *self.numbers.entry(document.id.to_string()).or_insert(next);
        if number == next {
            let (text, words) = (document.content.text(), document.content.word_count() as u64);
            self.documents.push(PageDocument::new(document.id, text, words, text_limit));
        }
        number
    }

    /// Writes the page, and returns it to be published.
    pub fn write(mut self, mut out: Output) -> Result<Output> {
        self.text_parts = text_parts(&self.documents);
        let page = PanePage { title: self.title, keys: KEYS, style: OWN_STYLE, script: SCRIPT };
        page.write(&self, &self.documents, &self.text_parts, &mut |bytes| out.write(bytes))?;
        Ok(out)
    }
}

/// Returns the sections of the left document, of which this text is shown.
fn sections(report: &PairReport<'_>, shown: &str) -> Vec<PageSection> {
    let (verdicts, text) = (&report.comparison.section_verdicts, report.document.content.text());
    let starts = verdicts.iter().map(|section| section.bytes.start).collect();
    let positions = Utf16Positions::new(shown, starts);
    let section = |section: &SectionVerdict| PageSection {
        number: section.number,
        heading: section.heading.clone().map_or(String::new(), |range| text[range].to_string()),
        copied: section.is_copied,
        blocks: section.blocks,
        words: section.words,
        source: section.source,
        start: positions.get(section.bytes.start),
    };
    verdicts.iter().map(section).collect()
}

/// Returns the passages inside of both texts as far as they are shown.
fn passages(report: &PairReport<'_>, shown: [&str; 2]) -> Vec<[usize; 5]> {
    let ends = |bytes: &Range<usize>| [bytes.start, bytes.end];
    let here = report.passages().flat_map(|passage| ends(&passage.bytes)).collect();
    let there = report.passages().flat_map(|passage| ends(&passage.source_bytes)).collect();
    let here = Utf16Positions::new(shown[0], here);
    let there = Utf16Positions::new(shown[1], there);
    let passage = |passage: &CopiedPassage| {
        let CopiedPassage { bytes, source_bytes: source, .. } = passage;
        let (left, right) = (here.range(bytes)?, there.range(source)?);
        Some([left.0, left.1, right.0, right.1, passage.words])
    };
    report.passages().filter_map(passage).collect()
}
