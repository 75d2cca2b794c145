//! Statistical tests of hyperplanes of four levels: their components, and signatures of real texts.

use std::collections::BTreeMap;
use std::f64::consts::PI;

use nearsig::bits::cpu::Cpu;
use nearsig::signature::{Levels, QuantizedVectors, SignatureSet, effective_terms, levels};

use crate::common::Work;

/// Maximum distance of a measured value from its expectation in standard errors; exceeded by chance once in 150,000 tests.
const STANDARD_ERRORS: f64 = 4.5;

// ---- Components ----

const ROWS: u32 = 256;
const LENGTH: usize = 4096;

fn rows(seed: u64) -> Vec<Vec<i8>> {
    let levels = Levels::new(seed, LENGTH, ROWS as usize, Cpu::best());
    (0..ROWS).map(|term| levels.row(term)).collect()
}

/// Returns the distance of a mean from its expectation in standard errors, given expectation and variance.
fn deviation(values: impl Iterator<Item = f64>, mean: f64, variance: f64) -> f64 {
    let (sum, count) =
        values.fold((0.0, 0.0), |(sum, count), value| (sum + value - mean, count + 1.0));
    sum / f64::sqrt(variance * count)
}

#[track_caller]
fn assert_near(away: f64, what: &str) {
    assert!(away.abs() < STANDARD_ERRORS, "{what}: {away} errors away");
}

#[test]
fn components_have_their_probabilities() {
    for seed in [1, 2007, u64::MAX] {
        let rows = rows(seed);
        for (level, p) in [(-3, 1.0 / 16.0), (-1, 7.0 / 16.0), (1, 7.0 / 16.0), (3, 1.0 / 16.0)] {
            let is_level = |c: &i8| f64::from(u8::from(*c == level));
            for (term, row) in rows.iter().enumerate() {
                let away = deviation(row.iter().map(is_level), p, p * (1.0 - p));
                assert_near(away, &format!("seed {seed}, term {term}, level {level}"));
            }
            for bit in 0..LENGTH {
                let away = deviation(rows.iter().map(|row| is_level(&row[bit])), p, p * (1.0 - p));
                // One in seven runs of fifty thousand such tests exceeds 4.5 by chance; binomial tails of 256 draws are longer.
                assert!(away.abs() < 7.0, "seed {seed}, bit {bit}, level {level}: {away}");
            }
        }
    }
}

/// The variance of a component: (2 · 9 + 14 · 1) / 16.
const VARIANCE: f64 = 2.0;

#[test]
fn rows_and_neighbours_know_nothing_of_each_other() {
    for seed in [1, 2007] {
        let rows = rows(seed);
        let product = |(one, other): (&i8, &i8)| f64::from(*one) * f64::from(*other);
        let mut squares = Vec::new();
        for (term, row) in rows.iter().enumerate() {
            for other in &rows[term + 1..] {
                let away = deviation(row.iter().zip(other).map(product), 0.0, VARIANCE * VARIANCE);
                assert!(away.abs() < 5.5, "seed {seed}: {away}");
                squares.push(away * away);
            }
        }
        assert_near(deviation(squares.into_iter(), 1.0, 2.0), "all pairs of rows");
        for lag in (1..=16).chain([63, 64, 65, 127, 128, 256, 512]) {
            let pairs = rows.iter().flat_map(|row| row.iter().zip(&row[lag..]));
            let away = deviation(pairs.map(product), 0.0, VARIANCE * VARIANCE);
            assert_near(away, &format!("seed {seed}, {lag} apart"));
        }
    }
}

// ---- Real texts ----

const BITS: usize = 1024;
/// Range of cosines of the compared pairs.
const COSINES: std::ops::RangeInclusive<f64> = 0.3..=0.95;

type Vector = (Vec<u32>, Vec<f32>);

/// Returns the tf·idf vectors of the sample texts.
fn sample_vectors() -> (usize, Vec<Vector>) {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/exp/sample");
    let work = Work::new();
    let list = std::fs::read_to_string(format!("{sample}/doc_list")).unwrap();
    for path in list.split_whitespace() {
        let from = path.strip_prefix("exp/sample/").expect("paths are relative to the project");
        work.write(path, std::fs::read(format!("{sample}/{from}")).unwrap());
    }
    work.write("doc_list", list);
    work.ok("create_bows -doc_list doc_list -bow_paths bow_paths -bow_dir bows");
    work.ok("create_voc -bow_paths bow_paths -voc_name voc");
    work.ok("create_vecs -bow_paths bow_paths -voc_name voc -vec_dir vecs -vec_paths vec_paths");
    let list = work.read("vec_paths");
    let terms = list.lines().nth(1).unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let text: String = list.lines().skip(4).map(|path| work.read(path)).collect();
    let component = |item: &str| {
        let (index, value) = item.split_once(':').unwrap();
        (index.parse::<u32>().unwrap(), value.parse::<f32>().unwrap())
    };
    let vector = |line: &str| line.split(' ').skip(1).map(component).unzip();
    (terms, text.lines().map(vector).collect())
}

