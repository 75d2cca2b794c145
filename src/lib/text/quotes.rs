//! Quoted text: between quotation marks, and lines that begin with `>`.

use std::ops::Range;

/// A line of more bytes is a paragraph of its own: nobody wraps text there.
const MAX_WRAPPED: usize = 200;

/// Opening quotation marks with the marks that close them. Some marks open in one language and close in another, so those of `NEEDS_GAP` open
/// only at the beginning of a word.
const PAIRS: [(char, &[char]); 5] =
    [('„', &['“', '”']), ('“', &['”']), ('«', &['»']), ('»', &['«']), ('"', &['"'])];
/// Marks that also close: they open after white space or an opening bracket only.
const NEEDS_GAP: [char; 3] = ['“', '»', '"'];

/// Returns the ranges of quoted text, in order. A quotation ends in its paragraph: a mark that is not closed there is text.
pub(crate) fn quoted(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for paragraph in paragraphs(text) {
        if is_block_quote(&text[paragraph.clone()]) {
            found.push(paragraph);
        } else {
            quoted_in(text, paragraph, &mut found);
        }
    }
    found
}

fn is_block_quote(line: &str) -> bool {
    let content = line.trim_start_matches(' ');
    content.starts_with('>') && line.len() - content.len() <= 3
}

/// Returns the paragraphs of a text: block quotes line by line, long lines, and runs of other lines up to a blank one.
fn paragraphs(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let (mut start, mut is_open) = (0, false);
    for line in text.split_inclusive('\n') {
        let range = start..start + line.len();
        start = range.end;
        let is_alone = is_block_quote(line) || line.len() > MAX_WRAPPED;
        if line.trim().is_empty() {
            is_open = false;
        } else if let Some(last) = found.last_mut().filter(|_| is_open && !is_alone) {
            last.end = range.end;
        } else {
            found.push(range);
            is_open = !is_alone;
        }
    }
    found
}

/// Adds the quotations of a paragraph. Time is linear: a mark that once was not closed is not searched again.
fn quoted_in(text: &str, paragraph: Range<usize>, found: &mut Vec<Range<usize>>) {
    let mut is_unclosed = [false; PAIRS.len()];
    let (mut at, mut before) = (paragraph.start, ' ');
    while let Some(character) = text[at..paragraph.end].chars().next() {
        let inside = at + character.len_utf8();
        let kind = opening(character, before).filter(|kind| !is_unclosed[*kind]);
        before = character;
        let close = kind.and_then(|kind| {
            let close = text[inside..paragraph.end].find(PAIRS[kind].1);
            is_unclosed[kind] = close.is_none();
            close
        });
        at = match close {
            Some(length) => {
                let mark = text[inside + length..].chars().next().map_or(0, char::len_utf8);
                found.push(at..inside + length + mark);
                inside + length + mark
            }
            None => inside,
        };
    }
}

/// Returns the kind of quotation that a character opens.
fn opening(character: char, before: char) -> Option<usize> {
    let kind = PAIRS.iter().position(|(open, _)| *open == character)?;
    let is_gap = before.is_whitespace() || "([{—–-".contains(before);
    (is_gap || !NEEDS_GAP.contains(&character)).then_some(kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(text: &str) -> Vec<&str> {
        quoted(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn quotations_end_with_the_marks_of_their_language() {
        for (text, expected) in [
            ("a „b c“ d „e” f", vec!["„b c“", "„e”"]),
            ("“one” two “three”", vec!["“one”", "“three”"]),
            ("он «сказал так» и", vec!["«сказал так»"]),
            ("řekl »ano« a »ne«", vec!["»ano«", "»ne«"]),
            ("(\"a\nb\") c", vec!["\"a\nb\""]),
            ("a\n> b\n > c\nd", vec!["> b\n", " > c\n"]),
            ("a 5\" b 6\" c", vec![]),
            ("\"a", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn unclosed_quotations_end_with_their_paragraph() {
        assert!(found("«a\n\nb» c").is_empty());
        let long = "x ".repeat(101);
        assert!(found(&format!("«a {long}\nb» {long}\n")).is_empty());
        assert_eq!(found("«a\n\n«b»"), ["«b»"]);
    }

    #[test]
    fn unclosed_quotations_take_linear_time() {
        for mark in [" “", "„", " \"x", "«", " »"] {
            assert!(quoted(&mark.repeat(1_000_000)).len() <= 1_000_000);
        }
    }

    proptest! {
        #[test]
        fn quotations_stay_in_their_paragraphs(text in "[a „“”«»\">\\n]{0,60}", other: String) {
            for text in [text, other] {
                let mut end = 0;
                for range in quoted(&text) {
                    prop_assert!(range.start >= end && range.start < range.end);
                    prop_assert!(!text[range.clone()].contains("\n\n"));
                    end = range.end;
                }
            }
        }
    }
}
