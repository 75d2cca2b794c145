//! Statistical tests of signatures against theory.
//!
//! All seeds are fixed, so no test passes or fails by chance. A correct program would pass with other seeds, too: limits are 4.5 standard
//! errors, exceeded by chance once in 150,000 tests, or error probabilities divided by the number of tests.

use std::collections::BTreeMap;
use std::f64::consts::{PI, SQRT_2};
use std::sync::LazyLock;

use nearsig::signature::Hyperplanes;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use crate::common::Work;

/// Maximum distance of a measured value from its expectation, in standard errors.
const STANDARD_ERRORS: f64 = 4.5;

// ---- Probability of equal bits ----

/// Returns two vectors of length one at an angle with this cosine, in a random plane of this many dimensions.
fn planted(cosine: f64, dimensions: usize, generator: &mut ChaCha8Rng) -> [Vec<f64>; 2] {
    let mut random = || -> Vec<f64> {
        (0..dimensions).map(|_| StandardNormal.sample(&mut *generator)).collect()
    };
    let one = scaled_to_one(random());
    let other = random();
    let along = dot(&one, &other);
    let across = other.iter().zip(&one).map(|(o, u)| o - along * u).collect();
    let across = scaled_to_one(across);
    let sine = (1.0 - cosine * cosine).sqrt();
    let second = one.iter().zip(&across).map(|(u, v)| cosine * u + sine * v).collect();
    [one, second]
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(l, r)| l * r).sum()
}

fn scaled_to_one(vector: Vec<f64>) -> Vec<f64> {
    let length = dot(&vector, &vector).sqrt();
    vector.into_iter().map(|value| value / length).collect()
}

/// Returns a line of a VEC file with a component for every term.
fn dense_line(name: &str, vector: &[f64]) -> String {
    let items: String = vector
        .iter()
        .enumerate()
        .map(|(index, value)| format!(" {index}:{}", *value as f32))
        .collect();
    format!("{name}:{}{items}\n", vector.len())
}

/// Writes VEC lines and signs them; returns the signatures' bits by name.
fn signed(lines: &[String], terms: usize, bits: usize, seed: u64) -> BTreeMap<String, Vec<bool>> {
    let work = Work::new();
    write_vectors(&work, lines, terms);
    work.ok(&format!(
        "create_sigs -vec_paths vec_paths -sig_len {bits} -sig_dir sigs -sig_paths sig_paths -rnd_seed {seed}"
    ));
    let list = work.read("sig_paths");
    let text: String = list.lines().skip(3).map(|path| work.read(path)).collect();
    let mut signatures = BTreeMap::new();
    for line in text.lines() {
        let (hex, names) = line.split_once(':').unwrap();
        let digits = hex.chars().map(|digit| digit.to_digit(16).unwrap());
        let bits: Vec<bool> =
            digits.flat_map(|digit| [8, 4, 2, 1].map(|bit| digit & bit != 0)).collect();
        names
            .split(' ')
            .skip(1)
            .for_each(|name| drop(signatures.insert(name.into(), bits.clone())));
    }
    signatures
}

fn write_vectors(work: &Work, lines: &[String], terms: usize) {
    let count = lines.len();
    work.write("vecs", lines.concat());
    work.write(
        "vec_paths",
        format!(
            "USING_TF\nVELIKOST_SLOVNIKU {terms}\nVELIKOST_KOLEKCE {count}\nPOCET_ZAZNAMU_VE_VEC_SOUBORECH {count}\nvecs\n"
        ),
    );
}

fn agreeing(left: &[bool], right: &[bool]) -> usize {
    left.iter().zip(right).filter(|(l, r)| l == r).count()
}

/// Returns the probability that a random hyperplane does not separate vectors with this cosine.
fn equal_bit_probability(cosine: f64) -> f64 {
    1.0 - cosine.acos() / PI
}

