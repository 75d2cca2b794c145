//! Ideal samples pass, and each fault is found by its test.

use super::*;

const TERMS: u64 = 1000;
const VECTORS: usize = 50;

/// Returns an ideal sample of vectors of −1 and 1.
fn ideal() -> VectorSample {
    let count = TERMS * VECTORS as u64 / 2;
    let level = |value| ValueCount { value, probability: 0.5, count };
    let root = (TERMS as f64).sqrt();
    let seen = |vector: usize| {
        // One standard deviation to either side.
        let side = if vector.is_multiple_of(2) { 1.0 } else { -1.0 };
        let positives = (TERMS as f64 / 2.0 + side * root / 2.0).round() as u64;
        VectorMoments { mean: side / root, mean_square: 1.0, positives }
    };
    let cosine = |pair: usize| if pair.is_multiple_of(2) { 1.0 / root } else { -1.0 / root };
    VectorSample {
        levels: vec![level(-1.0), level(1.0)],
        is_normal: false,
        terms: TERMS,
        vectors: (0..VECTORS).map(seen).collect(),
        cosines: (0..200).map(cosine).collect(),
        balance: None,
    }
}

/// Returns an ideal sample of normal components.
fn ideal_normal() -> VectorSample {
    let values = (-600..=600).map(|step| f64::from(step) / 100.0);
    let between = |low: f64, high: f64| normal_upper(low) - normal_upper(high);
    let level = |value: f64| {
        let probability = between(value - 0.005, value + 0.005);
        ValueCount { value, probability, count: (probability * 1e9).round() as u64 }
    };
    let levels: Vec<ValueCount> = values.map(level).collect();
    let truth = ExactMoments::of(&levels);
    let root = (TERMS as f64).sqrt();
    let seen = |vector: usize| {
        let side = if vector.is_multiple_of(2) { 1.0 } else { -1.0 };
        VectorMoments {
            mean: side * truth.variance.sqrt() / root,
            mean_square: truth.variance + side * truth.of_square() / root,
            ..ideal().vectors[vector]
        }
    };
    let vectors = (0..VECTORS).map(seen).collect();
    VectorSample { levels, is_normal: true, vectors, ..ideal() }
}

fn suspicious(seen: &VectorSample) -> Vec<&'static str> {
    let tests = tests(seen).into_iter();
    tests.filter(|test| test.is_suspicious == Some(true)).map(|test| test.name).collect()
}

#[test]
fn ideal_samples_pass() {
    assert_eq!(suspicious(&ideal()), [""; 0]);
    let names = suspicious(&ideal_normal());
    // A step of 0.01 is too coarse for N(0,1).
    assert_eq!(names, ["table_distance"]);
}

#[test]
fn each_fault_is_found_by_its_test() {
    let with_fault = |fault: fn(&mut VectorSample)| {
        let mut seen = ideal_normal();
        fault(&mut seen);
        suspicious(&seen)
    };
    let shifted = with_fault(|seen| seen.levels.iter_mut().for_each(|level| level.value += 0.02));
    assert!(shifted.contains(&"mean"), "{shifted:?}");
    let wide = with_fault(|seen| {
        seen.levels.iter_mut().filter(|level| level.value.abs() > 3.0).for_each(|l| l.count *= 2);
    });
    assert!(wide.contains(&"variance") && wide.contains(&"kurtosis"), "{wide:?}");
    let skewed = with_fault(|seen| {
        seen.levels.iter_mut().filter(|level| level.value > 3.0).for_each(|l| l.count *= 3);
    });
    assert!(skewed.contains(&"skewness"), "{skewed:?}");
    let gap = with_fault(|seen| {
        let mut moved = 0;
        for level in seen.levels.iter_mut().filter(|level| level.value.abs() < 0.1) {
            moved = std::mem::replace(&mut level.count, moved);
        }
    });
    assert!(gap.contains(&"kolmogorov_smirnov"), "{gap:?}");
    let one_sided = with_fault(|seen| seen.vectors[7].positives = TERMS / 2 - 90);
    assert_eq!(one_sided[1..], ["least_share_above_zero"]);
    let one_sided = with_fault(|seen| seen.vectors[7].positives = TERMS / 2 + 90);
    assert_eq!(one_sided[1..], ["greatest_share_above_zero"]);
    let unbalanced =
        with_fault(|seen| seen.vectors.iter_mut().for_each(|vector| vector.positives += 9));
    assert_eq!(unbalanced[1..], ["share_above_zero"]);
    let drifting = with_fault(|seen| seen.vectors.iter_mut().for_each(|vector| vector.mean *= 1.4));
    assert_eq!(drifting[1..], ["vector_means"]);
    let too_alike = with_fault(|seen| {
        let variance = ExactMoments::of(&seen.levels).variance;
        seen.vectors.iter_mut().for_each(|vector| vector.mean_square = variance);
    });
    assert_eq!(too_alike[1..], ["vector_variances"]);
    let leaning = with_fault(|seen| seen.cosines.iter_mut().for_each(|cosine| *cosine += 0.01));
    assert_eq!(leaning[1..], ["cosine_mean"]);
    let near = with_fault(|seen| seen.cosines[3] = 0.16);
    assert_eq!(near[1..], ["cosine_largest"]);
    let scattered = with_fault(|seen| seen.cosines.iter_mut().for_each(|cosine| *cosine *= 1.3));
    assert_eq!(scattered[1..], ["cosine_deviation"]);
}

#[test]
fn four_levels_are_tested_by_chi_square() {
    let mut seen = ideal();
    let shares = [(-3.0, 1.0), (-1.0, 7.0), (1.0, 7.0), (3.0, 1.0)];
    let level = |(value, sixteenths): (f64, f64)| ValueCount {
        value,
        probability: sixteenths / 16.0,
        count: sixteenths as u64 * 3125,
    };
    seen.levels = shares.into_iter().map(level).collect();
    let chi_square = |seen: &VectorSample| {
        tests(seen).into_iter().find(|test| test.name == "chi_square").unwrap()
    };
    assert_eq!((chi_square(&seen).statistic, chi_square(&seen).p), (0.0, Some(1.0)));
    seen.levels[0].count += 100;
    seen.levels[1].count -= 100;
    // 100²/3125 + 100²/21875.
    let test = chi_square(&seen);
    assert!((test.statistic - (3.2 + 10_000.0 / 21_875.0)).abs() < 1e-9);
    assert_eq!(test.is_suspicious, Some(false));
    seen.levels[0].count += 200;
    seen.levels[1].count -= 200;
    assert_eq!(chi_square(&seen).is_suspicious, Some(true));
}

#[test]
fn expected_redraws_follow_the_binomial_distribution() {
    // Of 20 throws, at most 2 heads or at most 2 tails: 422 of 1,048,576.
    let seen = VectorSample { terms: 20, balance: Some((10.0, 3)), ..ideal() };
    let test = redrawn(&seen, 10.0, 3);
    let failure: f64 = 422.0 / 1_048_576.0;
    assert!((test.expected - 50.0 * failure / (1.0 - failure)).abs() < 1e-12);
    assert_eq!((test.statistic, test.p, test.is_suspicious), (3.0, None, None));
}
