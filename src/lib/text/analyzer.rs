//! Text to tokens with their byte ranges in the original document: filter characters, split, filter words, combine them into shingles.
//!
//! Character filters ([markup], [`Normalization`]) report the input range of each piece of output, so later
//! steps never deal with positions of the original.
//!
//! Counting the terms of whole collections uses [`TermCounter`](super::TermCounter) instead, which yields the same terms several times as fast,
//! without ranges. Tests prove the two equal for all combinations of options.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::filters::WordFilters;
use super::mapped::{MappedText, TextSink};
use super::markup;
use super::normalization::Normalization;
use super::options::{AnalyzerOptions, SHINGLE_SEPARATOR, WordRule};
use super::words::{WordRange, words};

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
    filters: Arc<WordFilters>,
    is_html: bool,
}

impl Analyzer {
    /// Creates an analyzer of plain text.
    pub fn new(options: AnalyzerOptions) -> Self {
        Analyzer { options, filters: Arc::default(), is_html: false }
    }

    /// Creates an analyzer of HTML. Ranges are those of the page, so they may contain tags.
    pub fn for_html(options: AnalyzerOptions) -> Self {
        Analyzer { is_html: true, ..Analyzer::new(options) }
    }

    /// Applies filters to all words. They must have been compiled for the same options.
    pub fn with_filters(self, filters: Arc<WordFilters>) -> Self {
        Analyzer { filters, ..self }
    }

    /// Calls `visit` with every token of a text, in order.
    pub fn for_each_token(&self, text: &str, visit: impl FnMut(Token<'_>)) {
        let mut filtered = MappedText::identity(text);
        if self.is_html {
            filtered = filtered.then(markup::strip_mapped(filtered.as_str()));
        }
        let words = match self.options.words {
            WordRule::WhiteSpace => self.filtered(self.unchanged_words(&filtered)),
            WordRule::Letters => {
                let normalization = Normalization { folds: self.options.fold };
                filtered = filtered.then(normalization.map(filtered.as_str()));
                self.filtered(self.normalized_words(&filtered))
            }
        };
        words.windows(self.options.shingle_size).map(shingle).for_each(visit);
    }

    /// Returns what is between white space, each with whether its length and digits let it pass.
    fn unchanged_words<'a>(
        &'a self,
        text: &'a MappedText,
    ) -> impl Iterator<Item = (Token<'a>, bool)> {
        let whole = text.as_str();
        whole.split_whitespace().map(move |word| {
            let start = word.as_ptr() as usize - whole.as_ptr() as usize;
            let range = text.original_range(start..start + word.len());
            (Token { term: word.into(), range }, self.options.keeps(word, false))
        })
    }

    /// Returns the words of a normalized text, in lower case, each with whether its length and digits let it pass.
    fn normalized_words<'a>(
        &'a self,
        text: &'a MappedText,
    ) -> impl Iterator<Item = (Token<'a>, bool)> {
        words(text.as_str()).into_iter().map(|WordRange { range, is_bigram }| {
            let word = &text.as_str()[range.clone()];
            let term = if self.options.fold { word.into() } else { word.to_lowercase().into() };
            let range = text.original_range(range);
            (Token { term, range }, self.options.keeps(word, is_bigram))
        })
    }

    /// Returns the words that pass, in their final form.
    fn filtered<'a>(&self, words: impl Iterator<Item = (Token<'a>, bool)>) -> Vec<Token<'a>> {
        if self.filters.is_empty() {
            return words.filter(|(_, is_kept)| *is_kept).map(|(token, _)| token).collect();
        }
        let fold = |(token, is_kept): (Token<'a>, bool)| {
            let term = self.filters.folded(&token.term).map_or(token.term, Cow::from);
            (Token { term, ..token }, is_kept)
        };
        let folded: Vec<_> = words.map(fold).collect();
        let terms = folded.iter().map(|(token, is_kept)| (&*token.term, *is_kept));
        let mut passing = Vec::new();
        self.filters.for_each_passing(terms, |number, term| {
            let range = folded[number].0.range.clone();
            passing.push(Token { term: term.to_string().into(), range });
        });
        passing
    }
}

fn shingle<'a>(words: &[Token<'a>]) -> Token<'a> {
    let terms: Vec<&str> = words.iter().map(|word| &*word.term).collect();
    let range = words[0].range.start..words[words.len() - 1].range.end;
    Token { term: terms.join(SHINGLE_SEPARATOR.encode_utf8(&mut [0; 2])).into(), range }
}
