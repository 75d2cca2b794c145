//! Recall guarantee: the distribution of signature distances, given the cosine of two vectors.
//!
//! A random hyperplane separates two vectors at angle θ with probability θ/π (Charikar 2002), and the hyperplanes of a signature are independent:
//! the distance of two signatures of K bits is binomial, K draws with probability p = arccos(c)/π. Two allowances account for real signatures;
//! both only raise the distance to search:
//!
//! - **Components of four levels are not quite normal.** The bits of a given pair are still independent, but the probability that a bit differs
//!   is off p by an amount specific to the pair. Measured on documents of at least 8 effective terms, that raises the mean squared error over all
//!   pairs to at most [`VARIANCE`] times the binomial one. A binomial whose probability varies from pair to pair is a mixture; distances are
//!   modeled as beta-binomial, the mixture with a beta distribution, with variance K·p·(1 − p)·[`VARIANCE`].
//! - **Weights are quantized to 63 steps**, which rotates a vector by at most about [`ROUNDING_ANGLE`] in a direction of its own: θ becomes
//!   √(θ² + 2·rotation²). It matters near a cosine of 1 only.
//!
//! Pairs above the threshold are nearer, so the recall of a pair at the threshold is a lower bound for all.

/// Variance of distances divided by the binomial variance.
pub const VARIANCE: f64 = 1.1;

/// Angle in radians by which quantizing the weights rotates a vector. For weights 1 + ln(count) a step is 1/63 of the largest weight, hardly ever
/// above 6, and the error of a component is a step over √12, 0.027, relative to components of at least 1.
pub const ROUNDING_ANGLE: f64 = 0.02;

/// Distribution of the Hamming distance of two signatures.
#[derive(Debug, Clone, PartialEq)]
pub struct DistanceDistribution {
    probabilities: Vec<f64>,
}

impl DistanceDistribution {
    /// Returns the distribution for signatures of `bits` bits and vectors with this cosine, from 0 to 1.
    pub fn at(bits: usize, cosine: f64) -> Self {
        DistanceDistribution::new(bits, disagreement(cosine), VARIANCE)
    }

    /// Returns the beta-binomial distribution for `bits` bits, each differing with probability `differing` (at most ½), and the given variance
    /// relative to the binomial one.
    pub(super) fn new(bits: usize, differing: f64, variance: f64) -> Self {
        let excess = variance - 1.0;
        // The variance of a single bit is fixed.
        let spread = if bits == 1 { 0.0 } else { excess / (bits as f64 - 1.0 - excess) };
        // Probability of d + 1 divided by that of d.
        let ratio = |d: usize| {
            let (d, left) = (d as f64, (bits - d - 1) as f64);
            (left + 1.0) / (d + 1.0) * (d * spread + differing)
                / (left * spread + (1.0 - differing))
        };
        // From the mode in both directions, so that no term overflows, and underflows only where negligible.
        let middle = (bits as f64 * differing) as usize;
        let mut probabilities = vec![0.0; bits + 1];
        probabilities[middle] = 1.0;
        for d in middle..bits {
            probabilities[d + 1] = probabilities[d] * ratio(d);
        }
        for d in (0..middle).rev() {
            probabilities[d] = probabilities[d + 1] / ratio(d);
        }
        let total: f64 = probabilities.iter().sum();
        probabilities.iter_mut().for_each(|probability| *probability /= total);
        DistanceDistribution { probabilities }
    }

    /// Returns the signature length in bits.
    pub fn bits(&self) -> usize {
        self.probabilities.len() - 1
    }

    /// Returns the probability of each distance, from 0 to the number of bits.
    pub fn probabilities(&self) -> &[f64] {
        &self.probabilities
    }

    /// Returns the probability of a distance above `max`, summed from the smallest terms.
    pub fn beyond(&self, max: u32) -> f64 {
        self.probabilities.iter().skip(max as usize + 1).rev().sum()
    }

    /// Returns the smallest distance above which the probability is at most `miss`; all bits if `miss` is 0.
    pub fn quantile(&self, miss: f64) -> u32 {
        if miss <= 0.0 {
            return self.bits() as u32;
        }
        let mut tail = 0.0;
        for distance in (1..=self.bits()).rev() {
            tail += self.probabilities[distance];
            if tail > miss {
                return distance as u32;
            }
        }
        0
    }
}

/// Returns the probability that a bit of two signatures differs, given the cosine of the vectors, with the allowance for quantized weights.
/// Deterministic on every machine.
pub fn disagreement(cosine: f64) -> f64 {
    let angle = libm::acos(cosine.clamp(0.0, 1.0));
    let rotated = (angle * angle + 2.0 * ROUNDING_ANGLE * ROUNDING_ANGLE).sqrt();
    (rotated / std::f64::consts::PI).min(0.5)
}