#[test]
fn bits_are_equal_with_the_probability_that_the_angle_gives() {
    const BITS: usize = 16384;
    const TERMS: usize = 40;
    let cosines = [0.99, 0.95, 0.8, 0.5, 0.2, 0.0, -0.5, -0.9];
    for seed in [1, 2, 2007] {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        let mut lines = Vec::new();
        for (number, cosine) in cosines.iter().enumerate() {
            let [one, other] = planted(*cosine, TERMS, &mut generator);
            lines.push(dense_line(&format!("one{number}"), &one));
            lines.push(dense_line(&format!("other{number}"), &other));
        }
        let signatures = signed(&lines, TERMS, BITS, seed);
        for (number, cosine) in cosines.iter().enumerate() {
            let (one, other) =
                (&signatures[&format!("one{number}")], &signatures[&format!("other{number}")]);
            let share = agreeing(one, other) as f64 / BITS as f64;
            let p = equal_bit_probability(*cosine);
            let error = (p * (1.0 - p) / BITS as f64).sqrt();
            let away = (share - p) / error;
            assert!(
                away.abs() < STANDARD_ERRORS,
                "seed {seed}, cosine {cosine}: {away} errors away"
            );
        }
    }
}

#[test]
fn only_the_direction_of_a_vector_matters() {
    let [vector, _] = planted(0.0, 30, &mut ChaCha8Rng::seed_from_u64(5));
    let times = |factor: f64| vector.iter().map(|value| value * factor).collect::<Vec<f64>>();
    let mut lines = vec![dense_line("opposite", &times(-1.0))];
    // Powers of two, so that no component is rounded.
    for power in [-90, -1, 0, 1, 90] {
        lines.push(dense_line(&format!("times{power}"), &times(2f64.powi(power))));
    }
    let signatures = signed(&lines, 30, 4096, 7);
    for power in [-90, -1, 1, 90] {
        assert_eq!(signatures[&format!("times{power}")], signatures["times0"], "2^{power}");
    }
    assert_eq!(agreeing(&signatures["opposite"], &signatures["times0"]), 0);
}

// ---- Hyperplanes ----

/// Presumably independent standard normal numbers in rows: one row per hyperplane, or per term.
struct Rows(Vec<Vec<f64>>);

/// Rows per test, and numbers per row.
const ROWS: usize = 64;
const LENGTH: usize = 4096;

impl Rows {
    /// Random vectors of `LENGTH` components.
    fn by_vector(seed: u64) -> Self {
        let terms = Self::by_term_of(&Hyperplanes::new(seed, ROWS, LENGTH));
        Rows((0..ROWS).map(|bit| terms.iter().map(|row| row[bit]).collect()).collect())
    }

    /// Returns the components of some terms in `LENGTH` random vectors.
    fn by_term(seed: u64) -> Self {
        Rows(Self::by_term_of(&Hyperplanes::new(seed, LENGTH, ROWS)))
    }

    fn by_term_of(planes: &Hyperplanes) -> Vec<Vec<f64>> {
        let mut row = vec![0; planes.bits()];
        let mut components = |term| {
            planes.row(term, &mut row);
            row.iter().map(|value| f64::from(*value) / nearsig::signature::normal::ONE).collect()
        };
        (0..planes.terms()).map(&mut components).collect()
    }

    fn all(&self) -> Vec<f64> {
        self.0.concat()
    }
}

/// Returns both views of the hyperplanes, for several seeds.
fn for_each_view(check: impl Fn(&Rows, &str)) {
    for seed in [1, 2007, u64::MAX] {
        check(&Rows::by_vector(seed), &format!("vectors, seed {seed}"));
        check(&Rows::by_term(seed), &format!("terms, seed {seed}"));
    }
}

/// Returns the probability of a standard normal number up to `x`.
fn normal_probability(x: f64) -> f64 {
    0.5 * libm::erfc(-x / SQRT_2)
}

/// Returns the Kolmogorov–Smirnov statistic against N(0,1), times the root of the number of values.
fn kolmogorov_smirnov(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len() as f64;
    let gap = |(at, value): (usize, &f64)| {
        let p = normal_probability(*value);
        (p - at as f64 / count).max((at + 1) as f64 / count - p)
    };
    sorted.iter().enumerate().map(gap).fold(0.0, f64::max) * count.sqrt()
}

