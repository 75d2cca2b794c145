//! A document as words in sections.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use twox_hash::XxHash3_64;

use super::fragments::Fragments;
use super::headings;
use super::options::SectionOptions;
use super::words::for_each_word;
use crate::corpus::Heading;
use crate::error::Result;
use crate::text::WordFilters;

/// A document to compare: its text, its words with their places, and its sections.
///
/// A heading belongs to the section that it begins, so no text escapes the comparison by looking like a heading. Text before the first heading
/// is a section; a document without headings is one.
#[derive(Debug, Clone)]
pub struct SectionText<'a> {
    text: &'a str,
    /// Distinct words.
    pub(super) terms: Vec<SectionTerm>,
    pub(super) words: Vec<SectionWord>,
    pub(super) sections: Vec<SectionSpan>,
}

/// A distinct word.
#[derive(Debug, Clone)]
pub(super) struct SectionTerm {
    pub text: String,
    pub hash: u64,
}

/// A word at its place.
#[derive(Debug, Clone)]
pub(super) struct SectionWord {
    /// A position in [`SectionText::terms`].
    pub term: u32,
    pub start: usize,
    pub end: usize,
}

/// A section as its heading begins it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SectionSpan {
    /// The number, from 1.
    pub number: usize,
    pub heading: Option<Heading>,
    pub bytes: Range<usize>,
    /// Positions in [`SectionText::words`].
    pub words: Range<usize>,
}

impl<'a> SectionText<'a> {
    /// Splits a text into sections and words. Without headings of its format, `headings` being empty, they are looked for in the text. Memory:
    /// 24 bytes per word and each distinct word once.
    pub fn new(text: &'a str, headings: &[Heading], options: &SectionOptions) -> Self {
        Self::with_filters(text, headings, options, &Arc::default())
    }

    /// Does the same for the words that pass filters, which must have been compiled for [`SectionOptions::analyzer`].
    pub fn with_filters(
        text: &'a str,
        headings: &[Heading],
        options: &SectionOptions,
        filters: &Arc<WordFilters>,
    ) -> Self {
        let detected = if headings.is_empty() { headings::headings(text) } else { Vec::new() };
        let all = headings.iter().chain(&detected);
        let kept = all.filter(|heading| usize::from(heading.level) <= options.heading_level);
        let sections = spans(text, kept);
        let mut document = SectionText { text, terms: Vec::new(), words: Vec::new(), sections };
        document.add_words(options, filters);
        document.assign_words();
        document
    }

    /// Returns the text.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Returns the number of words that are compared.
    pub fn word_count(&self) -> usize {
        self.words.len()
    }

    /// Keeps the words of chosen fragments only.
    ///
    /// # Errors
    /// A fragment that the document does not have.
    pub fn restrict(&mut self, fragments: &Fragments) -> Result<()> {
        let ranges = fragments.resolve(self)?;
        let is_kept = |word: &SectionWord| {
            let at = ranges.partition_point(|range| range.end < word.end);
            ranges.get(at).is_some_and(|range| range.start <= word.start)
        };
        self.words.retain(is_kept);
        self.assign_words();
        Ok(())
    }

    fn add_words(&mut self, options: &SectionOptions, filters: &Arc<WordFilters>) {
        let SectionText { text, terms, words, .. } = self;
        let mut numbers: FxHashMap<String, u32> = FxHashMap::default();
        for_each_word(text, options, filters, |word, Range { start, end }| {
            let term = match numbers.get(word) {
                Some(number) => *number,
                None => {
                    let number = terms.len() as u32;
                    let hash = XxHash3_64::oneshot(word.as_bytes());
                    terms.push(SectionTerm { text: word.to_string(), hash });
                    numbers.insert(word.to_string(), number);
                    number
                }
            };
            words.push(SectionWord { term, start, end });
        });
    }

    /// Sets the words of each section.
    fn assign_words(&mut self) {
        let SectionText { words, sections, .. } = self;
        for section in sections {
            let position = |byte: usize| words.partition_point(|word| word.start < byte);
            section.words = position(section.bytes.start)..position(section.bytes.end);
        }
    }
}

/// Returns the sections of a text.
fn spans<'h>(text: &str, headings: impl Iterator<Item = &'h Heading>) -> Vec<SectionSpan> {
    let mut sections: Vec<SectionSpan> = Vec::new();
    let mut push = |start: usize, heading: Option<&Heading>| {
        if let Some(last) = sections.last_mut() {
            last.bytes.end = start;
        }
        let (number, heading) = (sections.len() + 1, heading.cloned());
        sections.push(SectionSpan { number, heading, bytes: start..text.len(), words: 0..0 });
    };
    let mut is_first = true;
    for heading in headings {
        if std::mem::take(&mut is_first) && !text[..heading.range.start].trim().is_empty() {
            push(0, None);
        }
        push(heading.range.start, Some(heading));
    }
    if is_first {
        push(0, None);
    }
    sections
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sections(text: &str) -> Vec<(usize, &str, usize)> {
        let document = SectionText::new(text, &[], &SectionOptions::default());
        let section = |s: &SectionSpan| (s.number, &text[s.bytes.clone()], s.words.len());
        document.sections.iter().map(section).collect()
    }

    #[test]
    fn headings_begin_sections() {
        assert_eq!(sections("no headings here"), [(1, "no headings here", 3)]);
        assert_eq!(sections(""), [(1, "", 0)]);
        let text = "\n# A\none two\n## B\n\n# C\nthree\n";
        let expected = [(1, "# A\none two\n", 3), (2, "## B\n\n", 1), (3, "# C\nthree\n", 2)];
        assert_eq!(sections(text), expected);
        assert_eq!(sections("before\n# A"), [(1, "before\n", 1), (2, "# A", 1)]);
    }

    #[test]
    fn headings_of_the_format_replace_those_of_the_text() {
        let text = "Title\n# text\nNext\n";
        let heading = |range, level| Heading { range, level };
        let headings = [heading(0..5, 1), heading(13..17, 2)];
        let options = SectionOptions { heading_level: 1, ..Default::default() };
        let count = |options| SectionText::new(text, &headings, options).sections.len();
        assert_eq!((count(&SectionOptions::default()), count(&options)), (2, 1));
    }

    #[test]
    fn fragments_keep_their_words() {
        let text = "# A\none two\n# B\nthree four\n# C\nfive\n";
        for (only, expected) in [
            ("2", "b three four"),
            ("1,3", "a one two c five"),
            ("2-3", "b three four c five"),
            ("lines:2", "one two"),
            ("lines:2-3,6", "one two b five"),
            ("bytes:4-12", "one two"),
            ("bytes:5-10", ""),
            ("bytes:8-8,16-21", "three"),
        ] {
            let mut document = SectionText::new(text, &[], &SectionOptions::default());
            document.restrict(&only.parse().unwrap()).unwrap();
            let term = |word: &SectionWord| &*document.terms[word.term as usize].text;
            assert_eq!(
                document.words.iter().map(term).collect::<Vec<_>>().join(" "),
                expected,
                "{only}"
            );
            let counted: usize = document.sections.iter().map(|section| section.words.len()).sum();
            assert_eq!(counted, document.words.len());
        }
    }
}
