//! Are random vectors what they should be? Tests of their components, of each vector's balance, and of the angles between vectors.
//!
//! Components are whole numbers of a small step, so their distribution is known exactly: the probability of each of its values. Moments and the goodness of fit
//! are judged against *that* distribution, because enough components would tell any discrete distribution from N(0,1); how far it is from N(0,1) itself
//! is told beside it (`table_…`), which no sample is needed for. The Kolmogorov–Smirnov distance is taken at the values that occur; for a distribution with jumps
//! its p-value is an upper bound, here hardly above the truth, because no value has more than about a ten-thousandth of the probability.
//!
//! The p-values of single components and sums are those of the central limit theorem: for vectors of a few components they are rough. Vectors that were drawn
//! again until they were balanced are nearer to balance than chance; no test holds that against them.

#[cfg(test)]
mod tests;

use super::tails::{
    any_of, chi_square_upper, coin_lower, kolmogorov_upper, normal_two_sided, normal_upper,
    normal_upper_quantile,
};

/// Below this probability a statistic is called suspicious.
pub const SUSPICIOUS: f64 = 0.001;

/// One value of a component.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// The value, where 1 is the unit of N(0,1).
    pub value: f64,
    /// How probable it should be.
    pub probability: f64,
    /// How often it came.
    pub count: u64,
}

/// What was seen of one vector.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seen {
    /// The mean of its components.
    pub mean: f64,
    /// The mean of their squares.
    pub mean_square: f64,
    /// How many are above 0.
    pub positives: u64,
}

/// What was seen of all.
#[derive(Debug, Clone, PartialEq)]
pub struct Observed {
    /// All values that a component can have, ascending.
    pub levels: Vec<Level>,
    /// Whether these stand for N(0,1).
    pub is_normal: bool,
    /// Components of a vector, at least 1.
    pub terms: u64,
    /// The vectors, at least 1.
    pub vectors: Vec<Seen>,
    /// The cosines of the angles between some pairs of vectors.
    pub cosines: Vec<f64>,
    /// The share in per cent that must be above 0 and below 0, if any, and how many draws were thrown away for it.
    pub balance: Option<(f64, u64)>,
}

/// One test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Test {
    /// What is tested.
    pub name: &'static str,
    /// What was found.
    pub statistic: f64,
    /// What should be found; of a largest or least value, of a distance: the one that half of all samples stay below.
    pub expected: f64,
    /// By how many standard deviations the two differ, where that is what is looked at.
    pub z: Option<f64>,
    /// How probable it is that chance alone brings this or worse.
    pub p: Option<f64>,
    /// What is to be thought of it; `None` where it is only told.
    pub is_suspicious: Option<bool>,
}

/// All tests, in the order in which they are shown.
pub fn tests(seen: &Observed) -> Vec<Test> {
    let mut tests = moments(seen);
    if seen.is_normal {
        tests.push(fit_of_many(seen));
        tests.extend(table(&seen.levels));
    } else {
        tests.push(fit_of_few(seen));
    }
    tests.extend(balance(seen));
    tests.extend(vectors(seen));
    tests.extend(angles(seen));
    tests
}

/// A statistic that is normal around what is expected.
fn by_deviation(name: &'static str, statistic: f64, expected: f64, deviation: f64) -> Test {
    let z = (statistic - expected) / deviation;
    let test = by_probability(name, statistic, expected, normal_two_sided(z));
    Test { z: Some(z), ..test }
}

fn by_probability(name: &'static str, statistic: f64, expected: f64, p: f64) -> Test {
    let is_suspicious = Some(p < SUSPICIOUS);
    Test { name, statistic, expected, z: None, p: Some(p), is_suspicious }
}

/// The mean of a power of the components around a centre, by how often values came or by how probable they are.
fn moment(levels: &[Level], weight: impl Fn(&Level) -> f64, centre: f64, power: i32) -> f64 {
    let (mut sum, mut whole) = (0.0, 0.0);
    for level in levels {
        sum += weight(level) * (level.value - centre).powi(power);
        whole += weight(level);
    }
    sum / whole
}

/// The true moments of a component, over powers of the standard deviation from the fourth on.
struct Truth {
    variance: f64,
    fourth: f64,
    sixth: f64,
    eighth: f64,
}

