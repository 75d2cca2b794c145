//! Rules that turn a text into words, paragraphs and n-grams: what an index records, and refuses to mix.

use std::collections::BTreeMap;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::text::WordRule;

/// What ends a paragraph. N-grams do not cross paragraphs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParagraphRule {
    /// A blank line; a line of more than 200 bytes is a paragraph of its own.
    #[default]
    BlankLines,
    /// Every line break.
    Lines,
    /// Nothing: the text is one paragraph.
    None,
}

/// Rules for the texts of one type of file. All are keys of a configuration file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NgramRules {
    /// What a word is: `letters` (letters, digits and marks) or `whitespace` (anything between white space).
    pub words: WordRule,
    /// Whether words of letters are folded: case, compatibility forms, optional marks.
    pub fold: bool,
    /// Whether look-alike letters of Latin, Greek and Cyrillic are replaced in words that mix these scripts.
    pub homoglyphs: bool,
    /// Minimum length of a word in characters; shorter ones are dropped.
    pub min_word_length: usize,
    /// Words to drop.
    pub stop_words: Vec<String>,
    /// Whether the words of an n-gram are sorted before they are hashed, so that their order does not matter.
    pub sorted: bool,
    /// What separates the words of an n-gram when they are hashed.
    pub separator: String,
    /// What ends a paragraph.
    pub paragraphs: ParagraphRule,
    /// Minimum number of words of a paragraph; shorter ones are dropped.
    pub min_paragraph: usize,
    /// A paragraph of fewer words is joined to the next.
    pub join_paragraph: usize,
    /// Strings that are replaced by a line break, before others are deleted.
    pub new_line_tags: Vec<String>,
    /// Strings that are deleted.
    pub delete_tags: Vec<String>,
    /// Characters that are deleted; the words next to one are joined.
    pub delete_chars: String,
}

impl Default for NgramRules {
    fn default() -> Self {
        NgramRules {
            words: WordRule::Letters,
            fold: true,
            homoglyphs: true,
            min_word_length: 1,
            stop_words: Vec::new(),
            sorted: false,
            separator: " ".into(),
            paragraphs: ParagraphRule::BlankLines,
            min_paragraph: 0,
            join_paragraph: 0,
            new_line_tags: Vec::new(),
            delete_tags: Vec::new(),
            delete_chars: String::new(),
        }
    }
}

/// The rules of an index: for all files, and for those with certain extensions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NgramConfig {
    /// The rules of all other files.
    pub rules: NgramRules,
    /// Rules by extension in lower case, such as `html`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub types: BTreeMap<String, NgramRules>,
}

/// Published sets of rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum NgramPreset {
    /// Folded words, paragraphs between blank lines, look-alike letters replaced
    #[default]
    Default,
    /// Words between spaces without punctuation, one paragraph per line (Pekař 2015)
    Pekar,
    /// Words of more than 3 characters, sorted within an n-gram; paragraphs of at least 15 words (Menšík 2017)
    Mensik,
}

/// Characters that Pekař's manual lists as deleted.
const PEKAR_CHARACTERS: &str = ".,:;!-_/\\`(){}'";

impl NgramPreset {
    /// Returns whether an index has n-grams of stems. The published systems have none.
    pub fn has_stems(self) -> bool {
        self == NgramPreset::Default
    }

    /// Returns the rules.
    pub fn config(self) -> NgramConfig {
        let own = NgramRules::default();
        let rules = match self {
            NgramPreset::Default => own,
            NgramPreset::Pekar => NgramRules {
                words: WordRule::WhiteSpace,
                fold: false,
                homoglyphs: false,
                paragraphs: ParagraphRule::Lines,
                new_line_tags: ["<p>", "</p>", "<br>", "<br/>"].map(String::from).into(),
                delete_chars: PEKAR_CHARACTERS.into(),
                ..own
            },
            NgramPreset::Mensik => NgramRules {
                homoglyphs: false,
                min_word_length: 4,
                sorted: true,
                separator: "-".into(),
                min_paragraph: 15,
                join_paragraph: 30,
                ..own
            },
        };
        NgramConfig { rules, types: BTreeMap::new() }
    }
}
