//! Sparse vectors with integer weights: integer sums are exact, so the bits of a signature do not depend on the order of the work, on blocks or on
//! the machine.

/// Quantized vectors, ready to be signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuantizedVectors {
    /// Quantized value of the largest weight of every vector.
    steps: i16,
    ends: Vec<usize>,
    terms: Vec<u32>,
    weights: Vec<i16>,
}

impl QuantizedVectors {
    /// Returns no vectors yet. Weights will be integers from `-steps` to `steps`.
    pub fn new(steps: i16) -> Self {
        QuantizedVectors { steps, ends: vec![0], terms: Vec::new(), weights: Vec::new() }
    }

    /// Appends a vector of finite values. A weight is the value divided by the largest absolute value, times `steps`, rounded to the nearest integer,
    /// halves away from 0. Terms whose weight becomes 0 are dropped.
    pub fn push(&mut self, indexes: &[u32], values: &[f32]) {
        let largest =
            f64::from(values.iter().fold(0.0f32, |largest, value| largest.max(value.abs())));
        let steps = f64::from(self.steps);
        for (index, value) in indexes.iter().zip(values) {
            // The product is exact, the quotient rounded by IEEE 754: deterministic.
            let size = (f64::from(value.abs()) * steps / largest + 0.5) as i16;
            if size > 0 {
                self.terms.push(*index);
                self.weights.push(if *value < 0.0 { -size } else { size });
            }
        }
        self.ends.push(self.terms.len());
    }

    /// Returns the number of vectors.
    pub fn len(&self) -> usize {
        self.ends.len() - 1
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the terms of a vector, in the order they were given, and their weights.
    pub fn get(&self, document: usize) -> (&[u32], &[i16]) {
        let range = self.ends[document]..self.ends[document + 1];
        (&self.terms[range.clone()], &self.weights[range])
    }
}

/// Returns the number of terms of equal weight whose sums would have the same kurtosis: (Σw²)² / Σw⁴; 0 for a vector without components.
pub fn effective_terms(values: &[f32]) -> f64 {
    let largest = f64::from(values.iter().fold(0.0f32, |largest, value| largest.max(value.abs())));
    let squares = values.iter().map(|value| (f64::from(*value) / largest).powi(2));
    let (second, fourth) = squares
        .fold((0.0, 0.0), |(second, fourth), square| (second + square, fourth + square * square));
    if fourth > 0.0 { second * second / fourth } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_rounded_to_the_nearest_step() {
        let mut documents = QuantizedVectors::new(63);
        documents.push(&[1, 5, 7, 8, 9], &[-2.0, 1.0, 0.01, 1.0 / 63.0, -0.99 / 63.0]);
        documents.push(&[], &[]);
        documents.push(&[3], &[f32::MIN_POSITIVE / 8.0]);
        documents.push(&[0, 4], &[f32::MAX, f32::MIN]);
        // 31.5 becomes 32, 0.5 becomes 1, less is dropped.
        assert_eq!(documents.get(0), (&[1, 5, 8][..], &[-63, 32, 1][..]));
        assert_eq!(documents.get(1), (&[][..], &[][..]));
        assert_eq!(documents.get(2), (&[3][..], &[63][..]));
        assert_eq!(documents.get(3), (&[0, 4][..], &[63, -63][..]));
        assert_eq!(documents.len(), 4);
    }

    #[test]
    fn effective_terms_count_equal_weights_and_discount_small_ones() {
        assert_eq!(effective_terms(&[]), 0.0);
        assert_eq!(effective_terms(&[3e38; 7]), 7.0);
        assert_eq!(effective_terms(&[-1e-38; 7]), 7.0);
        assert!((effective_terms(&[10.0, 1.0, 1.0]) - 102.0 * 102.0 / 10002.0).abs() < 1e-9);
    }
}
