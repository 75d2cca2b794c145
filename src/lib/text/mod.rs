//! Tokenization, shingling and term counting.
//!
//! [`Analyzer`] yields the tokens of a text with their positions in the original document. [`TermCounter`] counts the same terms, without
//! positions, at the speed that large collections need. [`WordScanner`] yields words in order, with their sentences. All take
//! [`AnalyzerOptions`] and [`WordFilters`].

mod analyzer;
mod char_table;
mod characters;
mod counter;
mod filters;
mod key;
mod limits;
mod located;
mod mapped;
pub(crate) mod markup;
mod normalization;
mod options;
pub(crate) mod quotes;
mod run;
pub(crate) mod scanner;
pub mod sentences;
pub(crate) mod split;
mod word_scanner;
mod words;

pub use analyzer::{Analyzer, Token};
pub(crate) use characters::letters_of;
pub use counter::TermCounter;
pub use filters::{
    FilterLists, FilterOptions, StemLanguage, StopLanguage, StopLanguages, WordFilters,
};
pub use key::Key;
pub(crate) use located::for_each_located_word;
pub use options::{AnalyzerOptions, SHINGLE_SEPARATOR, WordRule};
pub use word_scanner::{TextWords, WordScanner};

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
