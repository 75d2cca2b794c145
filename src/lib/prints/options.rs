//! Parameters of the fingerprint methods.

use std::fmt;
use std::str::FromStr;

use clap::{Args, FromArgMatches, ValueEnum};
use serde::{Deserialize, Serialize, Serializer};

use super::agreement::SetMeasure;
use super::printer::Printer;
use crate::random::DEFAULT_SEED;

/// What a shingle consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShingleUnit {
    /// Words
    #[default]
    Words,
    /// Characters of the words, without what separates them
    Characters,
}

/// Whether shingles overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShingleOverlap {
    /// One shingle begins at every word
    #[default]
    Full,
    /// A shingle begins where the last one ended
    None,
}

/// Weight of a word in its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TermWeight {
    /// n / words * log(N / df)
    #[default]
    TfIdf,
    /// (0.5 + 0.5 * n / largest n) * log(N / df)
    Augmented,
    /// Okapi BM25
    Bm25,
}

/// Parameters of the methods. Unset ones have the default of the method.
#[derive(Debug, Clone, PartialEq, Default, Args, Serialize)]
#[command(rename_all = "snake_case", next_help_heading = "Method")]
pub struct PrintOptions {
    /// Minimum length of a word in characters [default: 4 for tf, tf_idf, heavy_sent and descr_words, else 1]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub min_word_len: Option<usize>,
    /// Do not fold words: full-width letters, ß and ss, and words with and without vowel marks of Arabic and Hebrew differ
    #[arg(long)]
    pub no_fold: bool,
    /// Words or characters per shingle [default: 5; 1 for simhash]
    #[arg(long, value_name = "K", value_parser = positive)]
    pub shingle_size: Option<usize>,
    /// Unit of shingles [default: words]
    #[arg(long, value_name = "UNIT")]
    pub unit: Option<ShingleUnit>,
    /// Overlap of shingles [default: full]
    #[arg(long, value_name = "OVERLAP")]
    pub overlap: Option<ShingleOverlap>,
    /// Keep fingerprints divisible by M [default: 8 for sif without anchors]
    #[arg(long, value_name = "M", value_parser = positive_u64, conflicts_with = "smallest")]
    pub modulus: Option<u64>,
    /// Keep the S smallest fingerprints [default for shingles: 100]
    #[arg(long, value_name = "S", value_parser = positive)]
    pub smallest: Option<usize>,
    /// Take supershingles over a sample of about 8 log2(n) of n shingles
    #[arg(long)]
    pub log_sample: bool,
    /// Similarity of two sets of fingerprints [default: resemblance for shingles, else share]
    #[arg(long, value_name = "MEASURE")]
    pub measure: Option<SetMeasure>,
    /// Minimum similarity of two sets, 0 to 1 [default: 0.5]; resemblance for which minhash chooses its bands [default: 0.8]
    #[arg(long, value_name = "T", value_parser = share)]
    pub threshold: Option<f64>,
    /// Min-wise hashes per document [default: 84 for supershingles and megashingles, 128 for minhash]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub hashes: Option<usize>,
    /// Groups of hashes: supershingles [default: 6], or bands of minhash [default: by --threshold and --recall]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub groups: Option<usize>,
    /// Groups that must agree [default: 2 for supershingles]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub min_equal: Option<usize>,
    /// Minimum probability that minhash finds a pair at the threshold, 0 to 1 [default: 0.95]
    #[arg(long, value_name = "P", value_parser = share)]
    pub recall: Option<f64>,
    /// Maximum number of different bits of simhash, 0 to 63 [default: 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=63))]
    pub distance: Option<u32>,
    /// Characters per substring [default: 50 for sif, 20 for koala, 25 for winnowing]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub substring: Option<usize>,
    /// Substrings per document of koala [default: 30]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub substrings: Option<usize>,
    /// Window of winnowing, in substrings: every common run of --substring + W - 1 characters is found [default: 25]
    #[arg(long, value_name = "W", value_parser = positive)]
    pub window: Option<usize>,
    /// Anchors of sif, separated by commas: substrings begin after them; 'all' takes all substrings [default: frequent chains of letters]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub anchors: Vec<String>,
    /// Words of a fingerprint [default: 6 for tf, tf_idf and a1]
    #[arg(long, value_name = "K", value_parser = positive)]
    pub words_per_print: Option<usize>,
    /// Sentences of a fingerprint [default: 2 for long_sent, heavy_sent and a2]
    #[arg(long, value_name = "M", value_parser = positive)]
    pub sentences_per_print: Option<usize>,
    /// Weight of words [default: tf_idf]
    #[arg(long, value_name = "WEIGHT")]
    pub weight: Option<TermWeight>,
    /// Parameter k1 of BM25 [default: 2]
    #[arg(long, value_name = "X", value_parser = not_negative)]
    pub k1: Option<f64>,
    /// Parameter b of BM25, 0 to 1 [default: 0.75]
    #[arg(long, value_name = "X", value_parser = share)]
    pub b: Option<f64>,
    /// Minimum IDF of BM25; without it, words in more than half of the documents are dropped
    #[arg(long, value_name = "X", value_parser = not_negative)]
    pub idf_floor: Option<f64>,
    /// Minimum IDF of a lexicon word, as a share of log N [default: 0.2]
    #[arg(long, value_name = "X", value_parser = share)]
    pub min_idf: Option<f64>,
    /// Maximum IDF of a lexicon word, as a share of log N [default: 0.8]
    #[arg(long, value_name = "X", value_parser = share)]
    pub max_idf: Option<f64>,
    /// Lexicon words that a document must exceed [default: 5]
    #[arg(long, value_name = "N")]
    pub min_terms: Option<usize>,
    /// Random lexicons of imatch_random [default: 10]
    #[arg(long, value_name = "K", value_parser = positive)]
    pub lexicons: Option<usize>,
    /// Share of words that a random lexicon lacks [default: 0.33]
    #[arg(long, value_name = "P", value_parser = share)]
    pub dropped: Option<f64>,
    /// Maximum number of descriptive words [default: 4000]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub descriptive_words: Option<usize>,
    /// Descriptive words that each document should exceed, if it can [default: 8]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub cover: Option<usize>,
    /// Relative distance from a word's threshold within which its frequency is unstable [default: 0.2]
    #[arg(long, value_name = "D", value_parser = share)]
    pub delta: Option<f64>,
    /// Minimum similarity coefficient of sent_words: texts may differ in length by the factor 2 - C [default: 0.85]
    #[arg(long, value_name = "C", value_parser = share)]
    pub length_similarity: Option<f64>,
    /// Maximum ratio of the numbers of sentences of sent_words [default: 1.2]
    #[arg(long, value_name = "X", value_parser = not_negative)]
    pub sentence_ratio: Option<f64>,
    /// Longest words that two documents of sent_words must share [default: 2]
    #[arg(long, value_name = "N")]
    pub common_words: Option<usize>,
    /// Require of sent_words that all longest sentences agree, not the longest alone
    #[arg(long)]
    pub all_sentences: bool,
    /// Seed of random hashes and lexicons [default: 2007]
    #[arg(long, value_name = "N")]
    pub rnd_seed: Option<u64>,
}

