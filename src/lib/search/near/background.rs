//! How similar unrelated documents of a collection are.

use crate::search::exact::Vectors;
use crate::vector::norm;

/// Pairs that are looked at.
const SAMPLED_PAIRS: usize = 1024;
/// A prime stride visits all vectors before it comes back, in an order that has nothing to do with theirs.
const STRIDE: usize = 1_000_003;

/// The mean cosine of some pairs of vectors, taken from all over the collection; 0 where there are none. What [`Shape::background`](super::Shape::background) wants to know.
pub fn background(vectors: &Vectors) -> f64 {
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

fn cosine_of(vectors: &Vectors, one: usize, other: usize) -> f64 {
    let row = |number| vectors.outer_view(number).expect("one of the rows");
    let (left, right) = (row(one), row(other));
    let lengths = norm(left.data()) * norm(right.data());
    let mut sum = 0.0;
    let mut rest = right.iter().peekable();
    for (index, value) in left.iter() {
        while rest.next_if(|(other, _)| *other < index).is_some() {}
        if let Some((_, other)) = rest.next_if(|(other, _)| *other == index) {
            sum += f64::from(*value) * f64::from(*other);
        }
    }
    if lengths > 0.0 { sum / lengths } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vectors(rows: usize, shared: u32, own: u32) -> Vectors {
        let (mut starts, mut indexes) = (vec![0], Vec::new());
        for row in 0..rows as u32 {
            indexes.extend(0..shared);
            indexes.extend((0..own).map(|term| shared + row * own + term));
            starts.push(indexes.len());
        }
        let values = vec![2.0; indexes.len()];
        Vectors::new((rows, (shared + rows as u32 * own) as usize), starts, indexes, values)
    }

    #[test]
    fn it_is_the_share_of_what_all_have() {
        assert!((background(&vectors(50, 3, 7)) - 0.3).abs() < 1e-12);
        assert_eq!(background(&vectors(50, 0, 7)), 0.0);
        assert_eq!(background(&vectors(1, 3, 7)), 0.0);
        assert_eq!(background(&vectors(3, 0, 0)), 0.0, "nothing has no direction");
    }
}
