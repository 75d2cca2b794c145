//! Tests of random vectors: the distribution of components, the balance of each vector, the angles between vectors.
//!
//! Components are multiples of a small step, so the probability of each value is known exactly. Moments and goodness of fit are tested
//! against *that* distribution, because enough components would distinguish any discrete distribution from N(0,1). Its distance from N(0,1)
//! (`table_…`) needs no sample. The Kolmogorov–Smirnov distance is taken at the values that occur; for a discrete distribution its p-value is
//! an upper bound, here a tight one: no value has a probability above about 0.0001.
//!
//! p-values of single components and sums rely on the central limit theorem and are rough for short vectors. Redrawn vectors are closer to
//! balance than chance; no test counts that as suspicious.

#[cfg(test)]
mod tests;

use super::tails::{
    any_of, chi_square_upper, coin_lower, kolmogorov_upper, normal_two_sided, normal_upper,
    normal_upper_quantile,
};

/// Significance level: smaller p-values are suspicious.
pub const SUSPICIOUS: f64 = 0.001;

/// Probability and frequency of one value of a component.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ValueCount {
    /// The value, in standard deviations of N(0,1).
    pub value: f64,
    /// Its probability.
    pub probability: f64,
    /// Its number of occurrences.
    pub count: u64,
}

/// Moments of one vector.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VectorMoments {
    /// The mean of its components.
    pub mean: f64,
    /// The mean of their squares.
    pub mean_square: f64,
    /// Number of components above 0.
    pub positives: u64,
}

/// Statistics of a sample of vectors.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorSample {
    /// All possible values of a component, ascending.
    pub levels: Vec<ValueCount>,
    /// Whether they approximate N(0,1).
    pub is_normal: bool,
    /// Number of components per vector, at least 1.
    pub terms: u64,
    /// The vectors, at least 1.
    pub vectors: Vec<VectorMoments>,
    /// Cosines of some pairs of vectors.
    pub cosines: Vec<f64>,
    /// Required share in percent of components above and below 0, and the number of vectors redrawn for it.
    pub balance: Option<(f64, u64)>,
}

/// Outcome of one test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RandomnessTest {
    /// The name of the statistic.
    pub name: &'static str,
    /// The value of the statistic.
    pub statistic: f64,
    /// The expected value; for extremes and distances the median.
    pub expected: f64,
    /// Their difference in standard deviations, if the test uses it.
    pub z: Option<f64>,
    /// The p-value.
    pub p: Option<f64>,
    /// The verdict; `None` for descriptive values.
    pub is_suspicious: Option<bool>,
}

/// Runs all tests, in output order.
pub fn tests(sample: &VectorSample) -> Vec<RandomnessTest> {
    let mut tests = moments(sample);
    if sample.is_normal {
        tests.push(fit_of_many(sample));
        tests.extend(table(&sample.levels));
    } else {
        tests.push(fit_of_few(sample));
    }
    tests.extend(balance(sample));
    tests.extend(vectors(sample));
    tests.extend(angles(sample));
    tests
}

/// Tests a normally distributed statistic.
fn by_deviation(
    name: &'static str,
    statistic: f64,
    expected: f64,
    deviation: f64,
) -> RandomnessTest {
    let z = (statistic - expected) / deviation;
    let test = by_probability(name, statistic, expected, normal_two_sided(z));
    RandomnessTest { z: Some(z), ..test }
}

fn by_probability(name: &'static str, statistic: f64, expected: f64, p: f64) -> RandomnessTest {
    let is_suspicious = Some(p < SUSPICIOUS);
    RandomnessTest { name, statistic, expected, z: None, p: Some(p), is_suspicious }
}

/// Returns a moment of the components around a center, weighted by frequency or probability.
fn moment(
    levels: &[ValueCount],
    weight: impl Fn(&ValueCount) -> f64,
    center: f64,
    power: i32,
) -> f64 {
    let (mut sum, mut whole) = (0.0, 0.0);
    for level in levels {
        sum += weight(level) * (level.value - center).powi(power);
        whole += weight(level);
    }
    sum / whole
}

/// Exact moments of a component; from the fourth on, standardized.
struct ExactMoments {
    variance: f64,
    fourth: f64,
    sixth: f64,
    eighth: f64,
}

impl ExactMoments {
    fn of(levels: &[ValueCount]) -> Self {
        let central = |power| moment(levels, |level| level.probability, 0.0, power);
        let variance = central(2);
        let over = |power: i32| central(power) / variance.powi(power / 2);
        ExactMoments { variance, fourth: over(4), sixth: over(6), eighth: over(8) }
    }

