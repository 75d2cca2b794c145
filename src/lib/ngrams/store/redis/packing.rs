//! Buckets of postings: the postings whose hashes begin with the same bits, in one value.
//!
//! A value is a sequence of chunks, each appended by one command: the smallest document and the number of records as numbers of seven bits per
//! byte, then the records, increasing. A record has the bits of the hash that the bucket does not imply, in whole bytes, and the document less
//! the smallest one. A chunk that a retry has appended twice yields the same postings twice: readers drop repeated ones.

use crate::ngrams::store::embedded::catalogue::{push_number, take_number};

/// A hash with a document that holds it.
pub type BucketPosting = (u64, u32);

/// Target number of records per bucket, which share the overhead of a key, about 70 bytes.
const TARGET: u64 = 100;
/// Fewest and most bits of a bucket's number.
const BITS: (u32, u32) = (4, 28);

/// Returns the number of hash bits that select a bucket, such that each holds about [`TARGET`] of the postings.
pub fn bits_for(postings: u64) -> u32 {
    let buckets = postings.div_ceil(TARGET).max(1);
    buckets.next_power_of_two().trailing_zeros().clamp(BITS.0, BITS.1)
}

/// Returns the bucket of a hash.
pub fn bucket_of(hash: u64, bits: u32) -> u64 {
    hash >> (64 - bits)
}

/// Returns the bytes of a hash in a record.
fn width(bits: u32) -> usize {
    (64 - bits).div_ceil(8) as usize
}

/// Returns the chunk of increasing postings of one bucket, at least one.
pub fn encode(postings: &[BucketPosting], bits: u32) -> Vec<u8> {
    let width = width(bits);
    let first = postings.iter().map(|(_, document)| *document).min().unwrap_or(0);
    let mut chunk = Vec::with_capacity(8 + postings.len() * (width + 2));
    push_number(&mut chunk, first.into());
    push_number(&mut chunk, postings.len() as u64);
    for (hash, document) in postings {
        chunk.extend_from_slice(&hash.to_be_bytes()[8 - width..]);
        push_number(&mut chunk, (document - first).into());
    }
    chunk
}

/// Calls `visit` with the postings of a bucket, in any order and repeated after retries. Returns `None` if the value is damaged.
pub fn decode(
    mut value: &[u8],
    bucket: u64,
    bits: u32,
    mut visit: impl FnMut(BucketPosting),
) -> Option<()> {
    let (width, prefix, mask) = (width(bits), bucket << (64 - bits), u64::MAX >> bits);
    while !value.is_empty() {
        let first = take_number(&mut value)?;
        for _ in 0..take_number(&mut value)? {
            let (own, rest) = value.split_at_checked(width)?;
            value = rest;
            let mut bytes = [0; 8];
            bytes[8 - width..].copy_from_slice(own);
            let hash = prefix | u64::from_be_bytes(bytes) & mask;
            let document = u32::try_from(first.checked_add(take_number(&mut value)?)?).ok()?;
            visit((hash, document));
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn buckets_are_read_as_written(
            mut postings in prop::collection::vec((any::<u64>(), prop_oneof![0u32..300, any::<u32>()]), 1..60),
            bits in BITS.0..=BITS.1,
            bucket in any::<u64>(),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
        ) {
            let bucket = bucket_of(bucket, bits);
            postings.iter_mut().for_each(|(hash, _)| *hash = *hash >> bits | bucket << (64 - bits));
            postings.sort_unstable();
            postings.dedup();
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(postings.len())).collect();
            cuts.extend([0, postings.len()]);
            cuts.sort_unstable();
            cuts.dedup();
            let chunks: Vec<Vec<u8>> = cuts.windows(2).map(|cut| encode(&postings[cut[0]..cut[1]], bits)).collect();
            // A retry appends a chunk once more.
            let value = [chunks.concat(), chunks[0].clone()].concat();
            let mut read = Vec::new();
            prop_assert!(decode(&value, bucket, bits, |posting| read.push(posting)).is_some());
            prop_assert_eq!(read.len(), postings.len() + cuts[1]);
            read.sort_unstable();
            read.dedup();
            prop_assert_eq!(&read, &postings);
            prop_assert!(read.iter().all(|(hash, _)| bucket_of(*hash, bits) == bucket));
        }

        #[test]
        fn a_truncated_chunk_is_noticed(
            hashes in prop::collection::vec(any::<u64>(), 1..20), cut in any::<prop::sample::Index>(),
        ) {
            let postings: Vec<BucketPosting> = hashes.iter().map(|hash| (hash >> 8, 7)).collect();
            let value = encode(&postings, 8);
            let cut = 1 + cut.index(value.len() - 1);
            prop_assert!(cut == value.len() || decode(&value[..cut], 0, 8, |_| ()).is_none());
        }

        #[test]
        fn any_bytes_are_decoded_or_refused(value in prop::collection::vec(any::<u8>(), 0..60), bits in BITS.0..=BITS.1) {
            let _ = decode(&value, 1, bits, |_| ());
        }
    }

    #[test]
    fn buckets_have_about_a_hundred_records() {
        assert_eq!((bits_for(0), bits_for(1_600), bits_for(1_601)), (4, 4, 5));
        assert_eq!((bits_for(100 << 20), bits_for(u64::MAX / 2)), (20, 28));
    }
}
