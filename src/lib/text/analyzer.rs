//! Text to tokens with their byte ranges in the original document.
//!
//! An analyzer is a pipeline of three kinds of steps, each in a file of its own:
//!
//! - **character filters** rewrite the text: [markup](super::markup), [normalization](super::normalization);
//! - one **tokenizer** splits it: [words](super::words);
//! - **token filters** change, drop or combine tokens: [numbers](super::numbers), [length](super::length), [case](super::case),
//!   [shingles](super::shingles).
//!
//! A new filter is a file with a type that implements [`CharFilter`] or [`TokenFilter`], a field of [`AnalyzerOptions`] and a line in
//! [`Analyzer::new`]. Character filters report the input range of each piece of output, so token filters and later filters never deal with
//! positions of the original.
//!
//! Counting the terms of whole collections uses [`TermCounter`](super::TermCounter) instead, which yields the same terms several times as fast,
//! without ranges. Tests prove the two equal for all combinations of options.

use std::borrow::Cow;
use std::ops::Range;

use super::case::LowerCase;
use super::length::MinLength;
use super::mapped::{MappedText, TextSink};
use super::markup::Markup;
use super::normalization::Composition;
use super::numbers::WithoutNumbers;
use super::options::{AnalyzerOptions, WordRule};
use super::shingles::Shingles;
use super::words::Words;

/// A term at one place of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token<'a> {
    /// The term as it is counted and compared.
    pub term: Cow<'a, str>,
    /// Bytes of the original document, on character boundaries. A shingle's range spans all of its words.
    pub range: Range<usize>,
}

/// Tokens in the order of the text.
pub(super) type Tokens<'a> = Box<dyn Iterator<Item = Token<'a>> + 'a>;

/// Rewrites a text before it is split.
pub(super) trait CharFilter {
    /// Returns the new text with the ranges of `text` that its parts come from.
    fn apply(&self, text: &str) -> MappedText<'static>;
}

/// Changes, drops or combines tokens.
pub(super) trait TokenFilter {
    /// Returns the tokens that follow from `tokens`, in order.
    fn apply<'a>(&self, tokens: Tokens<'a>) -> Tokens<'a>;
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
    char_filters: Vec<Box<dyn CharFilter + Send + Sync>>,
    words: Words,
    token_filters: Vec<Box<dyn TokenFilter + Send + Sync>>,
}

impl Analyzer {
    /// Creates an analyzer of plain text.
    pub fn new(options: AnalyzerOptions) -> Self {
        let mut analyzer = Analyzer {
            char_filters: Vec::new(),
            words: Words(options.words),
            token_filters: Vec::new(),
        };
        let is_letters = options.words == WordRule::Letters;
        if is_letters {
            analyzer.char_filters.push(Box::new(Composition));
        }
        if !options.save_nums {
            analyzer.token_filters.push(Box::new(WithoutNumbers));
        }
        analyzer.token_filters.push(Box::new(MinLength(options.min_word_len)));
        if is_letters {
            analyzer.token_filters.push(Box::new(LowerCase));
        }
        analyzer.token_filters.push(Box::new(Shingles(options.shingle_size)));
        analyzer
    }

    /// Creates an analyzer of HTML. Ranges are those of the page, so they may contain tags.
    pub fn for_html(options: AnalyzerOptions) -> Self {
        let mut analyzer = Analyzer::new(options);
        analyzer.char_filters.insert(0, Box::new(Markup));
        analyzer
    }

    /// Calls `visit` with every token of a text, in order.
    pub fn for_each_token(&self, text: &str, visit: impl FnMut(Token<'_>)) {
        let filtered = self.char_filters.iter().fold(MappedText::identity(text), |text, filter| {
            let next = filter.apply(text.as_str());
            text.then(next)
        });
        let filters = self.token_filters.iter();
        let tokens =
            filters.fold(self.words.tokens(&filtered), |tokens, filter| filter.apply(tokens));
        tokens.for_each(visit);
    }
}