/// Returns the value exceeded with this probability by standard normal values (Smirnov's limit law, first term).
fn kolmogorov_smirnov_limit(probability: f64) -> f64 {
    (-(probability / 2.0).ln() / 2.0).sqrt()
}

/// Returns the mean of a function, in standard errors from the expectation for standard normal numbers, given mean and variance.
fn deviation(values: &[f64], function: impl Fn(f64) -> f64, mean: f64, variance: f64) -> f64 {
    let sum: f64 = values.iter().map(|value| function(*value) - mean).sum();
    sum / (variance * values.len() as f64).sqrt()
}

#[test]
fn components_are_standard_normal() {
    let limit = kolmogorov_smirnov_limit(0.001 / ROWS as f64);
    for_each_view(|rows, view| {
        for (number, row) in rows.0.iter().enumerate() {
            let statistic = kolmogorov_smirnov(row);
            assert!(statistic < limit, "{view}, row {number}: {statistic} exceeds {limit}");
        }
        let (statistic, limit) = (kolmogorov_smirnov(&rows.all()), kolmogorov_smirnov_limit(0.001));
        assert!(statistic < limit, "{view}, all: {statistic} exceeds {limit}");
    });
}

#[test]
fn components_have_the_moments_and_tails_of_normal_numbers() {
    let sign = |x: f64| if x > 0.0 { 1.0 } else { -1.0 };
    let outside = |limit: f64| move |x: f64| f64::from(u8::from(x.abs() > limit));
    for_each_view(|rows, view| {
        for (number, row) in rows.0.iter().enumerate() {
            let mean = deviation(row, |x| x, 0.0, 1.0);
            let square = deviation(row, |x| x * x, 1.0, 2.0);
            let balance = deviation(row, sign, 0.0, 1.0);
            for away in [mean, square, balance] {
                assert!(away.abs() < STANDARD_ERRORS, "{view}, row {number}: {away} errors away");
            }
        }
        // Higher moments and rare values need all the numbers. E x⁶ = 15 and E x⁸ = 105.
        let all = rows.all();
        let third = deviation(&all, |x| x.powi(3), 0.0, 15.0);
        let fourth = deviation(&all, |x| x.powi(4), 3.0, 105.0 - 9.0);
        assert!(third.abs() < STANDARD_ERRORS && fourth.abs() < STANDARD_ERRORS, "{view}");
        for limit in [1.0, 2.0, 3.0, 3.5, 4.0] {
            let p = 2.0 * normal_probability(-limit);
            let away = deviation(&all, outside(limit), p, p * (1.0 - p));
            assert!(away.abs() < STANDARD_ERRORS, "{view}, beyond {limit}: {away} errors away");
        }
    });
}

#[test]
fn random_vectors_are_nearly_orthogonal_and_so_are_terms() {
    for_each_view(|rows, view| {
        let mut squares = Vec::new();
        for (number, row) in rows.0.iter().enumerate() {
            for (other_number, other) in rows.0.iter().enumerate().skip(number + 1) {
                // The product of two independent standard normal numbers has mean 0 and variance 1.
                let away = dot(row, other) / (LENGTH as f64).sqrt();
                // Two thousand pairs: one in 800 such tests exceeds this by chance.
                assert!(away.abs() < 5.0, "{view}, {number} and {other_number}: {away} errors");
                squares.push(away * away);
            }
        }
        // All together must be unbiased, too: squares of standard normal numbers have mean 1 and variance 2.
        let away = deviation(&squares, |square| square, 1.0, 2.0);
        assert!(away.abs() < STANDARD_ERRORS, "{view}: {away} errors away");
    });
}

#[test]
fn neighbouring_components_know_nothing_of_each_other() {
    // Correlated magnitudes are as bad as correlated values, and products do not detect them.
    let size = |x: f64| (x * x - 1.0) / SQRT_2;
    for_each_view(|rows, view| {
        for lag in 1..=16 {
            let pairs: Vec<(f64, f64)> = rows
                .0
                .iter()
                .flat_map(|row| row.iter().copied().zip(row[lag..].iter().copied()))
                .collect();
            let values: Vec<f64> = pairs.iter().map(|(one, other)| one * other).collect();
            let sizes: Vec<f64> =
                pairs.iter().map(|(one, other)| size(*one) * size(*other)).collect();
            for products in [values, sizes] {
                let away = deviation(&products, |product| product, 0.0, 1.0);
                assert!(away.abs() < STANDARD_ERRORS, "{view}, {lag} apart: {away} errors away");
            }
        }
    });
}

