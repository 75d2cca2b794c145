//! Tokenization, shingling and term counting.
//!
//! [`Analyzer`] yields the tokens of a text with their positions in the original document. [`TermCounter`] counts the same terms, without
//! positions, at the speed that large collections need. Both take [`AnalyzerOptions`].

mod analyzer;
mod char_table;
mod characters;
mod counter;
mod key;
mod mapped;
pub(crate) mod markup;
mod normalization;
mod options;
mod run;
pub(crate) mod scanner;
pub(crate) mod split;
mod words;

pub use analyzer::{Analyzer, Token};
pub(crate) use characters::letters_of;
pub use counter::TermCounter;
pub use key::Key;
pub use options::{AnalyzerOptions, SHINGLE_SEPARATOR, WordRule};

/// A term of a bag of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountedTerm<'a> {
    /// The term.
    pub text: &'a str,
    /// Its key.
    pub key: Key,
    /// Its number of occurrences in the document.
    pub count: u64,
}
