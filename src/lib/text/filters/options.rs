//! Options of the word filters.

use std::fmt;
use std::str::FromStr;

use clap::Args;
use serde::{Deserialize, Serialize, Serializer};
use snowball_stemmers_rs::Algorithm;

/// Options that drop or change the words of a text, after normalization. The default changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Args, Serialize)]
#[command(rename_all = "snake_case")]
pub struct FilterOptions {
    /// Drop the stop words of these languages: en, cs, sk, ru, uk, separated by commas, or all
    #[arg(long, value_name = "LANGS")]
    pub stop_words: Option<StopLanguages>,
    /// Replace words by their stems (Snowball): en, cs, ru or uk
    #[arg(long, value_name = "LANG")]
    pub stem: Option<StemLanguage>,
    /// Drop words that contain a digit
    #[arg(long)]
    pub drop_digits: bool,
    /// In words of Latin, Greek and Cyrillic letters, replace look-alikes by those of the script with most letters
    #[arg(long)]
    pub fold_homoglyphs: bool,
}

/// A language with stop words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StopLanguage {
    /// English.
    En,
    /// Czech.
    Cs,
    /// Slovak.
    Sk,
    /// Russian.
    Ru,
    /// Ukrainian.
    Uk,
}

impl StopLanguage {
    /// All languages.
    pub const ALL: [Self; 5] = [Self::En, Self::Cs, Self::Sk, Self::Ru, Self::Uk];

    /// Returns the language's code of ISO 639-1.
    pub fn code(self) -> &'static str {
        match self {
            StopLanguage::En => "en",
            StopLanguage::Cs => "cs",
            StopLanguage::Sk => "sk",
            StopLanguage::Ru => "ru",
            StopLanguage::Uk => "uk",
        }
    }
}

/// Languages whose stop words are dropped, sorted. Spelled `en,cs`, or `all`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StopLanguages(Vec<StopLanguage>);

impl StopLanguages {
    /// Returns the languages, each once.
    pub fn iter(&self) -> impl Iterator<Item = StopLanguage> {
        self.0.iter().copied()
    }
}

impl FromIterator<StopLanguage> for StopLanguages {
    fn from_iter<I: IntoIterator<Item = StopLanguage>>(languages: I) -> Self {
        let mut languages: Vec<StopLanguage> = languages.into_iter().collect();
        languages.sort_unstable();
        languages.dedup();
        StopLanguages(languages)
    }
}

impl FromStr for StopLanguages {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" {
            return Ok(StopLanguage::ALL.into_iter().collect());
        }
        let language = |code: &str| {
            let known = StopLanguage::ALL.into_iter().find(|language| language.code() == code);
            known.ok_or_else(|| {
                format!("expected all, or some of en, cs, sk, ru, uk, found '{code}'")
            })
        };
        text.split(',').map(language).collect()
    }
}

impl fmt::Display for StopLanguages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let codes: Vec<&str> = self.iter().map(StopLanguage::code).collect();
        f.write_str(&codes.join(","))
    }
}

impl Serialize for StopLanguages {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A language with a stemmer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StemLanguage {
    /// English.
    En,
    /// Czech.
    Cs,
    /// Russian.
    Ru,
    /// Ukrainian.
    Uk,
}

impl StemLanguage {
    /// Returns Snowball's algorithm.
    pub(super) fn algorithm(self) -> Algorithm {
        match self {
            StemLanguage::En => Algorithm::English,
            StemLanguage::Cs => Algorithm::Czech,
            StemLanguage::Ru => Algorithm::Russian,
            StemLanguage::Uk => Algorithm::Ukrainian,
        }
    }
}

impl FromStr for StemLanguage {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "en" => Ok(StemLanguage::En),
            "cs" => Ok(StemLanguage::Cs),
            "ru" => Ok(StemLanguage::Ru),
            "uk" => Ok(StemLanguage::Uk),
            "sk" => Err("expected en, cs, ru or uk; Snowball has no stemmer of Slovak".into()),
            _ => Err("expected en, cs, ru or uk".into()),
        }
    }
}
