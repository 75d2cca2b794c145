//! Comparison of two documents: verdicts on blocks, sections and the document.

use std::collections::BTreeMap;
use std::ops::Range;

use super::document::SectionText;
use super::headings::title;
use super::judge::{BlockVerdict, Judge};
use super::layout::{LaidSection, Layout};
use super::options::{SectionOptions, SourcePart};
use super::passages::{CopiedPassage, common_text};

/// Parts of a whole, and those that the source has too.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct PartCount {
    /// The number of parts.
    pub total: usize,
    /// The number of common parts.
    pub common: usize,
}

/// Verdicts on blocks or sections.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct VerdictCount {
    /// The number of blocks or sections.
    pub total: usize,
    /// Those that were judged before the verdict on the whole was certain; all, without early stopping.
    pub compared: usize,
    /// Those that are copied.
    pub copied: usize,
}

impl VerdictCount {
    fn of(total: usize) -> Self {
        VerdictCount { total, ..VerdictCount::default() }
    }

    fn add(&mut self, is_copied: bool) {
        self.compared += 1;
        self.copied += usize::from(is_copied);
    }
}

/// A section of the first document, compared with the source.
#[derive(Debug, Clone, PartialEq)]
pub struct SectionVerdict {
    /// The number of the section, from 1, as `--only` takes it: of the first one if short ones were joined.
    pub number: usize,
    /// The bytes of its heading, without marks of Markdown.
    pub heading: Option<Range<usize>>,
    /// Its bytes.
    pub bytes: Range<usize>,
    /// Whether it is copied; none if the verdict on the document was certain before.
    pub is_copied: Option<bool>,
    /// Its blocks.
    pub blocks: VerdictCount,
    /// Its words, and those in copied passages.
    pub words: PartCount,
    /// Mean share of the fingerprints of its blocks that stand in one part of the source; only without early stopping.
    pub mean_share: Option<f64>,
    /// The number of the source's section with most of the copied blocks; of equals the first.
    pub source: Option<usize>,
}

/// Result of [`compare`].
#[derive(Debug, Clone, PartialEq)]
pub struct SectionComparison {
    /// Whether the first document is copied from the source.
    pub is_copied: bool,
    /// The sections of the first document.
    pub sections: VerdictCount,
    /// Its blocks.
    pub blocks: VerdictCount,
    /// Its words, and those in copied passages.
    pub words: PartCount,
    /// Its distinct shingles, and those that stand anywhere in the source.
    pub shingles: PartCount,
    /// Pairs of a block and a part of the source that the definition compares.
    pub part_pairs: u64,
    /// Pairs that were compared, because they have a fingerprint in common.
    pub compared_pairs: u64,
    /// Fingerprints of blocks that were looked up.
    pub lookups: u64,
    /// Fingerprints of all blocks.
    pub fingerprints: u64,
    /// The sections of the first document that have words.
    pub section_verdicts: Vec<SectionVerdict>,
    /// The copied passages, in the order of the first document.
    pub passages: Vec<CopiedPassage>,
}

/// Compares a document with the source it may be copied from.
///
/// A block is copied if more of its distinct shingles than the threshold stand in one block of the source; a section if more of its blocks than
/// the threshold are; a document if more of its sections are. A document without words is not copied. With early stopping, each of
/// the three comparisons ends as soon as its verdict is certain. Verdicts are the same without, and for any number of threads.
///
/// Time: linear in the lengths of the documents and the number of block pairs with a common shingle. Memory: about 30 bytes per word.
///
/// ```
/// use nearsig::sections::{SectionOptions, SectionText, compare};
///
/// let options = SectionOptions::default();
/// let source = "# Method\nEach section is split into disjoint blocks of equal length.";
/// let copy = "Each section is split into disjoint blocks of equal size.";
/// let [copy, source] = [copy, source].map(|text| SectionText::new(text, &[], &options));
/// let comparison = compare(&copy, &source, &options);
/// assert!(comparison.is_copied);
/// assert_eq!(&copy.text()[comparison.passages[0].bytes.clone()], "Each section is split into disjoint blocks of equal");
/// ```
pub fn compare(
    document: &SectionText<'_>,
    source: &SectionText<'_>,
    options: &SectionOptions,
) -> SectionComparison {
    let comparison = verdicts(document, source, options);
    with_passages(comparison, document, source, options)
}

/// Returns the verdicts, without passages.
fn verdicts(
    document: &SectionText<'_>,
    source: &SectionText<'_>,
    options: &SectionOptions,
) -> SectionComparison {
    let (layout, other) = (Layout::new(document, options), Layout::new(source, options));
    let parts = match options.look_in {
        SourcePart::Block => other.block_count(),
        SourcePart::Section => other.sections.len(),
        SourcePart::Document => other.sections.len().min(1),
    };
    let judge = Judge::new(&other, options);
    let mut comparer =
        Comparer { document, source, layout: &layout, other: &other, options, judge };
    let mut comparison = SectionComparison {
        is_copied: false,
        sections: VerdictCount::of(layout.sections.len()),
        blocks: VerdictCount::of(layout.block_count()),
        words: PartCount { total: document.words.len(), common: 0 },
        shingles: PartCount::default(),
        part_pairs: layout.block_count() as u64 * parts as u64,
        compared_pairs: 0,
        lookups: 0,
        fingerprints: (0..layout.block_count()).map(|b| layout.prints(b).len() as u64).sum(),
        section_verdicts: Vec::new(),
        passages: Vec::new(),
    };
    comparer.compare(&mut comparison);
    comparison
}

