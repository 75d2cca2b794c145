//! Tokenizer that splits a text into words.

use std::borrow::Cow;

use super::analyzer::{Token, Tokens};
use super::mapped::{MappedText, TextSink};
use super::options::WordRule;

/// Splits at white space, or at every character other than a letter or digit.
pub(super) struct Words(pub WordRule);

impl Words {
    /// Returns the words of a text.
    pub fn tokens<'a>(&self, text: &'a MappedText<'_>) -> Tokens<'a> {
        let whole = text.as_str();
        let words: Box<dyn Iterator<Item = &str>> = match self.0 {
            WordRule::WhiteSpace => Box::new(whole.split_whitespace()),
            WordRule::Letters => Box::new(letters_and_digits(whole)),
        };
        Box::new(words.map(move |word| {
            let start = word.as_ptr() as usize - whole.as_ptr() as usize;
            let range = text.original_range(start..start + word.len());
            Token { term: Cow::Borrowed(word), range }
        }))
    }
}

/// The maximal runs of letters and digits of any script.
pub(super) fn letters_and_digits(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty())
}
