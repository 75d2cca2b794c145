//! Forms of words that are compared.

use std::borrow::Cow;

use super::options::PassageStem;
use crate::text::{AnalyzerOptions, FilterLists, FilterOptions, StemLanguage, WordFilters};

/// Folds and stems words.
pub(crate) struct PassageStemmer {
    folder: WordFilters,
    latin: Option<WordFilters>,
    cyrillic: Option<WordFilters>,
    other: Option<WordFilters>,
}

impl PassageStemmer {
    pub fn new(stem: PassageStem) -> Self {
        let of =
            |language| filters(FilterOptions { stem: Some(language), ..FilterOptions::default() });
        let all = |language| [Some(of(language)), Some(of(language)), Some(of(language))];
        let [latin, cyrillic, other] = match stem {
            PassageStem::Auto => [Some(of(StemLanguage::En)), Some(of(StemLanguage::Ru)), None],
            PassageStem::Unchanged => [None, None, None],
            PassageStem::Language(language) => all(language),
        };
        let folder = FilterOptions { fold_homoglyphs: true, ..FilterOptions::default() };
        PassageStemmer { folder: filters(folder), latin, cyrillic, other }
    }

    /// Returns a word with look-alike letters of its main script.
    pub fn folded<'w>(&self, word: &'w str) -> Cow<'w, str> {
        self.folder.final_form(word)
    }

    /// Returns the stem of a folded word.
    pub fn stem<'w>(&self, word: &'w str) -> Cow<'w, str> {
        let stemmer = match word.chars().next() {
            _ if word.is_ascii() => &self.latin,
            Some('\u{400}'..='\u{52f}') => &self.cyrillic,
            _ => &self.other,
        };
        stemmer.as_ref().map_or(word.into(), |stemmer| stemmer.final_form(word))
    }
}

fn filters(options: FilterOptions) -> WordFilters {
    WordFilters::new(&options, AnalyzerOptions::letters(1), &FilterLists::default())
}
