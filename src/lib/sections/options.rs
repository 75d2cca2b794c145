//! Options of the comparison, which are also flags.

use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::error::{Error, Result};
use crate::executable::values::{at_least_one, parse_share};
use crate::text::AnalyzerOptions;

/// Fingerprints of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum BlockRule {
    /// Its distinct shingles; it is copied if more of them than the threshold agree
    #[default]
    Shingles,
    /// One checksum of its words that are most frequent in the section; it is copied if the checksums are equal
    HeavyWords,
}

/// Part of the source that must hold the fingerprints of a copied block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SourcePart {
    /// One block; text that moved by a quarter of a block is missed
    #[default]
    Block,
    /// One section
    Section,
    /// The document
    Document,
}

/// Options that determine sections, blocks, fingerprints and verdicts.
#[derive(Debug, Clone, PartialEq, Args, Serialize)]
#[command(rename_all = "snake_case", next_help_heading = "Method")]
pub struct SectionOptions {
    /// Number of words per block; a rest shorter than a shingle joins the block before it
    #[arg(long, value_name = "N", default_value = "100", value_parser = at_least_one)]
    pub block: usize,
    /// Number of consecutive words in a shingle
    #[arg(long, value_name = "K", default_value = "5", value_parser = at_least_one)]
    pub shingle_size: usize,
    /// A block, section or document is copied if more than this share of its shingles, blocks or sections is: 0.75, or 75 or 75% for percent
    #[arg(long, value_name = "T", default_value = "0.75", value_parser = share_below_one)]
    pub threshold: f64,
    /// Fingerprints of a block
    #[arg(long, value_name = "RULE", default_value = "shingles")]
    pub blocks_by: BlockRule,
    /// Number of words in the checksum of --blocks_by heavy_words
    #[arg(long, value_name = "N", default_value = "6", value_parser = at_least_one)]
    pub heavy_words: usize,
    /// Part of the second document in which the shingles of a block must stand
    #[arg(long, value_name = "PART", default_value = "block")]
    pub look_in: SourcePart,
    /// Compare all blocks: exact shares of copied blocks and sections, the same verdicts
    #[arg(long)]
    pub no_early_stop: bool,
    /// Deepest level of headings that begin a section, from 1
    #[arg(long, value_name = "N", default_value = "6", value_parser = at_least_one)]
    pub heading_level: usize,
    /// Leave out text in quotation marks („ “ ” « » ") and block quotes (lines that begin with '>')
    #[arg(long)]
    pub ignore_quoted: bool,
    /// Minimum length of a word in characters; pairs of characters in scripts without spaces are kept
    #[arg(long, value_name = "N", default_value = "1", value_parser = at_least_one)]
    pub min_word_len: usize,
    /// Keep words that consist of digits
    #[arg(long)]
    pub save_nums: bool,
}

impl Default for SectionOptions {
    fn default() -> Self {
        SectionOptions {
            block: 100,
            shingle_size: 5,
            threshold: 0.75,
            blocks_by: BlockRule::Shingles,
            heavy_words: 6,
            look_in: SourcePart::Block,
            no_early_stop: false,
            heading_level: 6,
            ignore_quoted: false,
            min_word_len: 1,
            save_nums: false,
        }
    }
}

impl SectionOptions {
    /// Checks that a block has a shingle.
    ///
    /// # Errors
    /// A block shorter than a shingle.
    pub fn check(&self) -> Result<()> {
        if self.block >= self.shingle_size {
            return Ok(());
        }
        let SectionOptions { block, shingle_size, .. } = self;
        let expected = format!("expected a --block of at least {shingle_size} words");
        Err(Error::Usage(format!("{expected} (--shingle_size), found {block}")))
    }

    /// Returns how texts become words.
    pub fn analyzer(&self) -> AnalyzerOptions {
        let SectionOptions { min_word_len, save_nums, .. } = *self;
        AnalyzerOptions { min_word_len, save_nums, ..AnalyzerOptions::letters(1) }
    }

    /// Returns the threshold of all three decisions.
    pub(super) fn decision(&self) -> Decision {
        Decision { millionths: (self.threshold * MILLION as f64).round() as u64 }
    }
}

const MILLION: u64 = 1_000_000;

/// A threshold that shares must exceed. Shares are compared as integers: a share at the threshold never counts as one above it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Decision {
    millionths: u64,
}

impl Decision {
    /// Returns whether `count` of `total` are more than the threshold.
    pub fn is_exceeded(self, count: usize, total: usize) -> bool {
        (count as u128) * u128::from(MILLION) > u128::from(self.millionths) * (total as u128)
    }

    /// Returns the smallest count that is more than the threshold.
    pub fn min_exceeding(self, total: usize) -> usize {
        (u128::from(self.millionths) * (total as u128) / u128::from(MILLION)) as usize + 1
    }

    /// Returns the verdict as soon as it is certain: after `agreeing` and `differing` of `total`. Agreement must exceed the threshold, difference
    /// must only reach its complement: then the threshold cannot be exceeded any more.
    pub fn settled(self, agreeing: usize, differing: usize, total: usize) -> Option<bool> {
        if self.is_exceeded(agreeing, total) {
            return Some(true);
        }
        (!self.is_exceeded(total - differing, total)).then_some(false)
    }
}

/// Parses a share below 1: nothing exceeds 1.
fn share_below_one(text: &str) -> std::result::Result<f64, String> {
    const EXPECTED: &str = "a share below 1 such as 0.75, or a percentage such as 75 or 75%";
    let share = parse_share(text, EXPECTED)?;
    if share < 1.0 { Ok(share) } else { Err(format!("expected {EXPECTED}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_at_the_threshold_do_not_exceed_it() {
        let decision = SectionOptions::default().decision();
        for total in (4..=4000).step_by(4) {
            assert!(!decision.is_exceeded(total / 4 * 3, total));
            assert!(decision.is_exceeded(total / 4 * 3 + 1, total));
        }
        // 0.57 · 100 is less than 57 in floating point.
        let decision = SectionOptions { threshold: 0.57, ..Default::default() }.decision();
        assert!(!decision.is_exceeded(57, 100) && decision.is_exceeded(58, 100));
    }

    #[test]
    fn the_smallest_count_above_the_threshold_exceeds_it() {
        for threshold in [0.0, 0.33, 0.57, 0.75, 0.999_999] {
            let decision = SectionOptions { threshold, ..Default::default() }.decision();
            for total in 1..200 {
                let least = decision.min_exceeding(total);
                assert!(decision.is_exceeded(least, total));
                assert!(!decision.is_exceeded(least - 1, total));
            }
        }
    }

    #[test]
    fn verdicts_are_settled_only_when_certain() {
        for percent in [0, 1, 50, 57, 75, 99] {
            let threshold = f64::from(percent) / 100.0;
            let decision = SectionOptions { threshold, ..Default::default() }.decision();
            for total in 1..=24 {
                for agreeing in 0..=total {
                    for differing in 0..=total - agreeing {
                        let ends = agreeing..=total - differing;
                        let mut verdicts: Vec<bool> =
                            ends.map(|end| decision.is_exceeded(end, total)).collect();
                        verdicts.dedup();
                        let expected = (verdicts.len() == 1).then(|| verdicts[0]);
                        assert_eq!(decision.settled(agreeing, differing, total), expected);
                    }
                }
            }
        }
    }
}
