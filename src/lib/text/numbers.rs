//! Token filter that drops numbers.

use super::analyzer::{TokenFilter, Tokens};

/// Drops words that consist of digits.
pub(super) struct WithoutNumbers;

impl TokenFilter for WithoutNumbers {
    fn apply<'a>(&self, tokens: Tokens<'a>) -> Tokens<'a> {
        Box::new(tokens.filter(|token| !is_number(&token.term)))
    }
}

/// Returns whether a word consists of digits and other numeric characters of any script.
pub(super) fn is_number(word: &str) -> bool {
    word.chars().all(char::is_numeric)
}
