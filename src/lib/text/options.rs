//! Options of the analyzer.

use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

/// Separates the words of a shingle: a no-break space. It is white space, so no word contains it, but neither the space nor the newline that
/// separate items of the pipeline's files.
pub const SHINGLE_SEPARATOR: char = '\u{a0}';

/// Rule by which a text is split into words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WordRule {
    /// Anything between white space, unchanged; the thesis' words
    #[default]
    #[value(name = "whitespace")]
    WhiteSpace,
    /// Letters and digits in Unicode's normal form C and lower case
    Letters,
}

/// Options that determine the terms of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Args, Serialize, Deserialize)]
#[serde(default)]
pub struct AnalyzerOptions {
    /// Split at every character other than a letter or digit; compose (NFC) and lower-case words
    ///
    /// Without the flag words are separated by white space and stay unchanged.
    #[arg(long, value_name = "RULE", num_args = 0..=1, require_equals = true)]
    #[arg(
        default_value = "whitespace",
        default_missing_value = "letters",
        hide_default_value = true
    )]
    pub words: WordRule,
    /// Keep words that consist of digits
    #[arg(long = "save_nums")]
    pub save_nums: bool,
    /// Minimum length of a word in characters
    #[arg(long = "min_word_len", value_name = "N", default_value = "1", value_parser = positive)]
    pub min_word_len: usize,
    /// Number of consecutive words in a term (shingle)
    #[arg(long = "shingle_size", value_name = "K", default_value = "1", value_parser = positive)]
    pub shingle_size: usize,
}

impl Default for AnalyzerOptions {
    fn default() -> Self {
        let words = WordRule::default();
        AnalyzerOptions { words, save_nums: false, min_word_len: 1, shingle_size: 1 }
    }
}

impl AnalyzerOptions {
    /// Options for words of letters and digits, numbers included, in shingles of `shingle_size` words: the terms of `find_near_dups`.
    pub const fn letters(shingle_size: usize) -> Self {
        let words = WordRule::Letters;
        AnalyzerOptions { words, save_nums: true, min_word_len: 1, shingle_size }
    }

    /// Returns whether a word is long enough, in characters, and not dropped as a number of any script.
    pub(super) fn keeps(&self, word: &str) -> bool {
        let min = self.min_word_len;
        (self.save_nums || !word.chars().all(char::is_numeric))
            && word.chars().take(min).count() == min
    }
}

/// Parses an integer of at least 1.
fn positive(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "expected an integer of at least 1".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Flags {
        #[command(flatten)]
        options: AnalyzerOptions,
        paths: Vec<String>,
    }

    fn parse(flags: &[&str]) -> Result<(AnalyzerOptions, Vec<String>), clap::Error> {
        let flags = Flags::try_parse_from(["test"].iter().chain(flags))?;
        Ok((flags.options, flags.paths))
    }

    #[test]
    fn flags_give_options_and_do_not_swallow_paths() {
        let default = AnalyzerOptions::default();
        for (flags, options) in [
            ("docs", default),
            ("--words --save_nums --shingle_size 3 docs", AnalyzerOptions::letters(3)),
            ("--words=letters docs", AnalyzerOptions { words: WordRule::Letters, ..default }),
            ("--words docs", AnalyzerOptions { words: WordRule::Letters, ..default }),
            ("--words=whitespace --min_word_len 1 docs", default),
        ] {
            let flags: Vec<&str> = flags.split(' ').collect();
            assert_eq!(parse(&flags).unwrap(), (options, vec!["docs".to_string()]));
        }
        for flag in ["--shingle_size", "--min_word_len"] {
            assert!(parse(&[flag, "0"]).is_err() && parse(&[flag, "x"]).is_err());
        }
    }

    #[test]
    fn values_are_stored_by_the_names_of_flags() {
        let expected = r#"{"words":"letters","save_nums":true,"min_word_len":1,"shingle_size":2}"#;
        assert_eq!(serde_json::to_string(&AnalyzerOptions::letters(2)).unwrap(), expected);
        for (json, options) in
            [(expected, AnalyzerOptions::letters(2)), ("{}", AnalyzerOptions::default())]
        {
            assert_eq!(serde_json::from_str::<AnalyzerOptions>(json).unwrap(), options);
        }
    }
}
