//! Sections to blocks, blocks to fingerprints.

use std::ops::Range;

use rustc_hash::FxHashMap;
use twox_hash::XxHash3_64;

use super::document::{SectionText, SectionWord};
use super::options::{BlockRule, SectionOptions};
use crate::text::SHINGLE_SEPARATOR;

/// Sections and blocks of a document, with the fingerprints of each block.
#[derive(Debug, Default)]
pub(super) struct Layout {
    pub sections: Vec<LaidSection>,
    /// Ends of the fingerprints of each block.
    ends: Vec<usize>,
    prints: Vec<u64>,
}

/// A section that is compared.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LaidSection {
    /// Positions in [`SectionText::sections`]: several if all but one are shorter than a shingle.
    pub spans: Range<usize>,
    pub words: Range<usize>,
    pub blocks: Range<usize>,
}

impl Layout {
    /// Lays out a document. Every section has at least as many words as a shingle: a shorter one, such as a heading alone, joins the next one, and
    /// the last one the one before it. So has every block, unless the document is shorter than a shingle: then it is one section, one block
    /// and one shingle.
    pub fn new(document: &SectionText<'_>, options: &SectionOptions) -> Self {
        let mut layout = Layout::default();
        for (spans, words) in joined_sections(document, options.shingle_size) {
            let first = layout.block_count();
            let printer = Printer::new(document, words.clone(), options);
            for block in blocks(words.clone(), options) {
                printer.append(block, &mut layout.prints);
                layout.ends.push(layout.prints.len());
            }
            let blocks = first..layout.block_count();
            layout.sections.push(LaidSection { spans, words, blocks });
        }
        layout
    }

    /// Returns the number of blocks.
    pub fn block_count(&self) -> usize {
        self.ends.len()
    }

    /// Returns the distinct fingerprints of a block, ascending; at least one.
    pub fn prints(&self, block: usize) -> &[u64] {
        let start = if block == 0 { 0 } else { self.ends[block - 1] };
        &self.prints[start..self.ends[block]]
    }
}

/// Returns sections with at least `min` words each, as ranges of sections and words; sections without words are dropped.
fn joined_sections(document: &SectionText<'_>, min: usize) -> Vec<(Range<usize>, Range<usize>)> {
    let mut joined: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    let mut open: Option<(Range<usize>, Range<usize>)> = None;
    for (number, section) in document.sections.iter().enumerate() {
        if section.words.is_empty() {
            continue;
        }
        let start = open.take().unwrap_or((number..number, section.words.clone()));
        let (spans, words) = (start.0.start..number + 1, start.1.start..section.words.end);
        match words.len() >= min {
            true => joined.push((spans, words)),
            false => open = Some((spans, words)),
        }
    }
    match (open, joined.last_mut()) {
        (Some((spans, words)), Some(last)) => {
            *last = (last.0.start..spans.end, last.1.start..words.end);
        }
        (Some(short), None) => joined.push(short),
        (None, _) => {}
    }
    joined
}

/// Cuts words into blocks. A rest shorter than a shingle joins the block before it.
fn blocks(words: Range<usize>, options: &SectionOptions) -> impl Iterator<Item = Range<usize>> {
    let (length, min) = (options.block, options.shingle_size);
    let mut start = words.start;
    std::iter::from_fn(move || {
        let end = (start + length).min(words.end);
        let end = if words.end - end < min { words.end } else { end };
        let block = start..end;
        start = end;
        (!block.is_empty()).then_some(block)
    })
}

/// Makes fingerprints of the blocks of a section.
struct Printer<'a> {
    document: &'a SectionText<'a>,
    options: &'a SectionOptions,
    /// How often the section has each of its terms; empty if that does not matter.
    frequencies: FxHashMap<u32, u32>,
}

impl<'a> Printer<'a> {
    fn new(
        document: &'a SectionText<'a>,
        section: Range<usize>,
        options: &'a SectionOptions,
    ) -> Self {
        let mut frequencies = FxHashMap::default();
        if options.blocks_by == BlockRule::HeavyWords {
            let words = &document.words[section];
            words.iter().for_each(|word| *frequencies.entry(word.term).or_insert(0) += 1);
        }
        Printer { document, options, frequencies }
    }