/// Compares section by section.
struct Comparer<'a> {
    document: &'a SectionText<'a>,
    source: &'a SectionText<'a>,
    layout: &'a Layout,
    other: &'a Layout,
    options: &'a SectionOptions,
    judge: Judge,
}

impl Comparer<'_> {
    fn compare(&mut self, comparison: &mut SectionComparison) {
        for section in &self.layout.sections {
            let is_settled = self.is_settled(&comparison.sections);
            let mut verdict = self.unjudged(section);
            if !is_settled {
                self.judge_section(section, &mut verdict, comparison);
            }
            comparison.section_verdicts.push(verdict);
        }
        let VerdictCount { total, copied, .. } = comparison.sections;
        comparison.is_copied = self.options.decision().is_exceeded(copied, total);
    }

    /// Returns whether the verdict on the whole is certain, so that no more parts need to be judged.
    fn is_settled(&self, count: &VerdictCount) -> bool {
        let VerdictCount { total, compared, copied } = *count;
        let settled = self.options.decision().settled(copied, compared - copied, total);
        !self.options.no_early_stop && settled.is_some()
    }

    fn unjudged(&self, section: &LaidSection) -> SectionVerdict {
        let spans = &self.document.sections[section.spans.clone()];
        let heading = spans.iter().find_map(|span| span.heading.as_ref());
        SectionVerdict {
            number: spans[0].number,
            heading: heading.map(|heading| title(self.document.text(), heading.range.clone())),
            bytes: spans[0].bytes.start..spans[spans.len() - 1].bytes.end,
            is_copied: None,
            blocks: VerdictCount::of(section.blocks.len()),
            words: PartCount { total: section.words.len(), common: 0 },
            mean_share: None,
            source: None,
        }
    }

    /// Judges the blocks of a section, and by them the section.
    fn judge_section(
        &mut self,
        section: &LaidSection,
        verdict: &mut SectionVerdict,
        comparison: &mut SectionComparison,
    ) {
        let (mut sources, mut shares) = (BTreeMap::new(), 0.0);
        for block in section.blocks.clone() {
            if self.is_settled(&verdict.blocks) {
                break;
            }
            let prints = self.layout.prints(block);
            let block = self.judge.judge(prints);
            verdict.blocks.add(block.is_copied);
            comparison.blocks.add(block.is_copied);
            comparison.compared_pairs += block.compared as u64;
            comparison.lookups += block.lookups as u64;
            shares += block.common as f64 / prints.len() as f64;
            if let Some(source) = self.source_section(&block) {
                *sources.entry(source).or_insert(0) += 1;
            }
        }
        let VerdictCount { total, copied, .. } = verdict.blocks;
        let is_copied = self.options.decision().is_exceeded(copied, total);
        verdict.is_copied = Some(is_copied);
        comparison.sections.add(is_copied);
        verdict.mean_share = self.options.no_early_stop.then(|| shares / total as f64);
        let most = sources.values().max().copied();
        verdict.source =
            sources.into_iter().find(|(_, count)| Some(*count) == most).map(|(n, _)| n);
    }

    /// Returns the number of the source's section that a copied block comes from.
    fn source_section(&self, block: &BlockVerdict) -> Option<usize> {
        let part = block.best.filter(|_| block.is_copied)? as usize;
        let section = match self.options.look_in {
            SourcePart::Block => {
                let sections = &self.other.sections;
                &sections[sections.partition_point(|section| section.blocks.end <= part)]
            }
            SourcePart::Section => &self.other.sections[part],
            SourcePart::Document => return None,
        };
        Some(self.source.sections[section.spans.start].number)
    }
}

/// Adds passages, and the words and shingles that they cover.
fn with_passages(
    mut comparison: SectionComparison,
    document: &SectionText<'_>,
    source: &SectionText<'_>,
    options: &SectionOptions,
) -> SectionComparison {
    let common = common_text(document, source, options.shingle_size);
    comparison.shingles = PartCount { total: common.shingles, common: common.common_shingles };
    count_words(&mut comparison.section_verdicts, &common.passages);
    comparison.words.common = common.passages.iter().map(|passage| passage.words).sum();
    comparison.passages = common.passages;
    comparison
}

/// Counts the words of each section that passages cover. Sections follow each other, passages may span several.
fn count_words(sections: &mut [SectionVerdict], passages: &[CopiedPassage]) {
    let (mut start, mut passages) = (0, passages.iter().peekable());
    for section in sections {
        let end = start + section.words.total;
        while let Some(passage) = passages.peek() {
            let passage_end = passage.first_word + passage.words;
            let common = passage_end.min(end).saturating_sub(passage.first_word.max(start));
            section.words.common += common;
            if passage_end > end {
                break;
            }
            passages.next();
        }
        start = end;
    }
}
