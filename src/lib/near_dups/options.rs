//! What near-duplicates are, and which document of a cluster is kept.

use std::fmt;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use serde::{Serialize, Serializer};

use crate::executable::values::{at_least_one, parse_share};
use crate::text::AnalyzerOptions;

/// The default of [`SearchOptions::threshold`].
const DEFAULT_THRESHOLD: f64 = 0.8;

/// How documents are compared.
#[derive(Debug, Clone, PartialEq, Args, Serialize)]
#[command(rename_all = "snake_case", next_help_heading = "Search")]
pub struct SearchOptions {
    /// Minimum cosine of a near-duplicate pair: 0.8, or 80 or 80% for percent
    #[arg(long, value_name = "COSINE", default_value_t = DEFAULT_THRESHOLD, value_parser = threshold)]
    pub threshold: f64,
    /// Number of consecutive words per term
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = at_least_one)]
    pub shingle_size: usize,
    /// Do not fold words: full-width letters, ß and ss, and words with and without vowel marks of Arabic and Hebrew differ
    #[arg(long)]
    pub no_fold: bool,
}

impl Default for SearchOptions {
    fn default() -> Self {
        SearchOptions { threshold: DEFAULT_THRESHOLD, shingle_size: 1, no_fold: false }
    }
}

impl SearchOptions {
    /// Returns how texts become terms.
    pub(super) fn term_rules(&self) -> AnalyzerOptions {
        AnalyzerOptions { fold: !self.no_fold, ..AnalyzerOptions::letters(self.shingle_size) }
    }
}

/// How pairs become clusters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ClusterBy {
    /// Connected components of the graph of pairs
    #[default]
    Connected,
    /// Complete subgraphs: every two members are a pair
    Complete,
}

/// Which document of a cluster is kept. Ties go to the first document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum KeepRule {
    /// The first document.
    #[default]
    First,
    /// The document with the longest text.
    Longest,
    /// The document with the largest value of a field.
    Largest(String),
    /// The document with the smallest value of a field.
    Smallest(String),
}

impl KeepRule {
    /// Returns the field that the rule compares.
    pub fn field(&self) -> Option<&str> {
        match self {
            KeepRule::First | KeepRule::Longest => None,
            KeepRule::Largest(field) | KeepRule::Smallest(field) => Some(field),
        }
    }
}

impl FromStr for KeepRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let field = |prefix: &str| text.strip_prefix(prefix).filter(|field| !field.is_empty());
        match text {
            "first" => Ok(KeepRule::First),
            "longest" => Ok(KeepRule::Longest),
            _ => match (field("largest:"), field("smallest:")) {
                (Some(field), _) => Ok(KeepRule::Largest(field.into())),
                (_, Some(field)) => Ok(KeepRule::Smallest(field.into())),
                _ => Err("expected first, longest, largest:FIELD or smallest:FIELD".into()),
            },
        }
    }
}

impl fmt::Display for KeepRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeepRule::First => f.write_str("first"),
            KeepRule::Longest => f.write_str("longest"),
            KeepRule::Largest(field) => write!(f, "largest:{field}"),
            KeepRule::Smallest(field) => write!(f, "smallest:{field}"),
        }
    }
}

impl Serialize for KeepRule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Parses a cosine above 0: 0.8, or 80 or 80% for percent.
fn threshold(text: &str) -> Result<f64, String> {
    const COSINE: &str = "a cosine such as 0.8, or percent such as 80 or 80%";
    let cosine = parse_share(text, COSINE)?;
    if cosine > 0.0 { Ok(cosine) } else { Err(format!("expected {COSINE}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keep_rules_read_back() {
        for text in ["first", "longest", "largest:a:b", "smallest:date"] {
            assert_eq!(text.parse::<KeepRule>().unwrap().to_string(), text);
        }
        assert!("largest:".parse::<KeepRule>().is_err());
    }
}
