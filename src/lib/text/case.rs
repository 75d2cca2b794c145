//! Token filter that lower-cases words.

use std::borrow::Cow;

use super::analyzer::{TokenFilter, Tokens};

/// Lower-cases each word as a whole: the form of a letter can depend on its neighbours, as with the Greek final sigma.
pub(super) struct LowerCase;

impl TokenFilter for LowerCase {
    fn apply<'a>(&self, tokens: Tokens<'a>) -> Tokens<'a> {
        Box::new(tokens.map(|mut token| {
            token.term = Cow::Owned(token.term.to_lowercase());
            token
        }))
    }
}

/// Appends a word in lower case.
pub(super) fn push_lower_case(text: &mut String, word: &str) {
    if word.is_ascii() {
        text.extend(word.bytes().map(|byte| byte.to_ascii_lowercase() as char));
    } else {
        text.push_str(&word.to_lowercase());
    }
}