    /// Appends the distinct fingerprints of a block, ascending.
    fn append(&self, block: Range<usize>, prints: &mut Vec<u64>) {
        let words = &self.document.words[block];
        match self.options.blocks_by {
            BlockRule::HeavyWords => prints.push(self.checksum(words)),
            BlockRule::Shingles => {
                let mut distinct = shingles(self.document, words, self.options.shingle_size);
                distinct.sort_unstable();
                distinct.dedup();
                prints.append(&mut distinct);
            }
        }
    }

    /// Returns the checksum of the words of a block that are most frequent in the section, in alphabetical order. Ties go to the first by
    /// alphabet.
    fn checksum(&self, words: &[SectionWord]) -> u64 {
        let text = |term: &u32| &*self.document.terms[*term as usize].text;
        let mut terms: Vec<u32> = words.iter().map(|word| word.term).collect();
        terms.sort_unstable();
        terms.dedup();
        let rank = |term: &u32| std::cmp::Reverse(self.frequencies.get(term));
        terms.sort_by(|a, b| rank(a).cmp(&rank(b)).then_with(|| text(a).cmp(text(b))));
        terms.truncate(self.options.heavy_words);
        let mut heavy: Vec<&str> = terms.iter().map(text).collect();
        heavy.sort_unstable();
        XxHash3_64::oneshot(heavy.join(SHINGLE_SEPARATOR.encode_utf8(&mut [0; 2])).as_bytes())
    }
}

/// Returns the hashes of all shingles of `size` words, in order. Fewer words are one shingle, none have none.
pub(super) fn shingles(document: &SectionText<'_>, words: &[SectionWord], size: usize) -> Vec<u64> {
    let hashes: Vec<u8> = words
        .iter()
        .flat_map(|word| document.terms[word.term as usize].hash.to_le_bytes())
        .collect();
    let size = size.min(words.len()).max(1) * size_of::<u64>();
    hashes.windows(size).step_by(size_of::<u64>()).map(XxHash3_64::oneshot).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(text: &str, block: usize, shingle_size: usize) -> Vec<(Range<usize>, Vec<usize>)> {
        let options = SectionOptions { block, shingle_size, ..Default::default() };
        let document = SectionText::new(text, &[], &options);
        let layout = Layout::new(&document, &options);
        let prints = |section: &LaidSection| {
            section.blocks.clone().map(|block| layout.prints(block).len()).collect()
        };
        layout.sections.iter().map(|section| (section.words.clone(), prints(section))).collect()
    }

    #[test]
    fn rests_shorter_than_a_shingle_join_the_block_before() {
        assert_eq!(layout("a b c d e f g", 4, 2), [(0..7, vec![3, 2])]);
        assert_eq!(layout("a b c d e f g h i", 4, 2), [(0..9, vec![3, 4])]);
        assert_eq!(layout("a b", 4, 3), [(0..2, vec![1])]);
        assert_eq!(layout("a a a a a a a a", 4, 2), [(0..8, vec![1, 1])]);
        assert_eq!(layout("", 4, 2), []);
    }

    #[test]
    fn short_sections_join_the_next_one() {
        let text = "# One\n# Two\na b\n# Three\nc d e\n# Four\n";
        assert_eq!(layout(text, 9, 3), [(0..4, vec![2]), (4..9, vec![3])]);
        assert_eq!(layout("# One\n# Two\n", 9, 3), [(0..2, vec![1])]);
    }

    #[test]
    fn heavy_words_are_frequent_in_the_section() {
        let options = SectionOptions {
            block: 4,
            shingle_size: 2,
            heavy_words: 2,
            blocks_by: BlockRule::HeavyWords,
            ..Default::default()
        };
        let prints = |text: &str| {
            let document = SectionText::new(text, &[], &options);
            Layout::new(&document, &options).prints
        };
        let hash = |words: &str| XxHash3_64::oneshot(words.as_bytes());
        // b three times, d twice, a and c once.
        let expected = [hash("b\u{a0}d"), hash("b\u{a0}d")];
        assert_eq!(prints("d b a b c d e b"), expected);
        assert_eq!(prints("z y x"), [hash("x\u{a0}y")]);
        assert_eq!(prints("z"), [hash("z")]);
    }
}