// ---- Measures ----

/// Planted pairs, and the range of their cosines in percent.
const PAIRS: usize = 10_000;
const LOWEST: f64 = 60.0;
const HIGHEST: f64 = 100.0;
/// Signature lengths: the second is four times the first.
const LENGTHS: [usize; 2] = [256, 1024];

/// Returns the cosine of a planted pair: evenly spread, so that each of the 40 bins gets 250 pairs.
fn planted_cosine(pair: usize) -> f64 {
    (LOWEST + (HIGHEST - LOWEST) * (pair as f64 + 0.5) / PAIRS as f64) / 100.0
}

type Measures = BTreeMap<String, f64>;

/// The measures for both lengths of signatures, on one collection of planted pairs.
///
/// Each pair lives on two terms that no other pair has. Its agreeing bits then depend only on the components of these two terms, so
/// different pairs are independent, and a bin's variance of `h` is that of 250 independent binomial numbers: its relative standard error is
/// the root of 2/249, and that of S, the mean over 40 bins, 1.5 % (1.04 · √(2/249/40), where 1.04 allows for bins of unequal
/// variance). One document against all others would not do: all its pairs share its signature, so their errors
/// correlate and their variance is too small.
///
/// Cosines start at 60 % so that thresholds can keep the two hundred million unrelated pairs out of the results without losing
/// planted ones: at 256 bits unrelated documents agree in 50 ± 3 % of the bits, planted pairs in at least 70 ± 3 %, and the threshold is 60 %.
static MEASURED: LazyLock<[Measures; 2]> = LazyLock::new(|| {
    let work = Work::new();
    let mut lines = Vec::new();
    let mut sample = String::new();
    for pair in 0..PAIRS {
        let cosine = planted_cosine(pair);
        let sine = (1.0 - cosine * cosine).sqrt();
        // All quadrants in turn.
        let (first, second) =
            (if pair % 2 == 0 { 1.0 } else { -1.0 }, if pair % 4 < 2 { 1.0 } else { -1.0 });
        let (one, other) = (2 * pair, 2 * pair + 1);
        lines.push(format!("s{pair}:1 {one}:{first}\n"));
        let (near, far) = ((first * cosine) as f32, (second * sine) as f32);
        lines.push(format!("p{pair}:2 {one}:{near} {other}:{far}\n"));
        sample += &format!("s{pair}\n");
    }
    write_vectors(&work, &lines, 2 * PAIRS);
    work.write("sample_list", sample);
    work.ok("similarity -vec_paths vec_paths -out sim -threshold 50 -sample_list sample_list");
    LENGTHS.map(|bits| measured(&work, bits))
});

fn measured(work: &Work, bits: usize) -> Measures {
    work.ok(&format!(
        "create_sigs -vec_paths vec_paths -sig_len {bits} -sig_dir sigs{bits} -sig_paths sig_paths{bits}"
    ));
    work.ok(&format!(
        "hamming_full -sig_paths sig_paths{bits} -out ham -threshold 60 -sample_list sample_list"
    ));
    work.ok(&format!(
        "compare_results -sim sim -ham ham -out compared -summary summary.json -sig_len {bits}"
    ));
    serde_json::from_str(&work.read("summary.json")).unwrap()
}

#[track_caller]
fn assert_within(value: f64, expected: f64, per_cent: f64) {
    let away = 100.0 * (value / expected - 1.0);
    assert!(away.abs() < per_cent, "{value} instead of {expected}: {away} % away");
}

#[test]
fn the_planted_pairs_and_no_others_are_measured() {
    for measures in &*MEASURED {
        assert_eq!(measures["documents"], PAIRS as f64);
        assert_eq!(measures["pairs_both"] + measures["pairs_sim_only"], PAIRS as f64);
        // Too few to affect S.
        assert!(measures["pairs_sim_only"] <= 5.0, "{}", measures["pairs_sim_only"]);
        assert_eq!(measures["S_bins"], HIGHEST - LOWEST);
    }
}

