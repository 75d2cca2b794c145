//! The comparison against the definition, spelled out: all blocks with all blocks, all shingles with all shingles.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

/// Words of a document, section by section, as the definition sees them.
fn naive_sections(text: &str, size: usize) -> Vec<Vec<String>> {
    let mut sections: Vec<Vec<String>> = Vec::new();
    for line in text.lines() {
        if line.starts_with("# ") || sections.is_empty() {
            sections.push(Vec::new());
        }
        let words = line.split(' ').filter(|word| !word.is_empty() && *word != "#");
        sections.last_mut().unwrap().extend(words.map(String::from));
    }
    // Sections that are too short join the next one, the last one the one before.
    let mut joined: Vec<Vec<String>> = Vec::new();
    let mut open = Vec::new();
    for section in sections {
        open.extend(section);
        if open.len() >= size {
            joined.push(std::mem::take(&mut open));
        }
    }
    match joined.last_mut() {
        Some(last) => last.extend(open),
        None if !open.is_empty() => joined.push(open),
        None => {}
    }
    joined
}

fn naive_blocks(section: &[String], options: &SectionOptions) -> Vec<Vec<String>> {
    let mut blocks: Vec<Vec<String>> = section.chunks(options.block).map(<[_]>::to_vec).collect();
    if blocks.len() > 1 && blocks[blocks.len() - 1].len() < options.shingle_size {
        let rest = blocks.pop().unwrap();
        blocks.last_mut().unwrap().extend(rest);
    }
    blocks
}

/// Distinct fingerprints of a block, as text.
fn naive_prints(
    block: &[String],
    section: &[String],
    options: &SectionOptions,
) -> BTreeSet<Vec<String>> {
    if options.blocks_by == BlockRule::Shingles {
        let size = options.shingle_size.min(block.len());
        return block.windows(size).map(<[_]>::to_vec).collect();
    }
    let frequency = |word: &&String| section.iter().filter(|other| other == word).count();
    let words: BTreeSet<&String> = block.iter().collect();
    let mut words: Vec<&String> = words.into_iter().collect();
    words.sort_by_key(|word| std::cmp::Reverse(frequency(word)));
    let mut heavy: Vec<String> = words.into_iter().take(options.heavy_words).cloned().collect();
    heavy.sort();
    BTreeSet::from([heavy])
}

/// Verdicts by the definition: the document, its sections, and the copied blocks of each section.
fn naive(
    document: &str,
    source: &str,
    options: &SectionOptions,
) -> (bool, Vec<(bool, usize, usize)>) {
    let millionths = (options.threshold * 1e6).round() as usize;
    let exceeds = |count: usize, total: usize| count * 1_000_000 > millionths * total;
    let mut parts: Vec<BTreeSet<Vec<String>>> = Vec::new();
    let mut all = BTreeSet::new();
    for section in naive_sections(source, options.shingle_size) {
        let blocks = naive_blocks(&section, options);
        let prints: Vec<_> = blocks.iter().map(|b| naive_prints(b, &section, options)).collect();
        let whole: BTreeSet<Vec<String>> = prints.iter().flatten().cloned().collect();
        all.extend(whole.clone());
        match options.look_in {
            SourcePart::Block => parts.extend(prints),
            SourcePart::Section => parts.push(whole),
            SourcePart::Document => {}
        }
    }
    if options.look_in == SourcePart::Document {
        parts.push(all);
    }
    let mut verdicts = Vec::new();
    for section in naive_sections(document, options.shingle_size) {
        let blocks = naive_blocks(&section, options);
        let is_copied = |block: &&Vec<String>| {
            let prints = naive_prints(block, &section, options);
            parts.iter().any(|part| exceeds(prints.intersection(part).count(), prints.len()))
        };
        let copied = blocks.iter().filter(is_copied).count();
        verdicts.push((exceeds(copied, blocks.len()), copied, blocks.len()));
    }
    let copied = verdicts.iter().filter(|(is_copied, ..)| *is_copied).count();
    (exceeds(copied, verdicts.len()), verdicts)
}

fn compared(document: &str, source: &str, options: &SectionOptions) -> SectionComparison {
    let [document, source] = [document, source].map(|text| SectionText::new(text, &[], options));
    compare(&document, &source, options)
}

/// Words of the document that stand in a common shingle, by the definition.
fn naive_common_words(document: &str, source: &str, size: usize) -> usize {
    let words = |text: &str| naive_sections(text, 1).concat();
    let (left, right) = (words(document), words(source));
    let size = if left.len() == right.len() { size.min(left.len()).max(1) } else { size };
    let mut is_common = vec![false; left.len()];
    for (start, shingle) in left.windows(size).enumerate() {
        if right.windows(size).any(|other| other == shingle) {
            is_common[start..start + size].fill(true);
        }
    }
    is_common.into_iter().filter(|is_common| *is_common).count()
}

