//! Similarities of all pairs of vectors by their formulas.

use super::vocabularies::Vector;

/// Similarity functions, as named by the flag of similarity.
pub const METHODS: [&str; 4] = ["cosine", "jaccard", "dice", "overlap"];

/// Similarities are rounded to millionths.
const MILLION: f64 = 1e6;

/// Returns the similarity of two vectors in percent, before rounding; `None` where one has no direction.
pub fn similarity(method: &str, left: &Vector, right: &Vector) -> Option<f64> {
    if left.is_empty() || right.is_empty() {
        return None;
    }
    let common = left.iter().filter(|(index, _)| at(right, *index) != 0.0).count() as f64;
    let (left_size, right_size) = (left.len() as f64, right.len() as f64);
    let share = match method {
        "jaccard" => common / (left_size + right_size - common),
        "dice" => 2.0 * common / (left_size + right_size),
        "overlap" => common / left_size.min(right_size),
        _ => dot(left, right) / (dot(left, left).sqrt() * dot(right, right).sqrt()),
    };
    Some(100.0 * share)
}

fn at(vector: &Vector, index: usize) -> f64 {
    let component = vector.iter().find(|(other, _)| *other == index);
    component.map_or(0.0, |(_, value)| f64::from(*value))
}

fn dot(left: &Vector, right: &Vector) -> f64 {
    left.iter().map(|(index, value)| f64::from(*value) * at(right, *index)).sum()
}

/// All similarities, in millionths of a percent.
pub struct Table(Vec<Vec<Option<i64>>>);

impl Table {
    /// Compares all vectors; `None` where a value lies so close to the middle between two millionths that rounding errors
    /// decide where it goes.
    pub fn new(method: &str, vectors: &[Vector]) -> Option<Self> {
        let row = |left: &Vector| {
            let values = vectors.iter().map(|right| similarity(method, left, right));
            values.map(|value| value.map_or(Some(None), |v| millionths(v).map(Some))).collect()
        };
        vectors.iter().map(row).collect::<Option<_>>().map(Table)
    }

    /// Returns the partners of a document at or above a similarity, in collection order.
    fn matches(&self, document: usize, threshold: i64) -> Vec<(usize, i64)> {
        let others = self.0[document].iter().enumerate();
        let values = others.filter_map(|(other, value)| value.map(|value| (other, value)));
        values.filter(|(other, value)| *other != document && *value >= threshold).collect()
    }

    /// Returns a document's line in a result.
    pub fn line(&self, names: &[String], document: usize, threshold: i64) -> String {
        let mut line = names[document].clone();
        for (other, value) in self.matches(document, threshold) {
            line += &format!(":{}:{}", names[other], value as f64 / MILLION);
        }
        line + "\n"
    }

    /// Returns the result without a sample: the lines of documents that have a match.
    pub fn result(&self, names: &[String], threshold: i64) -> String {
        let documents = (0..names.len()).filter(|d| !self.matches(*d, threshold).is_empty());
        documents.map(|document| self.line(names, document, threshold)).collect()
    }
}

fn millionths(percent: f64) -> Option<i64> {
    let scaled = percent * MILLION;
    let from_middle = (scaled - scaled.floor() - 0.5).abs();
    (from_middle > 1e-5).then(|| scaled.round() as i64)
}

/// Returns a threshold as it is written on the command line, in millionths of a percent.
pub fn threshold_in_millionths(text: &str) -> i64 {
    (text.parse::<f64>().unwrap() * MILLION).round() as i64
}