impl PrintOptions {
    pub(super) fn seed(&self) -> u64 {
        self.rnd_seed.unwrap_or(DEFAULT_SEED)
    }

    /// Returns the names of the options that are set, without those of words.
    pub(super) fn names_set(&self) -> Vec<String> {
        let Ok(serde_json::Value::Object(all)) = serde_json::to_value(self) else {
            return Vec::new();
        };
        let is_set = |value: &serde_json::Value| match value {
            serde_json::Value::Null | serde_json::Value::Bool(false) => false,
            serde_json::Value::Array(items) => !items.is_empty(),
            _ => true,
        };
        let is_of_method = |name: &str| !matches!(name, "min_word_len" | "no_fold");
        let set = all.into_iter().filter(|(name, value)| is_of_method(name) && is_set(value));
        set.map(|(name, _)| name).collect()
    }
}

/// A method with parameters in one word: `md5`, or `shingles:threshold=0.7,smallest=200`.
#[derive(Debug, Clone, PartialEq)]
pub struct MethodSpec {
    /// The name of the method.
    pub name: String,
    /// The parameters as they were given.
    parameters: String,
    /// The parameters.
    pub options: PrintOptions,
}

impl MethodSpec {
    /// Returns the printer of the method.
    pub fn printer(&self) -> Result<Printer, String> {
        Printer::new(&self.name, &self.options)
    }
}

impl FromStr for MethodSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, parameters) = text.split_once(':').unwrap_or((text, ""));
        let words = parameters.split(',').filter(|word| !word.is_empty());
        let flags = words.map(|word| format!("--{}", word.trim()));
        let command = PrintOptions::augment_args(clap::Command::new("method").no_binary_name(true));
        let parsed =
            command.disable_help_flag(true).try_get_matches_from(flags).map_err(first_line)?;
        let options = PrintOptions::from_arg_matches(&parsed).map_err(first_line)?;
        let spec = MethodSpec { name: name.into(), parameters: parameters.into(), options };
        spec.printer().map(|_| spec)
    }
}

/// Returns the first line of an error, which says what is wrong.
fn first_line(error: clap::Error) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).to_string()
}

impl fmt::Display for MethodSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if self.parameters.is_empty() { Ok(()) } else { write!(f, ":{}", self.parameters) }
    }
}

impl Serialize for MethodSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Parses an integer of at least 1.
fn positive(text: &str) -> Result<usize, String> {
    positive_u64(text).map(|number| number as usize)
}

/// Parses an integer of at least 1.
fn positive_u64(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "expected an integer of at least 1".into())
}

/// Parses a number from 0 to 1.
pub(super) fn share(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "expected a number from 0 to 1".into())
}

/// Parses a number of at least 0.
fn not_negative(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| *number >= 0.0 && number.is_finite());
    number.ok_or_else(|| "expected a number of at least 0".into())
}