/// Checks verdicts, shares and passages against the definition, with and without early stopping.
fn check(document: &str, source: &str, options: &SectionOptions) -> Result<(), TestCaseError> {
    let (is_copied, verdicts) = naive(document, source, options);
    let full = SectionOptions { no_early_stop: true, ..options.clone() };
    let whole = compared(document, source, &full);
    let found: Vec<_> = whole
        .section_verdicts
        .iter()
        .map(|s| (s.is_copied.unwrap(), s.blocks.copied, s.blocks.total))
        .collect();
    prop_assert_eq!(&found, &verdicts);
    prop_assert_eq!(whole.is_copied, is_copied);
    prop_assert_eq!(whole.blocks.compared, whole.blocks.total);
    prop_assert_eq!(whole.lookups, whole.fingerprints);
    let early =
        compared(document, source, &SectionOptions { no_early_stop: false, ..options.clone() });
    prop_assert_eq!(early.is_copied, is_copied);
    for (section, (is_copied, copied, _)) in early.section_verdicts.iter().zip(&verdicts) {
        prop_assert!(section.is_copied.is_none_or(|verdict| verdict == *is_copied));
        prop_assert!(section.blocks.copied <= *copied);
    }
    prop_assert!(
        early.compared_pairs <= whole.compared_pairs && whole.compared_pairs <= whole.part_pairs
    );
    prop_assert!(early.lookups <= whole.lookups);
    prop_assert_eq!(&early.passages, &whole.passages);
    check_passages(document, source, options, &early)
}

fn check_passages(
    document: &str,
    source: &str,
    options: &SectionOptions,
    found: &SectionComparison,
) -> Result<(), TestCaseError> {
    prop_assert_eq!(found.words.common, naive_common_words(document, source, options.shingle_size));
    let by_section: usize = found.section_verdicts.iter().map(|s| s.words.common).sum();
    prop_assert_eq!(by_section, found.words.common);
    let mut end = 0;
    for passage in &found.passages {
        prop_assert!(passage.bytes.start >= end && passage.words > 0);
        end = passage.bytes.end;
        let words = |text: &str| {
            text.split(['\n', ' ', '#'])
                .filter(|w| !w.is_empty())
                .map(String::from)
                .collect::<Vec<_>>()
        };
        let (left, right) =
            (words(&document[passage.bytes.clone()]), words(&source[passage.source_bytes.clone()]));
        prop_assert_eq!(left.len(), passage.words);
        prop_assert_eq!(left, right);
    }
    Ok(())
}

fn options() -> impl Strategy<Value = SectionOptions> {
    let threshold = prop_oneof![Just(0.75), Just(0.5), Just(0.0), Just(0.99), 0.0..0.999];
    let rule = prop_oneof![3 => Just(BlockRule::Shingles), 1 => Just(BlockRule::HeavyWords)];
    let part = prop_oneof![3 => Just(SourcePart::Block), 1 => Just(SourcePart::Section), 1 => Just(SourcePart::Document)];
    (1usize..4, 0usize..8, threshold, rule, 1usize..4, part).prop_map(
        |(shingle_size, more, threshold, blocks_by, heavy_words, look_in)| SectionOptions {
            block: shingle_size + more,
            shingle_size,
            threshold,
            blocks_by,
            heavy_words,
            look_in,
            ..SectionOptions::default()
        },
    )
}

/// A text with headings, of few different words.
fn text() -> impl Strategy<Value = String> {
    let line = "(# )?([a-d]( [a-d]){0,9})?";
    prop::collection::vec(line, 0..8).prop_map(|lines| lines.join("\n"))
}

/// A text, and an edited copy of it.
fn edited() -> impl Strategy<Value = (String, String)> {
    let line = "(# )?([a-z]( [a-z]){0,19})?";
    let edits = prop::collection::vec((any::<prop::sample::Index>(), "[a-z]"), 0..6);
    (prop::collection::vec(line, 1..8), edits).prop_map(|(lines, edits)| {
        let source = lines.join("\n");
        let mut copy = source.clone().into_bytes();
        for (at, letter) in edits.iter().filter(|_| !source.is_empty()) {
            let at = at.index(copy.len());
            if copy[at].is_ascii_lowercase() {
                copy[at] = letter.as_bytes()[0];
            }
        }
        (String::from_utf8(copy).unwrap(), source)
    })
}

proptest! {
    #[test]
    fn verdicts_are_those_of_the_definition(document in text(), source in text(), options in options()) {
        check(&document, &source, &options)?;
    }

    #[test]
    fn verdicts_on_edited_copies_are_those_of_the_definition((document, source) in edited(), options in options()) {
        check(&document, &source, &options)?;
    }

    #[test]
    fn any_text_is_compared(left: String, right: String, quoted: bool) {
        let options = SectionOptions { ignore_quoted: quoted, shingle_size: 2, block: 3, ..Default::default() };
        let found = compared(&left, &right, &options);
        prop_assert!(found.words.common <= found.words.total);
        let own = compared(&left, &left, &options);
        prop_assert_eq!(own.words.common, own.words.total);
        prop_assert_eq!(own.is_copied, own.words.total > 0);
    }
}

