//! How two vectors are compared.

/// How two vectors are compared. All but the cosine look only at which terms a document has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Cosine of the angle between the vectors
    #[default]
    Cosine,
    /// Common terms divided by all terms of the two documents
    Jaccard,
    /// Twice the common terms divided by the sum of both term counts
    Dice,
    /// Common terms divided by the smaller term count
    Overlap,
}

impl Method {
    /// What a component counts in the sum over common terms.
    pub(super) fn component(self, value: f32) -> f32 {
        if self == Method::Cosine { value } else { 1.0 }
    }

    /// A sum over common terms below this, times the other's size, is certainly below a threshold in per cent. Saves a division a pair.
    pub(super) fn floor(self, threshold: f64, size: f64) -> f64 {
        match self {
            _ if threshold <= 0.0 => f64::NEG_INFINITY,
            Method::Cosine => (threshold / 100.0 - SLACK).max(0.0) * size,
            _ => f64::MIN_POSITIVE,
        }
    }

    /// The similarity in per cent, rounded to [`STEPS_PER_PERCENT`] so that the last bits of a sum decide nothing: what is
    /// printed, what is compared with a threshold and what is read back are one number.
    pub(super) fn similarity(self, common: f64, size: f64, other_size: f64) -> f64 {
        let share = match self {
            Method::Cosine => common / (size * other_size),
            Method::Jaccard => common / (size + other_size - common),
            Method::Dice => 2.0 * common / (size + other_size),
            Method::Overlap => common / size.min(other_size),
        };
        // Adding 0 turns the negative zero into the ordinary one.
        (share * 100.0 * STEPS_PER_PERCENT).round() / STEPS_PER_PERCENT + 0.0
    }
}

/// By how much a bound on a cosine may be below the threshold of a pair that counts.
///
/// A pair counts when its computed cosine, rounded to a hundred-millionth, is at or above the threshold: half such a step, 5·10⁻⁹. The
/// computed cosine is a sum of n products over two roots of sums of n squares, in 64 bits, off by n·2⁻⁵³ and twice n/2·2⁻⁵³ (Σ|x||y| is at most the product
/// of the lengths); indexes have 32 bits, so n < 2³², and all three together are below 10⁻⁶. A bound that is computed in 64 bits from the same values and
/// lengths is within another 10⁻⁶ of what it should be, a step in 32 bits within 2·10⁻⁷; where fewer bits are kept, they are rounded up.
/// All of it is well below this, and this is far too little to let more pairs through.
pub(super) const SLACK: f64 = 1e-5;

/// Similarities are multiples of a millionth of a per cent.
const STEPS_PER_PERCENT: f64 = 1e6;
