//! Words of bits and how far apart they are. Knows nothing of documents.

pub mod cpu;
pub mod planes;
pub mod sliced;
pub mod transpose;
pub mod vector;

/// The number of positions in which two equally long runs of words differ.
#[inline(always)]
pub fn distance(left: &[u64], right: &[u64]) -> u32 {
    left.iter().zip(right).map(|(l, r)| (l ^ r).count_ones()).sum()
}

/// Words that are compared before the distance so far is looked at.
const STRIDE: usize = 4;

/// The distance if it is at most `most`, else `None`, as soon as that is certain.
#[inline(always)]
pub fn distance_within(left: &[u64], right: &[u64], most: u32) -> Option<u32> {
    let mut sum = 0;
    for (l, r) in left.chunks(STRIDE).zip(right.chunks(STRIDE)) {
        sum += distance(l, r);
        if sum > most {
            return None;
        }
    }
    Some(sum)
}