/// Returns a text of words numbered from `start` on, in letters.
fn numbered(start: usize, count: usize) -> String {
    let word = |mut number: usize| {
        let mut word = String::from("w");
        while number > 0 {
            word.push(char::from(b'a' + (number % 26) as u8));
            number /= 26;
        }
        word
    };
    (start..start + count).map(word).collect::<Vec<_>>().join(" ")
}

#[test]
fn exactly_three_quarters_are_not_copied() {
    // Twelve words are eight shingles of five: six of them in common are 75 %, seven are more.
    for (common, is_copied) in [(10, false), (11, true)] {
        let document = numbered(0, 12);
        let source = format!("{} {}", numbered(0, common), numbered(1000, 12 - common));
        for no_early_stop in [false, true] {
            let options = SectionOptions { block: 12, no_early_stop, ..Default::default() };
            let found = compared(&document, &source, &options);
            assert_eq!((found.is_copied, found.shingles.common), (is_copied, common - 4));
        }
    }
    // Three of four blocks, and three of four sections.
    let blocks =
        |copied: usize| format!("{} {}", numbered(0, copied * 10), numbered(500, 40 - copied * 10));
    let sections = |copied: usize| {
        let section = |n: usize| {
            format!("# {}", numbered(if n < copied { n * 10 } else { 500 + n * 10 }, 10))
        };
        (0..4).map(section).collect::<Vec<_>>().join("\n")
    };
    for (copied, is_copied) in [(3, false), (4, true)] {
        for no_early_stop in [false, true] {
            let options = SectionOptions { block: 10, no_early_stop, ..Default::default() };
            assert_eq!(compared(&blocks(copied), &numbered(0, 40), &options).is_copied, is_copied);
            assert_eq!(compared(&sections(copied), &sections(4), &options).is_copied, is_copied);
        }
    }
}

#[test]
fn short_documents_are_compared_as_a_whole() {
    let options = SectionOptions::default();
    let is_copied = |document: &str, source: &str| compared(document, source, &options).is_copied;
    assert!(!is_copied("", "") && !is_copied("", "word") && !is_copied("word", ""));
    assert!(
        is_copied("word", "Word!") && !is_copied("word", "other") && !is_copied("word", "word two")
    );
    assert!(is_copied("# One\n\n# Two\n", "# one\n# two"));
    assert!(!is_copied("...\n\0\n", "...") && is_copied("a\0b c d e f", "a b c d e f"));
}

#[test]
fn early_stopping_compares_less() {
    let document = format!("{}\n# Next\n{}", numbered(0, 2000), numbered(5000, 50));
    let full = SectionOptions { no_early_stop: true, ..Default::default() };
    let early = compared(&document, &document, &SectionOptions::default());
    let whole = compared(&document, &document, &full);
    assert!(early.is_copied && whole.is_copied);
    assert_eq!((whole.blocks.compared, whole.blocks.total), (21, 21));
    assert_eq!(early.blocks.compared, 17);
    assert!(early.lookups * 4 < whole.lookups * 3, "{} {}", early.lookups, whole.lookups);
    assert_eq!(whole.section_verdicts[0].mean_share, Some(1.0));
    assert_eq!(early.section_verdicts[0].mean_share, None);
}

#[test]
fn moved_text_is_found_in_sections() {
    let source = numbered(0, 300);
    let document = format!("{} {source}", numbered(1000, 50));
    let by_block = SectionOptions { no_early_stop: true, ..Default::default() };
    let by_section = SectionOptions { look_in: SourcePart::Section, ..by_block.clone() };
    // Only the last block, of 50 words, is part of a block.
    assert_eq!(compared(&document, &source, &by_block).blocks.copied, 1);
    let found = compared(&document, &source, &by_section);
    assert_eq!((found.blocks.copied, found.blocks.total), (3, 4));
    assert_eq!((found.words.common, found.passages.len()), (300, 1));
}

#[test]
fn sections_name_their_source() {
    let source = format!("# A\n{}\n# B\n{}", numbered(0, 30), numbered(100, 30));
    let document = format!("Intro {}\n## Copied\n{}", numbered(900, 9), numbered(100, 30));
    let found =
        compared(&document, &source, &SectionOptions { no_early_stop: true, ..Default::default() });
    let sections: Vec<_> =
        found.section_verdicts.iter().map(|s| (s.number, s.is_copied, s.source)).collect();
    assert_eq!(sections, [(1, Some(false), None), (2, Some(true), Some(2))]);
    let section = &found.section_verdicts[1];
    assert_eq!(section.heading.clone().map(|range| &document[range]), Some("Copied"));
}

#[test]
fn repetitive_texts_take_linear_time() {
    let text = "a ".repeat(200_000);
    let found = compared(&text, &text, &SectionOptions::default());
    assert!(found.is_copied);
    assert_eq!(found.passages.len(), 1);
}
