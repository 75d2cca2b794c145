//! Token filter that drops short words.

use super::analyzer::{TokenFilter, Tokens};

/// Drops words of fewer characters than this.
pub(super) struct MinLength(pub usize);

impl TokenFilter for MinLength {
    fn apply<'a>(&self, tokens: Tokens<'a>) -> Tokens<'a> {
        let min = self.0;
        Box::new(tokens.filter(move |token| has_length(&token.term, min)))
    }
}

/// Returns whether a word has at least `min` characters.
pub(super) fn has_length(word: &str, min: usize) -> bool {
    word.chars().take(min).count() == min
}
