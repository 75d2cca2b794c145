//! Literal replacements in a text, with their places: line-break tags, deleted tags, deleted characters.

use std::borrow::Cow;
use std::ops::Range;

use super::rules::NgramRules;

/// Replaces and deletes strings. At each place the longest counts; of equal ones, that of a line break.
#[derive(Debug, Default)]
pub(super) struct Rewriter {
    /// Strings with what they become, the longest first.
    strings: Vec<(String, &'static str)>,
    /// Whether a byte begins one of the strings.
    is_first: Vec<bool>,
}

/// A text after replacements.
pub(super) struct RewrittenText<'t> {
    pub text: Cow<'t, str>,
    /// Where the kept pieces begin: in the new text, and in the original.
    pieces: Vec<(usize, usize)>,
}

impl Rewriter {
    pub fn new(rules: &NgramRules) -> Self {
        let breaks = rules.new_line_tags.iter().map(|tag| (tag.clone(), "\n"));
        let deleted = rules.delete_tags.iter().map(|tag| (tag.clone(), ""));
        let characters = rules.delete_chars.chars().map(|character| (character.to_string(), ""));
        let all = breaks.chain(deleted).chain(characters);
        let mut strings: Vec<_> = all.filter(|(string, _)| !string.is_empty()).collect();
        strings.sort_by_key(|(string, _)| std::cmp::Reverse(string.len()));
        let mut is_first = vec![false; 256];
        strings.iter().for_each(|(string, _)| is_first[usize::from(string.as_bytes()[0])] = true);
        Rewriter { strings, is_first }
    }

    /// Rewrites a text. Time: its bytes, times the strings that begin with one of them.
    pub fn rewrite<'t>(&self, text: &'t str) -> RewrittenText<'t> {
        if self.strings.is_empty() {
            return RewrittenText { text: text.into(), pieces: vec![(0, 0)] };
        }
        let (mut rewritten, mut pieces) = (String::with_capacity(text.len()), Vec::new());
        let (mut kept, mut at) = (0, 0);
        while let Some(skipped) = self.next_candidate(&text.as_bytes()[at..]) {
            at += skipped;
            let Some((string, other)) = self.string_at(&text[at..]) else {
                at += text[at..].chars().next().map_or(1, char::len_utf8);
                continue;
            };
            pieces.push((rewritten.len(), kept));
            rewritten.push_str(&text[kept..at]);
            if !other.is_empty() {
                pieces.push((rewritten.len(), at));
                rewritten.push_str(other);
            }
            at += string.len();
            kept = at;
        }
        pieces.push((rewritten.len(), kept));
        rewritten.push_str(&text[kept..]);
        RewrittenText { text: rewritten.into(), pieces }
    }

    fn next_candidate(&self, bytes: &[u8]) -> Option<usize> {
        bytes.iter().position(|byte| self.is_first[usize::from(*byte)])
    }

    fn string_at(&self, text: &str) -> Option<&(String, &'static str)> {
        self.strings.iter().find(|(string, _)| text.starts_with(&**string))
    }
}

impl RewrittenText<'_> {
    /// Returns the range of the original that a range of this text, which is not empty, comes from.
    pub fn original_range(&self, range: Range<usize>) -> Range<usize> {
        self.original(range.start)..self.original(range.end - 1) + 1
    }

    fn original(&self, at: usize) -> usize {
        let after = self.pieces.partition_point(|(start, _)| *start <= at);
        let (start, original) = self.pieces[after - 1];
        original + (at - start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rewriter() -> Rewriter {
        Rewriter::new(&NgramRules {
            new_line_tags: vec!["<p>".into(), "<br>".into()],
            delete_tags: vec!["<p>".into(), "<b>".into(), "<".into(), String::new()],
            delete_chars: ".-é".into(),
            ..NgramRules::default()
        })
    }

    #[test]
    fn strings_are_replaced_and_found_again() {
        let text = "a<p>b.-c <b>dé</b>e";
        let rewritten = rewriter().rewrite(text);
        assert_eq!(rewritten.text, "a\nbc d/b>e");
        let at = |part: &str| {
            let start = rewritten.text.find(part).unwrap();
            &text[rewritten.original_range(start..start + part.len())]
        };
        assert_eq!((at("a"), at("bc"), at("d"), at("e")), ("a", "b.-c", "d", "e"));
    }

    proptest! {
        #[test]
        fn kept_characters_are_found_again(text in "(a|b|<p>|<br>|<b>|<|é|ě|\\.|-|中){0,30}") {
            let rewritten = rewriter().rewrite(&text);
            for (at, character) in rewritten.text.char_indices().filter(|(_, c)| *c != '\n') {
                let original = rewritten.original_range(at..at + character.len_utf8());
                prop_assert_eq!(&text[original], character.to_string());
            }
        }
    }
}
