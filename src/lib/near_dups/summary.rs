//! What was found, in a few lines.

use std::fmt;

use crate::search::near::{SearchPlan, SearchStrategy};

/// Thousands apart, so that large numbers can be read.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// How pairs are found, and with which recall.
pub(super) fn way(plan: &SearchPlan) -> String {
    let recall = format!("recall at least {:.5}", floor(plan.recall));
    let distance = |most: u32| format!("signatures that differ in at most {most} bits");
    match &plan.way {
        SearchStrategy::Exact => "exact cosines, nothing is missed".into(),
        SearchStrategy::Scan { max_distance } => {
            format!("{}, all compared: {recall}", distance(*max_distance))
        }
        SearchStrategy::Join { max_distance } => {
            format!("{}, those that agree in a part compared: {recall}", distance(*max_distance))
        }
        SearchStrategy::Tables(tables) => format!(
            "{}, those that agree in all of {} bits compared, {} times: {recall}",
            distance(tables.max_distance),
            tables.key_bits,
            tables.tables
        ),
    }
}

/// Five decimals of a promise: no more than was promised.
fn floor(recall: f64) -> f64 {
    (recall * 1e5).floor() / 1e5
}

/// The counts that people ask for.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Documents that were read, old ones among them.
    pub documents: u64,
    /// Old documents among these.
    pub old: u64,
    /// Documents without a word: they are compared with nothing.
    pub without_words: u64,
    /// Documents whose text is that of an earlier one, byte for byte.
    pub copies: u64,
    /// Found pairs.
    pub pairs: u64,
    /// Clusters of two or more.
    pub clusters: u64,
    /// Documents that a copy without duplicates leaves out.
    pub removed: u64,
    /// The cosine from which on documents are near-duplicates, from 0 to 1.
    pub threshold: f64,
    /// How pairs were found.
    pub way: String,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let new = self.documents - self.old;
        write!(f, "{} documents", grouped(new))?;
        if self.old > 0 {
            write!(f, " against {} old ones", grouped(self.old))?;
        }
        if self.without_words > 0 {
            write!(f, ", {} without words", grouped(self.without_words))?;
        }
        let share = 100.0 * self.removed as f64 / (new as f64).max(1.0);
        write!(
            f,
            "; {} exact copies; {} pairs with a cosine of at least {} in {} clusters; {} documents ({share:.2} %) are duplicates of others; {}",
            grouped(self.copies),
            grouped(self.pairs),
            self.threshold,
            grouped(self.clusters),
            grouped(self.removed),
            self.way
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_are_readable() {
        let numbers = [0, 7, 999, 1000, 12_345, 123_456, 1_234_567];
        let texts = ["0", "7", "999", "1,000", "12,345", "123,456", "1,234,567"];
        assert_eq!(numbers.map(grouped), texts);
    }

    #[test]
    fn a_summary_leaves_out_what_is_not_there() {
        let summary = Summary {
            documents: 10,
            old: 0,
            without_words: 0,
            copies: 1,
            pairs: 3,
            clusters: 2,
            removed: 3,
            threshold: 0.8,
            way: "exact".into(),
        };
        assert_eq!(
            summary.to_string(),
            "10 documents; 1 exact copies; 3 pairs with a cosine of at least 0.8 in 2 clusters; 3 documents (30.00 %) are duplicates of others; exact"
        );
    }
}
