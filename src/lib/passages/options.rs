//! Options of the alignment.

use std::fmt;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use serde::{Serialize, Serializer};

use crate::text::StemLanguage;

/// Method of alignment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Alignment {
    /// Similar sentences, extended and refined word by word; finds paraphrases and summaries too
    #[default]
    Sentences,
    /// Common n-grams of words, merged across gaps; finds literal copies
    Ngrams,
}

/// Stems that words are compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PassageStem {
    /// By script: English stems of ASCII words, Russian stems of Cyrillic ones; other words are unchanged.
    #[default]
    Auto,
    /// No stems.
    Unchanged,
    /// The stemmer of a language, for all words.
    Language(StemLanguage),
}

impl FromStr for PassageStem {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(PassageStem::Auto),
            "none" => Ok(PassageStem::Unchanged),
            _ => match text.parse() {
                Ok(language) => Ok(PassageStem::Language(language)),
                Err(_) => Err("expected auto, none, en, cs, ru or uk".into()),
            },
        }
    }
}

impl fmt::Display for PassageStem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PassageStem::Auto => "auto",
            PassageStem::Unchanged => "none",
            PassageStem::Language(StemLanguage::En) => "en",
            PassageStem::Language(StemLanguage::Cs) => "cs",
            PassageStem::Language(StemLanguage::Ru) => "ru",
            PassageStem::Language(StemLanguage::Uk) => "uk",
        })
    }
}

impl Serialize for PassageStem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Options of [`align`](super::align).
#[derive(Debug, Clone, PartialEq, Default, Args, Serialize)]
#[command(rename_all = "snake_case", next_help_heading = "Alignment")]
pub struct PassageOptions {
    /// Method of alignment
    #[arg(long, value_name = "METHOD", default_value = "sentences")]
    pub alignment: Alignment,
    /// Compare words by their stems (Snowball): en, cs, ru, uk, none, or auto for English stems of ASCII words and Russian ones of Cyrillic words
    #[arg(long, value_name = "LANG", default_value = "auto")]
    pub stem: PassageStem,
    /// Parameters of n-grams.
    #[command(flatten)]
    #[serde(flatten)]
    pub ngrams: NgramOptions,
    /// Parameters of sentences.
    #[arg(skip)]
    #[serde(skip)]
    pub sentences: SentenceOptions,
}

/// Parameters of [`Alignment::Ngrams`].
#[derive(Debug, Clone, PartialEq, Args, Serialize)]
#[command(rename_all = "snake_case")]
pub struct NgramOptions {
    /// Words per n-gram of --alignment ngrams, 1 to 64
    #[arg(long, value_name = "N", default_value = "4", value_parser = ngram_size)]
    pub ngram_size: usize,
    /// Ignore the order of words within an n-gram
    #[arg(long)]
    pub sorted_ngrams: bool,
    /// Merge common n-grams with at most N other words between them in both texts
    #[arg(long, value_name = "N", default_value = "50")]
    pub max_gap: usize,
    /// Minimum words of a passage of --alignment ngrams that stand in common n-grams
    #[arg(long, value_name = "N", default_value = "15")]
    pub min_words: usize,
}

impl Default for NgramOptions {
    fn default() -> Self {
        NgramOptions { ngram_size: 4, sorted_ngrams: false, max_gap: 50, min_words: 15 }
    }
}

/// Parses a number of words per n-gram.
fn ngram_size(text: &str) -> Result<usize, String> {
    let size = text.parse().ok().filter(|size| (1..=64).contains(size));
    size.ok_or_else(|| "expected an integer from 1 to 64".into())
}

/// Parameters of [`Alignment::Sentences`], tuned on the even-numbered suspicious documents of PAN's 2013 text alignment corpus.
#[derive(Debug, Clone, PartialEq)]
pub struct SentenceOptions {
    /// Sentences of fewer words are joined to the next one.
    pub min_words: usize,
    /// Sentences of more words are split evenly.
    pub max_words: usize,
    /// Sentences that both texts are taken to have at least, for the weights of words: two short texts tell little of how rare a word is.
    pub min_sentences: usize,
    /// Minimum cosine of two similar sentences.
    pub cosine: f64,
    /// Minimum Dice coefficient of the word sets of two similar sentences.
    pub dice: f64,
    /// Minimum cosine of two similar sentences relative to the best of either sentence.
    pub best_share: f64,
    /// Maximum number of sentences between two pairs of similar sentences of one passage, on either side.
    pub max_gap: usize,
    /// Minimum cosine of the passages that similar sentences span.
    pub acceptance: f64,
    /// Rounds of refinement by words; 0 leaves whole sentences.
    pub rounds: usize,
    /// Words around a passage into which refinement may extend it.
    pub margin: usize,
    /// Minimum sum of the weights of matched words, less the expected ones.
    pub min_score: f64,
    /// Words by which a passage moves to begin or end with a sentence.
    pub snap: usize,
    /// Share of the weight of a repeated word at an end of a passage that its removal gains, in a passage whose words all match; 0 removes none.
    pub trim_share: f64,
    /// Minimum gain of a removal.
    pub min_trim: f64,
    /// Maximum share of a passage that better passages already have.
    pub max_taken: f64,
    /// Minimum length of a passage in characters.
    pub min_chars: usize,
    /// Minimum length of its source in characters.
    pub min_source_chars: usize,
    /// Parameters of summaries; `None` looks for no summaries.
    pub summaries: Option<SummaryOptions>,
}

impl Default for SentenceOptions {
    fn default() -> Self {
        SentenceOptions {
            min_words: 3,
            max_words: 50,
            min_sentences: 50,
            cosine: 0.25,
            dice: 0.25,
            best_share: 0.8,
            max_gap: 3,
            acceptance: 0.42,
            rounds: 3,
            margin: 20,
            min_score: 25.0,
            snap: 5,
            trim_share: 0.3,
            min_trim: 3.0,
            max_taken: 0.3,
            min_chars: 100,
            min_source_chars: 200,
            summaries: Some(SummaryOptions::default()),
        }
    }
}

/// Parameters of passages that sum up a much longer source.
#[derive(Debug, Clone, PartialEq)]
pub struct SummaryOptions {
    /// Minimum cosine of two similar sentences.
    pub cosine: f64,
    /// Minimum Dice coefficient of two similar sentences.
    pub dice: f64,
    /// Maximum number of sentences between two pairs of similar sentences.
    pub max_gap: usize,
    /// Minimum number of pairs of similar sentences.
    pub min_seeds: usize,
    /// Minimum cosine of summary and source.
    pub acceptance: f64,
    /// Minimum length of a summary in characters.
    pub min_chars: usize,
    /// Minimum length of the source relative to the summary.
    pub min_ratio: f64,
    /// A source that a summary spans at least this share of is taken as a whole.
    pub whole_share: f64,
    /// A passage that has this share of the summary's matched weight makes the summary unnecessary.
    pub max_explained: f64,
}

impl Default for SummaryOptions {
    fn default() -> Self {
        SummaryOptions {
            cosine: 0.28,
            dice: 0.25,
            max_gap: 40,
            min_seeds: 2,
            acceptance: 0.3,
            min_chars: 300,
            min_ratio: 3.0,
            whole_share: 0.5,
            max_explained: 0.8,
        }
    }
}
