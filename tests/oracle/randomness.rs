//! Compares hyperplanes, as shown by the executables, with naively drawn ones.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::cases;
use super::signatures::Planes;
use crate::common::Work;

/// Returns the result of each test of the executable, by name.
fn statistics(csv: &str) -> BTreeMap<String, f64> {
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        (fields[0].to_string(), fields[1].parse().unwrap())
    };
    csv.lines().skip(1).map(row).collect()
}

fn mean(values: impl Iterator<Item = f64> + Clone) -> f64 {
    values.clone().sum::<f64>() / values.count() as f64
}

fn cosine(one: &[i64], other: &[i64]) -> f64 {
    let product = |left: &[i64], right: &[i64]| {
        left.iter().zip(right).map(|(l, r)| (l * r) as f64).sum::<f64>()
    };
    product(one, other) / (product(one, one) * product(other, other)).sqrt()
}

/// Returns the statistics by their definitions.
fn expected(vectors: &[Vec<i64>], unit: f64) -> BTreeMap<&'static str, f64> {
    let all: Vec<f64> = vectors.concat().iter().map(|value| *value as f64 / unit).collect();
    let centre = mean(all.iter().copied());
    let central = |power: i32| mean(all.iter().map(move |value| (value - centre).powi(power)));
    let share = |vector: &Vec<i64>| {
        vector.iter().filter(|value| **value > 0).count() as f64 / vector.len() as f64
    };
    let shares: Vec<f64> = vectors.iter().map(share).collect();
    let pairs = (0..vectors.len()).flat_map(|one| (0..one).map(move |other| (one, other)));
    let cosines: Vec<f64> =
        pairs.map(|(one, other)| cosine(&vectors[one], &vectors[other])).collect();
    let largest = |values: &[f64]| values.iter().copied().fold(f64::MIN, f64::max);
    BTreeMap::from([
        ("mean", centre),
        ("variance", central(2)),
        ("skewness", central(3) / central(2).powf(1.5)),
        ("kurtosis", central(4) / central(2).powi(2)),
        ("share_above_zero", mean(shares.iter().copied())),
        ("least_share_above_zero", -largest(&shares.iter().map(|s| -s).collect::<Vec<_>>())),
        ("greatest_share_above_zero", largest(&shares)),
        ("cosine_mean", mean(cosines.iter().copied())),
        ("cosine_deviation", mean(cosines.iter().map(|c| c * c)).sqrt()),
        ("cosine_largest", largest(&cosines.iter().map(|c| c.abs()).collect::<Vec<_>>())),
    ])
}

/// Hyperplanes, and the flags with which the executables draw the same ones.
fn drawn(seed: u64, bits: usize, terms: usize, kind: usize) -> (Planes, f64, String) {
    let flags = format!("-sig_len {bits} -rnd_seed {seed}");
    match kind {
        0 => (Planes::new(seed, bits, terms), 4096.0, flags),
        1 => (Planes::of_levels(seed, bits, terms), 1.0, format!("{flags} -rnd_dist levels")),
        _ => {
            let planes = Planes::balanced(seed, bits, terms, 30).expect("not much is asked");
            (planes, 4096.0, format!("{flags} -below_zero_percent 30"))
        }
    }
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn statistics_are_those_of_the_definitions(
        seed in 0u64..1000, quarter in 1usize..12, terms in 12usize..60, kind in 0usize..3,
    ) {
        let (planes, unit, flags) = drawn(seed, 4 * quarter, terms, kind);
        let line = format!("analyze_rnd_vecs_quality -term_count {terms} -out - {flags}");
        let found = statistics(&Work::new().ok(&line).stdout);
        for (name, value) in expected(planes.vectors(), unit) {
            prop_assert!((found[name] - value).abs() < 1e-9, "{name}: {} {value}", found[name]);
        }
    }

    #[test]
    fn implanted_documents_are_the_random_vectors(
        seed in 0u64..1000, quarter in 1usize..12, terms in 12usize..60, kind in 0usize..3,
    ) {
        let bits = 4 * quarter;
        let (planes, _, flags) = drawn(seed, bits, terms, kind);
        let work = Work::new();
        let head = format!("USING_TF\nVELIKOST_SLOVNIKU {terms}\nVELIKOST_KOLEKCE 1\n");
        work.write("old", format!("{head}POCET_ZAZNAMU_VE_VEC_SOUBORECH 1\none.vec\n"));
        work.write("one.vec", "one:1 3:2\n");
        work.ok(&format!("implant_rnd_vecs -vec_paths old -vec_dir random -new_vec_paths new {flags}"));
        let files = work.read("new");
        let lines: String = files.lines().skip(5).map(|path| work.read(path)).collect();
        let line = |(number, vector): (usize, &Vec<i64>)| {
            let items: String =
                vector.iter().enumerate().map(|(index, value)| format!(" {index}:{value}")).collect();
            format!("RND_{:04}:{terms}{items}\n", number + 1)
        };
        let expected: String = planes.vectors().iter().enumerate().map(line).collect();
        prop_assert_eq!(lines, expected);
    }
}