    /// Returns the standard deviation of a squared component.
    fn of_square(&self) -> f64 {
        self.variance * (self.fourth - 1.0).sqrt()
    }
}

/// Tests mean, variance, skewness and kurtosis, with their large-sample deviations for a symmetric distribution (Cramér, 1946, 27.7 and 27.8).
fn moments(sample: &VectorSample) -> Vec<RandomnessTest> {
    let truth = ExactMoments::of(&sample.levels);
    let count = |level: &ValueCount| level.count as f64;
    let mean = moment(&sample.levels, count, 0.0, 1);
    let central = |power| moment(&sample.levels, count, mean, power);
    let variance = central(2);
    let root = (sample.terms as f64 * sample.vectors.len() as f64).sqrt();
    let (fourth, sixth, eighth) = (truth.fourth, truth.sixth, truth.eighth);
    let skewness_deviation = (sixth - 6.0 * fourth + 9.0).sqrt();
    let kurtosis_deviation =
        (eighth - 4.0 * fourth * sixth + 4.0 * fourth.powi(3) - fourth * fourth).sqrt();
    if variance == 0.0 {
        // Equal components have no skewness and no kurtosis.
        let deviation = truth.variance.sqrt() / root;
        return vec![by_deviation("mean", mean, 0.0, deviation)];
    }
    let skewness = central(3) / (variance * variance.sqrt());
    let kurtosis = central(4) / (variance * variance);
    vec![
        by_deviation("mean", mean, 0.0, truth.variance.sqrt() / root),
        by_deviation("variance", variance, truth.variance, truth.of_square() / root),
        by_deviation("skewness", skewness, 0.0, skewness_deviation / root),
        by_deviation("kurtosis", kurtosis, fourth, kurtosis_deviation / root),
    ]
}

/// Kolmogorov–Smirnov test at the values that occur.
fn fit_of_many(sample: &VectorSample) -> RandomnessTest {
    let components = sample.levels.iter().map(|level| level.count).sum::<u64>() as f64;
    let (mut drawn, mut probable, mut farthest) = (0, 0.0, 0.0f64);
    for level in &sample.levels {
        drawn += level.count;
        probable += level.probability;
        farthest = farthest.max((drawn as f64 / components - probable).abs());
    }
    /// The median of Kolmogorov's distribution.
    const MEDIAN: f64 = 0.827_573_555_189_905_8;
    let expected = MEDIAN / components.sqrt();
    let p = kolmogorov_upper(farthest, components);
    by_probability("kolmogorov_smirnov", farthest, expected, p)
}

/// Pearson's chi-square test over all values.
fn fit_of_few(sample: &VectorSample) -> RandomnessTest {
    let components = sample.levels.iter().map(|level| level.count).sum::<u64>() as f64;
    let surplus = |level: &ValueCount| {
        let expected = level.probability * components;
        (level.count as f64 - expected).powi(2) / expected
    };
    let statistic = sample.levels.iter().map(surplus).sum();
    let degrees = sample.levels.len() as f64 - 1.0;
    by_probability("chi_square", statistic, degrees, chi_square_upper(statistic, degrees))
}

/// Checks the distance of the exact distribution from N(0,1) against the design of the components.
fn table(levels: &[ValueCount]) -> Vec<RandomnessTest> {
    /// Half the probability of the most probable value, plus rounding.
    const MAX_DISTANCE: f64 = 2e-4;
    /// The outermost values are merged into one, which shortens the tails.
    const MISSING_VARIANCE: f64 = 2e-4;
    const MISSING_KURTOSIS: f64 = 1e-2;
    let truth = ExactMoments::of(levels);
    let (mut probable, mut farthest) = (0.0, 0.0f64);
    for level in levels {
        let normal = normal_upper(-level.value);
        farthest = farthest.max((normal - probable).abs());
        probable += level.probability;
        farthest = farthest.max((normal - probable).abs());
    }
    let check = |name, statistic: f64, expected: f64, tolerance: f64| {
        let is_suspicious = Some((statistic - expected).abs() > tolerance);
        RandomnessTest { name, statistic, expected, z: None, p: None, is_suspicious }
    };
    vec![
        check("table_variance", truth.variance, 1.0, MISSING_VARIANCE),
        check("table_kurtosis", truth.fourth, 3.0, MISSING_KURTOSIS),
        check("table_distance", farthest, 0.0, MAX_DISTANCE),
    ]
}