fn cosine(one: &Vector, other: &Vector) -> f64 {
    let weights: BTreeMap<u32, f32> = one.0.iter().copied().zip(one.1.iter().copied()).collect();
    let norm = |v: &Vector| v.1.iter().map(|w| f64::from(*w).powi(2)).sum::<f64>().sqrt();
    let common = other.0.iter().zip(&other.1).filter_map(|(index, value)| {
        weights.get(index).map(|weight| f64::from(*weight) * f64::from(*value))
    });
    common.sum::<f64>() / (norm(one) * norm(other))
}

/// Keeps the heaviest terms of a vector, down to about this many effective ones.
fn shortened(vector: &Vector, terms: usize) -> Vector {
    let mut components: Vec<(u32, f32)> =
        vector.0.iter().copied().zip(vector.1.iter().copied()).collect();
    components.sort_by(|l, r| r.1.total_cmp(&l.1).then(l.0.cmp(&r.0)));
    components.truncate(terms);
    components.sort_by_key(|(index, _)| *index);
    components.into_iter().unzip()
}

/// Returns the mean of (h − p)² / (p (1 − p) / K) over pairs of vectors that both have at least `least` effective terms, over some seeds.
fn relative_error(terms: usize, vectors: &[Vector], least: f64) -> (f64, usize) {
    let vectors: Vec<&Vector> = vectors.iter().filter(|v| effective_terms(&v.1) >= least).collect();
    let mut pairs = Vec::new();
    for (number, one) in vectors.iter().enumerate() {
        for (other_number, other) in vectors.iter().enumerate().skip(number + 1) {
            let cosine = cosine(one, other);
            if COSINES.contains(&cosine) {
                pairs.push((number, other_number, 1.0 - cosine.acos() / PI));
            }
        }
    }
    let mut documents = QuantizedVectors::new(levels::STEPS);
    vectors.iter().for_each(|(indexes, values)| documents.push(indexes, values));
    let words = SignatureSet::words_for(BITS);
    let (mut sum, mut count) = (0.0, 0);
    for seed in 0..20 {
        let mut signatures = vec![0; words * vectors.len()];
        let levels = Levels::new(seed, BITS, terms, Cpu::best());
        levels.sign(std::slice::from_ref(&documents), &mut [&mut signatures]);
        let get = |number: usize| &signatures[number * words..][..words];
        for (one, other, p) in &pairs {
            let differing: u32 =
                get(*one).iter().zip(get(*other)).map(|(l, r)| (l ^ r).count_ones()).sum();
            let share = 1.0 - f64::from(differing) / BITS as f64;
            sum += (share - p).powi(2) / (p * (1.0 - p) / BITS as f64);
            count += 1;
        }
    }
    (sum / f64::from(count), pairs.len())
}

#[test]
fn signatures_of_real_texts_are_as_accurate_as_theory_says() {
    let (terms, vectors) = sample_vectors();
    let (error, pairs) = relative_error(terms, &vectors, levels::MIN_EFFECTIVE_TERMS);
    assert!(pairs > 100, "{pairs} pairs");
    assert!(error < 1.1, "{error}");
    // The same texts with so few terms that some are just above the minimum.
    let short: Vec<Vector> = vectors.iter().map(|vector| shortened(vector, 20)).collect();
    let (error, pairs) = relative_error(terms, &short, levels::MIN_EFFECTIVE_TERMS);
    assert!(pairs > 100, "{pairs} short pairs");
    assert!(error < 1.1, "short: {error}");
}

#[test]
fn a_handful_of_terms_is_not_enough_for_levels() {
    // Short vectors are counted for this reason: their error is many times the theoretical one.
    let (terms, vectors) = sample_vectors();
    let short: Vec<Vector> = vectors.iter().map(|vector| shortened(vector, 3)).collect();
    let (error, _) = relative_error(terms, &short, 0.0);
    assert!(error > 1.5, "{error}");
}
