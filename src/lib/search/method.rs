//! Flags of the exact all-pairs searches.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// Algorithm of an exact all-pairs search. The result does not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AllPairsMethod {
    /// The method with the lower cost estimate
    #[default]
    Auto,
    /// Filter candidates by an index, then verify them
    Join,
    /// Compare every pair
    Scan,
}

/// Similarity of two vectors. All measures but the cosine see only the sets of terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SimilarityMeasure {
    /// Cosine of the angle between the vectors
    #[default]
    Cosine,
    /// Common terms over all terms of the two
    Jaccard,
    /// Twice the common terms over the sum of both numbers of terms
    Dice,
    /// Common terms over the smaller number of terms
    Overlap,
}
