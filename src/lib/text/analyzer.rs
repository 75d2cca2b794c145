//! Text to tokens with their byte ranges in the original document: filter characters, split, filter words, combine them into shingles.
//!
//! Character filters ([markup], [normalization]) report the input range of each piece of output, so later
//! steps never deal with positions of the original.
//!
//! Counting the terms of whole collections uses [`TermCounter`](super::TermCounter) instead, which yields the same terms several times as fast,
//! without ranges. Tests prove the two equal for all combinations of options.

use std::borrow::Cow;
use std::ops::Range;

use super::mapped::{MappedText, TextSink};
use super::options::{AnalyzerOptions, SHINGLE_SEPARATOR, WordRule};
use super::{markup, normalization};

/// A term at one place of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token<'a> {
    /// The term as it is counted and compared.
    pub term: Cow<'a, str>,
    /// Bytes of the original document, on character boundaries. A shingle's range spans all of its words.
    pub range: Range<usize>,
}

/// Splits texts into tokens.
///
/// ```
/// use nearsig::text::{Analyzer, AnalyzerOptions};
///
/// let analyzer = Analyzer::new(AnalyzerOptions::letters(1));
/// let text = "Cafe\u{301}, 24/7";
/// let mut tokens = Vec::new();
/// analyzer.for_each_token(text, |token| tokens.push((token.term.to_string(), token.range)));
/// assert_eq!(tokens, [("café".into(), 0..6), ("24".into(), 8..10), ("7".into(), 11..12)]);
/// ```
pub struct Analyzer {
    options: AnalyzerOptions,
    is_html: bool,
}

impl Analyzer {
    /// Creates an analyzer of plain text.
    pub fn new(options: AnalyzerOptions) -> Self {
        Analyzer { options, is_html: false }
    }

    /// Creates an analyzer of HTML. Ranges are those of the page, so they may contain tags.
    pub fn for_html(options: AnalyzerOptions) -> Self {
        Analyzer { options, is_html: true }
    }

    /// Calls `visit` with every token of a text, in order.
    pub fn for_each_token(&self, text: &str, visit: impl FnMut(Token<'_>)) {
        let mut filtered = MappedText::identity(text);
        if self.is_html {
            filtered = filtered.then(markup::strip_mapped(filtered.as_str()));
        }
        if self.options.words == WordRule::Letters {
            filtered = filtered.then(normalization::compose(filtered.as_str()));
        }
        let words: Vec<Token<'_>> = self.words(&filtered).collect();
        words.windows(self.options.shingle_size).map(shingle).for_each(visit);
    }

    /// Returns the words of a filtered text.
    fn words<'a>(&'a self, text: &'a MappedText) -> impl Iterator<Item = Token<'a>> {
        let (rule, whole) = (self.options.words, text.as_str());
        let is_separator = move |character: char| match rule {
            WordRule::WhiteSpace => character.is_whitespace(),
            WordRule::Letters => !character.is_alphanumeric(),
        };
        let words = whole.split(is_separator).filter(|word| !word.is_empty());
        words.filter(|word| self.options.keeps(word)).map(move |word| {
            let start = word.as_ptr() as usize - whole.as_ptr() as usize;
            let range = text.original_range(start..start + word.len());
            let term = match rule {
                WordRule::WhiteSpace => Cow::Borrowed(word),
                WordRule::Letters => Cow::Owned(word.to_lowercase()),
            };
            Token { term, range }
        })
    }
}

fn shingle<'a>(words: &[Token<'a>]) -> Token<'a> {
    let terms: Vec<&str> = words.iter().map(|word| &*word.term).collect();
    let range = words[0].range.start..words[words.len() - 1].range.end;
    Token { term: terms.join(SHINGLE_SEPARATOR.encode_utf8(&mut [0; 2])).into(), range }
}