/// Returns the expected S: the binomial variance plus that of the probabilities in a bin, averaged over the bins.
fn expected_scatter(bits: usize) -> (f64, f64) {
    let (mut sampling, mut width) = (0.0, 0.0);
    let bins = (HIGHEST - LOWEST) as usize;
    let pairs: Vec<f64> =
        (0..PAIRS).map(|pair| equal_bit_probability(planted_cosine(pair))).collect();
    for bin in pairs.chunks(PAIRS / bins) {
        let count = bin.len() as f64;
        let mean = bin.iter().sum::<f64>() / count;
        sampling += 1e4 * bin.iter().map(|p| p * (1.0 - p)).sum::<f64>() / count / bits as f64;
        width += 1e4 * bin.iter().map(|p| (p - mean).powi(2)).sum::<f64>() / (count - 1.0);
    }
    (sampling / bins as f64, width / bins as f64)
}

#[test]
fn the_scatter_is_what_the_binomial_law_says() {
    for (bits, measures) in LENGTHS.into_iter().zip(&*MEASURED) {
        let (sampling, width) = expected_scatter(bits);
        // The only differences are pairs lost to the threshold and rounded cosines.
        assert_within(measures["S_theory"], sampling, 0.1);
        assert_within(measures["S_theory_with_bin_width"], sampling + width, 0.1);
        assert_within(measures["S"], measures["S_theory_with_bin_width"], 5.0);
        assert_within(measures["S"], measures["S_theory"], 5.0 + 100.0 * width / sampling);
    }
}

#[test]
fn four_times_the_bits_quarter_the_scatter() {
    let [short, long] = &*MEASURED;
    assert_within(short["S_theory"] / long["S_theory"], 4.0, 0.1);
    // Bin width does not shrink with the error of signatures.
    let scatter = |measures: &Measures| {
        measures["S"] - (measures["S_theory_with_bin_width"] - measures["S_theory"])
    };
    assert_within(scatter(short) / scatter(long), 4.0, 7.0);
}

/// Returns the mean of |ĉ − c| over the planted pairs, in percent, if agreeing bits follow the binomial law.
fn expected_calibrated_difference(bits: usize) -> f64 {
    let choose: Vec<f64> = (0..=bits)
        .map(|k| log_factorial(bits) - log_factorial(k) - log_factorial(bits - k))
        .collect();
    let of_pair = |pair: usize| {
        let cosine = planted_cosine(pair);
        let p = equal_bit_probability(cosine);
        let term = |k: usize| {
            let log = choose[k] + k as f64 * p.ln() + (bits - k) as f64 * (1.0 - p).ln();
            log.exp() * 100.0 * ((PI * (1.0 - k as f64 / bits as f64)).cos() - cosine).abs()
        };
        (0..=bits).map(term).sum::<f64>()
    };
    // Neighbouring pairs hardly differ: every tenth is enough.
    let pairs: Vec<f64> = (0..PAIRS).skip(5).step_by(10).map(of_pair).collect();
    pairs.iter().sum::<f64>() / pairs.len() as f64
}

fn log_factorial(number: usize) -> f64 {
    libm::lgamma(number as f64 + 1.0)
}

#[test]
fn calibration_leaves_only_the_error_of_sampling() {
    for (bits, measures) in LENGTHS.into_iter().zip(&*MEASURED) {
        let (raw, calibrated) = (measures["L1"], measures["L1_calibrated"]);
        assert!(calibrated < raw, "{bits} bits: {calibrated} is not below {raw}");
        // Ten thousand independent errors: the relative standard error of their mean size is below 1 %.
        assert_within(calibrated, expected_calibrated_difference(bits), 4.0);
    }
    // Longer signatures reduce the calibrated error only; the raw difference is dominated by its systematic part.
    let [short, long] = &*MEASURED;
    assert_within(short["L1_calibrated"] / long["L1_calibrated"], 2.0, 5.0);
    assert!(long["L1"] > 0.8 * short["L1"], "{} and {}", long["L1"], short["L1"]);
}