/// Tests the share of components above 0: of all, and of the vectors with the fewest and the most; reports redraws.
fn balance(sample: &VectorSample) -> Vec<RandomnessTest> {
    let (terms, count) = (sample.terms as f64, sample.vectors.len() as f64);
    let positives = || sample.vectors.iter().map(|vector| vector.positives);
    let share = positives().sum::<u64>() as f64 / (terms * count);
    let (least, most) = (positives().min().unwrap_or(0), positives().max().unwrap_or(0));
    // Median of the extreme of `count` deviations.
    let median = normal_upper_quantile(1.0 - libm::exp2(-1.0 / count)) / (2.0 * terms.sqrt());
    let least_p = any_of(coin_lower(least, sample.terms), count);
    let most_p = any_of(coin_lower(sample.terms - most, sample.terms), count);
    let mut tests = vec![
        by_deviation("share_above_zero", share, 0.5, 0.5 / (terms * count).sqrt()),
        by_probability("least_share_above_zero", least as f64 / terms, 0.5 - median, least_p),
        by_probability("greatest_share_above_zero", most as f64 / terms, 0.5 + median, most_p),
    ];
    tests.extend(sample.balance.map(|(percent, redraws)| redrawn(sample, percent, redraws)));
    tests
}

/// Reports the number of redrawn vectors; the expected number is that of failures before the first success.
fn redrawn(sample: &VectorSample, percent: f64, redraws: u64) -> RandomnessTest {
    // Maximum number of components that is not above the required share.
    let too_few = (percent * sample.terms as f64 / 100.0).floor() as u64;
    let failure = (2.0 * coin_lower(too_few, sample.terms)).min(1.0);
    let expected = sample.vectors.len() as f64 * failure / (1.0 - failure);
    let (statistic, name) = (redraws as f64, "redrawn_vectors");
    RandomnessTest { name, statistic, expected, z: None, p: None, is_suspicious: None }
}

/// Tests the spread of means and variances between vectors: sums of one squared deviation per vector.
fn vectors(sample: &VectorSample) -> Vec<RandomnessTest> {
    let truth = ExactMoments::of(&sample.levels);
    let (terms, count) = (sample.terms as f64, sample.vectors.len() as f64);
    let of_mean = |vector: &VectorMoments| vector.mean * vector.mean * terms / truth.variance;
    let of_square = |vector: &VectorMoments| {
        ((vector.mean_square - truth.variance) / truth.of_square()).powi(2) * terms
    };
    let means: f64 = sample.vectors.iter().map(of_mean).sum();
    let squares: f64 = sample.vectors.iter().map(of_square).sum();
    // A sum of squares of n components has the excess kurtosis of one square, divided by n.
    let excess = squares_excess(&sample.levels, &truth) / terms;
    vec![
        by_probability("vector_means", means, count, chi_square_upper(means, count)),
        by_deviation("vector_variances", squares, count, (count * (2.0 + excess)).sqrt()),
    ]
}

/// Returns the excess kurtosis of a squared component.
fn squares_excess(levels: &[ValueCount], truth: &ExactMoments) -> f64 {
    let of =
        |level: &ValueCount| ((level.value.powi(2) - truth.variance) / truth.of_square()).powi(4);
    levels.iter().map(|level| level.probability * of(level)).sum::<f64>() - 3.0
}

/// Tests angles: for uniform directions, a cosine has mean 0 and variance 1/n, its square the variance 2(n − 1)/(n²(n + 2)).
fn angles(sample: &VectorSample) -> Vec<RandomnessTest> {
    let (terms, pairs) = (sample.terms as f64, sample.cosines.len() as f64);
    if sample.cosines.is_empty() || sample.terms == 1 {
        // Vectors of one component have only the angles 0 and π.
        return Vec::new();
    }
    let mean = sample.cosines.iter().sum::<f64>() / pairs;
    let square = sample.cosines.iter().map(|cosine| cosine * cosine).sum::<f64>() / pairs;
    let largest = sample.cosines.iter().fold(0.0f64, |largest, cosine| largest.max(cosine.abs()));
    let square_deviation = (2.0 * (terms - 1.0) / (terms + 2.0)).sqrt() / terms / pairs.sqrt();
    let square = by_deviation("", square, 1.0 / terms, square_deviation);
    let median = normal_upper_quantile(0.5 * (1.0 - libm::exp2(-1.0 / pairs))) / terms.sqrt();
    let beyond = any_of(normal_two_sided(largest * terms.sqrt()), pairs);
    vec![
        by_deviation("cosine_mean", mean, 0.0, 1.0 / (terms * pairs).sqrt()),
        RandomnessTest {
            name: "cosine_deviation",
            statistic: square.statistic.sqrt(),
            expected: square.expected.sqrt(),
            ..square
        },
        by_probability("cosine_largest", largest, median.min(1.0), beyond),
    ]
}