impl Truth {
    fn of(levels: &[Level]) -> Self {
        let central = |power| moment(levels, |level| level.probability, 0.0, power);
        let variance = central(2);
        let over = |power: i32| central(power) / variance.powi(power / 2);
        Truth { variance, fourth: over(4), sixth: over(6), eighth: over(8) }
    }

    /// The standard deviation of a squared component.
    fn of_square(&self) -> f64 {
        self.variance * (self.fourth - 1.0).sqrt()
    }
}

/// Mean, variance, skewness and kurtosis, with the standard deviations that they have in large samples of a symmetric distribution (Cramér 1946, 27.7 and 27.8).
fn moments(seen: &Observed) -> Vec<Test> {
    let truth = Truth::of(&seen.levels);
    let count = |level: &Level| level.count as f64;
    let mean = moment(&seen.levels, count, 0.0, 1);
    let central = |power| moment(&seen.levels, count, mean, power);
    let variance = central(2);
    let root = (seen.terms as f64 * seen.vectors.len() as f64).sqrt();
    let (fourth, sixth, eighth) = (truth.fourth, truth.sixth, truth.eighth);
    let skewness_deviation = (sixth - 6.0 * fourth + 9.0).sqrt();
    let kurtosis_deviation =
        (eighth - 4.0 * fourth * sixth + 4.0 * fourth.powi(3) - fourth * fourth).sqrt();
    if variance == 0.0 {
        // A handful of components, all the same, have no shape.
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

/// Kolmogorov and Smirnov, at the values that occur.
fn fit_of_many(seen: &Observed) -> Test {
    let components = seen.levels.iter().map(|level| level.count).sum::<u64>() as f64;
    let (mut drawn, mut probable, mut farthest) = (0, 0.0, 0.0f64);
    for level in &seen.levels {
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

/// Pearson's chi-square over all values.
fn fit_of_few(seen: &Observed) -> Test {
    let components = seen.levels.iter().map(|level| level.count).sum::<u64>() as f64;
    let surplus = |level: &Level| {
        let expected = level.probability * components;
        (level.count as f64 - expected).powi(2) / expected
    };
    let statistic = seen.levels.iter().map(surplus).sum();
    let degrees = seen.levels.len() as f64 - 1.0;
    by_probability("chi_square", statistic, degrees, chi_square_upper(statistic, degrees))
}

/// How far the values themselves are from N(0,1), however they are drawn: what the making of components promises.
fn table(levels: &[Level]) -> Vec<Test> {
    /// Half of the probability of the most probable value, and the rounding of its limits.
    const FARTHEST: f64 = 2e-4;
    /// The outermost part of the distribution is one value, so that the tails are a little short.
    const MISSING_VARIANCE: f64 = 2e-4;
    const MISSING_KURTOSIS: f64 = 1e-2;
    let truth = Truth::of(levels);
    let (mut probable, mut farthest) = (0.0, 0.0f64);
    for level in levels {
        let normal = normal_upper(-level.value);
        farthest = farthest.max((normal - probable).abs());
        probable += level.probability;
        farthest = farthest.max((normal - probable).abs());
    }
    let told = |name, statistic: f64, expected: f64, most: f64| {
        let is_suspicious = Some((statistic - expected).abs() > most);
        Test { name, statistic, expected, z: None, p: None, is_suspicious }
    };
    vec![
        told("table_variance", truth.variance, 1.0, MISSING_VARIANCE),
        told("table_kurtosis", truth.fourth, 3.0, MISSING_KURTOSIS),
        told("table_distance", farthest, 0.0, FARTHEST),
    ]
}

/// The share of components above 0, of all and of the vectors with the fewest and the most, and how often vectors were drawn again.
fn balance(seen: &Observed) -> Vec<Test> {
    let (terms, count) = (seen.terms as f64, seen.vectors.len() as f64);
    let positives = || seen.vectors.iter().map(|vector| vector.positives);
    let share = positives().sum::<u64>() as f64 / (terms * count);
    let (least, most) = (positives().min().unwrap_or(0), positives().max().unwrap_or(0));
    // The farther of so many is beyond this in half of the cases.
    let usual = normal_upper_quantile(1.0 - libm::exp2(-1.0 / count)) / (2.0 * terms.sqrt());
    let least_p = any_of(coin_lower(least, seen.terms), count);
    let most_p = any_of(coin_lower(seen.terms - most, seen.terms), count);
    let mut tests = vec![
        by_deviation("share_above_zero", share, 0.5, 0.5 / (terms * count).sqrt()),
        by_probability("least_share_above_zero", least as f64 / terms, 0.5 - usual, least_p),
        by_probability("greatest_share_above_zero", most as f64 / terms, 0.5 + usual, most_p),
    ];
    tests.extend(seen.balance.map(|(percent, redraws)| redrawn(seen, percent, redraws)));
    tests
}

/// How often vectors were drawn again: each as often as a coin fails before it succeeds.
fn redrawn(seen: &Observed, percent: f64, redraws: u64) -> Test {
    // The most components that are not more than so many per cent.
    let too_few = (percent * seen.terms as f64 / 100.0).floor() as u64;
    let failure = (2.0 * coin_lower(too_few, seen.terms)).min(1.0);
    let expected = seen.vectors.len() as f64 * failure / (1.0 - failure);
    let (statistic, name) = (redraws as f64, "redrawn_vectors");
    Test { name, statistic, expected, z: None, p: None, is_suspicious: None }
}

/// Whether means and variances scatter from vector to vector as they should: sums of squared deviations, one a vector.
fn vectors(seen: &Observed) -> Vec<Test> {
    let truth = Truth::of(&seen.levels);
    let (terms, count) = (seen.terms as f64, seen.vectors.len() as f64);
    let of_mean = |vector: &Seen| vector.mean * vector.mean * terms / truth.variance;
    let of_square =
        |vector: &Seen| ((vector.mean_square - truth.variance) / truth.of_square()).powi(2) * terms;
    let means: f64 = seen.vectors.iter().map(of_mean).sum();
    let squares: f64 = seen.vectors.iter().map(of_square).sum();
    // A sum of squares of n components is not yet normal: its own fourth moment is over 3 by that of one square, over n.
    let excess = squares_excess(&seen.levels, &truth) / terms;
    vec![
        by_probability("vector_means", means, count, chi_square_upper(means, count)),
        by_deviation("vector_variances", squares, count, (count * (2.0 + excess)).sqrt()),
    ]
}

/// The fourth moment of a squared component around its mean, over the square of its variance, less 3.
fn squares_excess(levels: &[Level], truth: &Truth) -> f64 {
    let of = |level: &Level| ((level.value.powi(2) - truth.variance) / truth.of_square()).powi(4);
    levels.iter().map(|level| level.probability * of(level)).sum::<f64>() - 3.0
}

/// Angles: a cosine has mean 0 and variance 1/n, its square the variance 2(n − 1)/(n²(n + 2)), as if the two directions were uniform.
fn angles(seen: &Observed) -> Vec<Test> {
    let (terms, pairs) = (seen.terms as f64, seen.cosines.len() as f64);
    if seen.cosines.is_empty() || seen.terms == 1 {
        // Vectors of one component have no angles but 0 and π.
        return Vec::new();
    }
    let mean = seen.cosines.iter().sum::<f64>() / pairs;
    let square = seen.cosines.iter().map(|cosine| cosine * cosine).sum::<f64>() / pairs;
    let largest = seen.cosines.iter().fold(0.0f64, |largest, cosine| largest.max(cosine.abs()));
    let square_deviation = (2.0 * (terms - 1.0) / (terms + 2.0)).sqrt() / terms / pairs.sqrt();
    let square = by_deviation("", square, 1.0 / terms, square_deviation);
    let usual = normal_upper_quantile(0.5 * (1.0 - libm::exp2(-1.0 / pairs))) / terms.sqrt();
    let beyond = any_of(normal_two_sided(largest * terms.sqrt()), pairs);
    vec![
        by_deviation("cosine_mean", mean, 0.0, 1.0 / (terms * pairs).sqrt()),
        Test {
            name: "cosine_deviation",
            statistic: square.statistic.sqrt(),
            expected: square.expected.sqrt(),
            ..square
        },
        by_probability("cosine_largest", largest, usual.min(1.0), beyond),
    ]
}
