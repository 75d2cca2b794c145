//! The exact searches against each other and against the obvious computation.

use nearsig::bits::cpu::Cpu;
use nearsig::fuzzing::{Clusters, components};
use nearsig::search::exact::{self, Prepared, SparseMatrix};
use nearsig::search::{AllPairsMethod, Pair, SimilarityMeasure};

use super::content::Choices;
use super::scratch;

/// Number of terms.
const TERMS: usize = 40;
const MAX_VECTORS: usize = 40;
/// Thresholds in percent: extremes, and cosines of simple vectors such as 70.710678.
const THRESHOLDS: [f64; 10] =
    [80.0, 35.0, 50.0, 100.0, 70.710678, 99.999999, 1.0, 57.735027, 86.602540, 100.5];

/// Compares sparse vectors that the input spells, many near others.
///
/// The join and the scan find the same pairs on every instruction set; they are those of a naive computation, up to one step of rounding at
/// the threshold; a forest connects the vectors that all pairs connect.
pub fn check(data: &[u8]) {
    let mut choices = Choices::of(data);
    let threshold = choices.pick(&THRESHOLDS);
    let measure = choices.pick(&[
        SimilarityMeasure::Cosine,
        SimilarityMeasure::Cosine,
        SimilarityMeasure::Jaccard,
        SimilarityMeasure::Dice,
        SimilarityMeasure::Overlap,
    ]);
    let rows = rows(&mut choices);
    let all = pairs(&rows, measure, threshold, AllPairsMethod::Scan, Cpu::SCALAR);
    for cpu in Cpu::available() {
        for method in [AllPairsMethod::Join, AllPairsMethod::Auto, AllPairsMethod::Scan] {
            assert_eq!(pairs(&rows, measure, threshold, method, cpu), all, "{method:?}, {cpu:?}");
        }
        if measure == SimilarityMeasure::Cosine {
            check_forest(&rows, threshold, &all, cpu);
        }
    }
    check_naively(&rows, measure, threshold, &all);
}

/// Indexes and values of a vector.
type Row = (Vec<u32>, Vec<f32>);

fn rows(choices: &mut Choices) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    while !choices.rest.is_empty() && rows.len() < MAX_VECTORS {
        let kind = choices.byte();
        let mut values = [0f32; TERMS];
        if kind >= 128 && !rows.is_empty() {
            let (indexes, others) = &rows[usize::from(choices.byte()) % rows.len()];
            for (index, value) in indexes.iter().zip(others) {
                values[*index as usize] = *value;
            }
        }
        for _ in 0..kind % 16 {
            let index = usize::from(choices.byte()) % TERMS;
            let value = choices.byte();
            // Small integers, fractions, and a few negative, large and tiny ones.
            values[index] = match value {
                0..=99 => f32::from(value % 8),
                100..=199 => f32::from(value) / 7.0,
                200..=229 => -f32::from(value) / 16.0,
                230..=239 => f32::from(value) * 1e15,
                _ => f32::from(value) * 1e-15,
            };
        }
        let is_there = |(_, value): &(usize, &f32)| **value != 0.0;
        let components = values.iter().enumerate().filter(is_there);
        rows.push(components.map(|(index, value)| (index as u32, *value)).unzip());
    }
    rows
}

fn matrix(rows: &[Row]) -> SparseMatrix {
    let mut ends = vec![0];
    let (mut indexes, mut values) = (Vec::new(), Vec::new());
    for (row_indexes, row_values) in rows {
        indexes.extend_from_slice(row_indexes);
        values.extend_from_slice(row_values);
        ends.push(indexes.len());
    }
    SparseMatrix::new((rows.len(), TERMS), ends, indexes, values)
}

fn pairs(
    rows: &[Row],
    measure: SimilarityMeasure,
    threshold: f64,
    method: AllPairsMethod,
    cpu: Cpu,
) -> Vec<Pair> {
    let session = scratch::session().clone().with_cpu(cpu);
    session.install(|| exact::pairs(matrix(rows), measure, threshold, method, &session))
}

fn check_forest(rows: &[Row], threshold: f64, all: &[Pair], cpu: Cpu) {
    let session = scratch::session().clone().with_cpu(cpu);
    let forest = session.install(|| {
        let prepared = Prepared::new(matrix(rows), &session);
        assert_eq!(prepared.pairs(threshold, 0, &session).expand(), all);
        assert_eq!(prepared.counts(threshold, &session).pairs, all.len() as u64);
        prepared.forest(threshold, 0, &session).expand()
    });
    assert!(forest.iter().all(|pair| all.contains(pair)), "a pair of the forest is none");
    let clusters = |pairs: &[Pair]| -> Clusters { components(rows.len(), pairs.iter().copied()) };
    assert_eq!(clusters(&forest), clusters(all));
    let from = rows.len() / 2;
    let prepared = session.install(|| Prepared::new(matrix(rows), &session));
    let new = session.install(|| prepared.pairs(threshold, from, &session).expand());
    let wanted: Vec<Pair> = all.iter().filter(|pair| pair.high as usize >= from).copied().collect();
    assert_eq!(new, wanted, "pairs with a vector from {from} on");
}

/// Compares all pairs in 64 bits. Where the similarity is a rounding error away from the threshold, either outcome is right.
fn check_naively(rows: &[Row], measure: SimilarityMeasure, threshold: f64, found: &[Pair]) {
    const STEP: f64 = 1e-6;
    for high in 0..rows.len() as u32 {
        for low in 0..high {
            let expected = similarity(&rows[low as usize], &rows[high as usize], measure);
            let pair = found.iter().find(|pair| (pair.low, pair.high) == (low, high));
            match (expected, pair) {
                (Some(expected), Some(pair)) => {
                    let difference = (pair.similarity - expected).abs();
                    assert!(difference <= STEP, "{pair:?}: expected {expected}");
                    assert!(pair.similarity >= threshold, "{pair:?} is below {threshold}");
                }
                (Some(expected), None) => {
                    assert!(expected < threshold + STEP, "{low}, {high} at {expected} is missing");
                }
                (None, pair) => assert_eq!(pair, None, "a vector without direction"),
            }
        }
    }
    assert!(found.is_sorted_by_key(|pair| (pair.low, pair.high)));
}

/// Returns the similarity in percent, none for vectors without direction.
fn similarity(left: &Row, right: &Row, measure: SimilarityMeasure) -> Option<f64> {
    if left.0.is_empty() || right.0.is_empty() {
        return None;
    }
    let is_cosine = measure == SimilarityMeasure::Cosine;
    let value = |value: &f32| if is_cosine { f64::from(*value) } else { 1.0 };
    let size = |row: &Row| row.1.iter().map(|v| value(v) * value(v)).sum::<f64>();
    let mut common = 0.0;
    for (index, one) in left.0.iter().zip(&left.1) {
        if let Some(at) = right.0.iter().position(|other| other == index) {
            common += value(one) * value(&right.1[at]);
        }
    }
    let (one, other) = (size(left), size(right));
    Some(
        100.0
            * match measure {
                SimilarityMeasure::Cosine => common / (one.sqrt() * other.sqrt()),
                SimilarityMeasure::Jaccard => common / (one + other - common),
                SimilarityMeasure::Dice => 2.0 * common / (one + other),
                SimilarityMeasure::Overlap => common / one.min(other),
            },
    )
}
