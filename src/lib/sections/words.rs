//! Words of a text with their places: the one place where words are made.

use std::ops::Range;
use std::sync::Arc;

use super::options::SectionOptions;
use super::quotes::quoted;
use crate::text::{Analyzer, WordFilters};

/// Bytes that are analyzed at once: positions take sixteen times the memory of the text.
const PIECE: usize = 1 << 16;

/// Calls `visit` with every word of a text that is compared, and its bytes in the text. Filters with phrases analyze it in one piece: a phrase may
/// stand anywhere.
pub(super) fn for_each_word(
    text: &str,
    options: &SectionOptions,
    filters: &Arc<WordFilters>,
    mut visit: impl FnMut(&str, Range<usize>),
) {
    let quoted = if options.ignore_quoted { quoted(text) } else { Vec::new() };
    let mut quoted = quoted.into_iter().peekable();
    let analyzer = Analyzer::new(options.analyzer()).with_filters(filters.clone());
    let length = if filters.has_phrases() { usize::MAX } else { PIECE };
    for piece in pieces(text, length) {
        analyzer.for_each_token(&text[piece.clone()], |token| {
            let word = piece.start + token.range.start..piece.start + token.range.end;
            while quoted.next_if(|range| range.end <= word.start).is_some() {}
            if quoted.peek().is_none_or(|range| word.end <= range.start) {
                visit(&token.term, word);
            }
        });
    }
}

/// Yields parts of a text of about `length` bytes. They end before characters that no word contains and that do not compose with others.
fn pieces(text: &str, length: usize) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let end = piece_end(text, start, length);
        let piece = start..end;
        start = end;
        (!piece.is_empty()).then_some(piece)
    })
}

fn piece_end(text: &str, start: usize, length: usize) -> usize {
    if text.len() - start <= length {
        return text.len();
    }
    let is_boundary = |at: &usize| text.is_char_boundary(*at);
    let middle = (start..=start + length).rev().find(is_boundary).unwrap_or(start);
    let before = text[start..middle].rfind(is_cut).filter(|at| *at > 0);
    match before {
        Some(at) => start + at,
        // A piece has at least one character.
        None => {
            let after = (middle.max(start + 1)..text.len()).find(is_boundary);
            let after = after.unwrap_or(text.len());
            text[after..].find(is_cut).map_or(text.len(), |at| after + at)
        }
    }
}

/// Returns whether words end before this character.
fn is_cut(character: char) -> bool {
    matches!(character, ' ' | '\n' | '\t' | '.' | ',' | '、' | '。' | '，')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(text: &str, options: &SectionOptions) -> Vec<(String, Range<usize>)> {
        let mut words = Vec::new();
        let filters = Arc::default();
        for_each_word(text, options, &filters, |word, range| words.push((word.to_string(), range)));
        words
    }

    #[test]
    fn quoted_words_are_left_out() {
        let options = SectionOptions { ignore_quoted: true, ..Default::default() };
        let found = words("One «two three» FOUR\n> five\nsix 7", &options);
        let terms: Vec<&str> = found.iter().map(|(term, _)| &**term).collect();
        assert_eq!(terms, ["one", "four", "six"]);
        assert_eq!(found[1].1, 18..22);
    }

    proptest! {
        #[test]
        fn pieces_have_the_words_of_the_whole(
            text in "([a-cÀß中文ｶ،.,、。 \\n\u{301}\u{ad}\u{3000}\u{338}]|ﬁ|=|é|ข้){0,60}", other: String, length in 1usize..20,
        ) {
            for text in [text, other] {
                let options = SectionOptions { save_nums: true, ..Default::default() };
                let analyzer = Analyzer::new(options.analyzer());
                let (mut expected, mut found, mut end) = (Vec::new(), Vec::new(), 0);
                analyzer.for_each_token(&text, |token| expected.push((token.term.to_string(), token.range)));
                for piece in pieces(&text, length) {
                    prop_assert_eq!(piece.start, end);
                    end = piece.end;
                    analyzer.for_each_token(&text[piece.clone()], |token| {
                        let range = piece.start + token.range.start..piece.start + token.range.end;
                        found.push((token.term.to_string(), range));
                    });
                }
                prop_assert_eq!(end, text.len());
                prop_assert_eq!(found, expected);
            }
        }
    }
}
