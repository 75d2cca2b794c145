//! Similarity of unrelated documents of a collection.

use crate::vector::norm;
use crate::vector::sparse::{SparseRows, Weight};

/// Number of sampled pairs.
const SAMPLED_PAIRS: usize = 1024;
/// A prime stride visits all vectors before it repeats, in an order unrelated to theirs.
const STRIDE: usize = 1_000_003;

/// Returns the mean cosine of a sample of pairs of vectors, 0 without any: the value of [`CollectionShape::background`](super::CollectionShape::background).
pub fn background(vectors: &impl SparseRows) -> f64 {
    let count = vectors.rows();
    if count < 2 {
        return 0.0;
    }
    let cosine = |number: usize| {
        let one = number.wrapping_mul(STRIDE) % count;
        let other = (one + 1 + number.wrapping_mul(STRIDE / 7) % (count - 1)) % count;
        cosine_of(vectors, one, other)
    };
    (0..SAMPLED_PAIRS).map(cosine).sum::<f64>() / SAMPLED_PAIRS as f64
}

fn cosine_of(vectors: &impl SparseRows, one: usize, other: usize) -> f64 {
    let (left, right) = (vectors.row(one), vectors.row(other));
    let lengths = norm(left.1) * norm(right.1);
    let mut sum = 0.0;
    let mut rest = right.0.iter().zip(right.1).peekable();
    for (index, weight) in left.0.iter().zip(left.1) {
        while rest.next_if(|(other, _)| *other < index).is_some() {}
        if let Some((_, other)) = rest.next_if(|(other, _)| *other == index) {
            sum += f64::from(weight.value()) * f64::from(other.value());
        }
    }
    if lengths > 0.0 { sum / lengths } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::exact::SparseMatrix;

    fn vectors(rows: usize, shared: u32, own: u32) -> SparseMatrix {
        let (mut starts, mut indexes) = (vec![0], Vec::new());
        for row in 0..rows as u32 {
            indexes.extend(0..shared);
            indexes.extend((0..own).map(|term| shared + row * own + term));
            starts.push(indexes.len());
        }
        let values = vec![2.0; indexes.len()];
        SparseMatrix::new((rows, (shared + rows as u32 * own) as usize), starts, indexes, values)
    }

    #[test]
    fn background_is_the_share_of_common_terms() {
        assert!((background(&vectors(50, 3, 7)) - 0.3).abs() < 1e-12);
        assert_eq!(background(&vectors(50, 0, 7)), 0.0);
        assert_eq!(background(&vectors(1, 3, 7)), 0.0);
        assert_eq!(background(&vectors(3, 0, 0)), 0.0, "empty vectors have no direction");
    }
}