/// Returns the smallest distance that the signatures of two vectors with at least this cosine do not exceed, with probability `recall`.
pub fn max_distance(bits: usize, cosine: f64, recall: f64) -> u32 {
    DistanceDistribution::at(bits, cosine).quantile(1.0 - recall)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COSINES: [f64; 8] = [0.0, 0.3, 0.5, 0.7, 0.8, 0.95, 0.999, 1.0];

    /// ln Γ(a) Γ(b) / Γ(a + b).
    fn ln_beta(a: f64, b: f64) -> f64 {
        libm::lgamma(a) + libm::lgamma(b) - libm::lgamma(a + b)
    }

    /// Returns the probability of a distance by its formula: C(n, d) · B(d + α, n − d + β) / B(α, β).
    fn by_formula(bits: usize, d: usize, p: f64, variance: f64) -> f64 {
        let (n, d) = (bits as f64, d as f64);
        let ways = -ln_beta(d + 1.0, n - d + 1.0) - libm::log(n + 1.0);
        if variance == 1.0 || bits == 1 {
            return libm::exp(ways + d * libm::log(p) + (n - d) * libm::log(1.0 - p));
        }
        let sum = (n - 1.0) / (variance - 1.0) - 1.0;
        let (alpha, beta) = (p * sum, (1.0 - p) * sum);
        libm::exp(ways + ln_beta(d + alpha, n - d + beta) - ln_beta(alpha, beta))
    }

    #[test]
    fn probabilities_match_the_formula() {
        for (bits, p) in [(1, 0.3), (2, 0.5), (64, 0.01), (1024, 0.2), (1024, 0.5), (4096, 0.1)] {
            for variance in [1.0, 1.1, 1.5] {
                let distances = DistanceDistribution::new(bits, p, variance);
                for (d, found) in distances.probabilities().iter().enumerate() {
                    let expected = by_formula(bits, d, p, variance);
                    assert!((found - expected).abs() < 1e-10, "{bits} {p} {d}: {found} {expected}");
                }
            }
        }
    }

    #[test]
    fn mean_and_variance_match_the_model() {
        for cosine in COSINES {
            let (distances, p) = (DistanceDistribution::at(1024, cosine), disagreement(cosine));
            let moment = |of: &dyn Fn(f64) -> f64| -> f64 {
                let terms = distances.probabilities().iter().enumerate();
                terms.map(|(d, probability)| probability * of(d as f64)).sum()
            };
            let mean = moment(&|d| d);
            let variance = moment(&|d| (d - mean) * (d - mean));
            assert!((mean - 1024.0 * p).abs() < 1e-6);
            assert!((variance - VARIANCE * 1024.0 * p * (1.0 - p)).abs() < 1e-4, "{variance}");
        }
    }

    #[test]
    fn the_maximum_distance_is_minimal() {
        for bits in [1, 64, 1000, 1024] {
            for cosine in COSINES {
                for recall in [0.5, 0.9, 0.999, 0.999_999] {
                    let most = max_distance(bits, cosine, recall) as usize;
                    let within = |most: usize| -> f64 {
                        let p = disagreement(cosine);
                        (0..=most).map(|d| by_formula(bits, d, p, VARIANCE)).sum()
                    };
                    assert!(within(most) >= recall - 1e-9, "{bits} {cosine} {recall}");
                    assert!(most == 0 || within(most - 1) <= recall + 1e-9, "{bits} {cosine}");
                }
                assert_eq!(max_distance(bits, cosine, 1.0) as usize, bits);
            }
        }
    }

    #[test]
    fn the_allowances_are_conservative() {
        for cosine in [0.5, 0.7, 0.8, 0.9, 0.95] {
            let p = libm::acos(cosine) / std::f64::consts::PI;
            let bias = (0.1 * p * (1.0 - p) / 1024.0).sqrt();
            for recall in [0.99, 0.999, 0.9999] {
                let most = max_distance(1024, cosine, recall);
                let beyond = |p: f64| DistanceDistribution::new(1024, p, 1.0).beyond(most);
                assert!(beyond(p) < 1.0 - recall, "independent bits");
                // Half of the pairs deviate to either side by the allowance.
                assert!((beyond(p - bias) + beyond(p + bias)) / 2.0 < 1.0 - recall);
                let theory = DistanceDistribution::new(1024, p, 1.0).quantile(1.0 - recall);
                assert!((1..=6).contains(&(most - theory)), "no more than needed: {most} {theory}");
            }
        }
    }

    #[test]
    fn known_values() {
        // Binomial, 1024 bits: 3.1 standard deviations of 12.9 above 209.7 at a cosine of 0.8.
        let p = libm::acos(0.8) / std::f64::consts::PI;
        assert_eq!(DistanceDistribution::new(1024, p, 1.0).quantile(0.001), 250);
        assert_eq!(max_distance(1024, 0.0, 1.0), 1024);
        assert!(max_distance(1024, 1.0, 0.999) < 24);
    }
}
