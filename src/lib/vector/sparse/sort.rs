//! Sorting of short rows.

/// Longer rows are sorted by the standard library.
const MAX_LENGTH: usize = 1024;
/// Bits below the highest one that select the bucket of a number.
const FRACTION_BITS: u32 = 4;
/// Number of buckets.
const BUCKETS: usize = (u32::BITS as usize + 1) << FRACTION_BITS;

/// Sorts distinct keys. The term numbers of a document are spread about evenly over the powers of two (Zipf's law), so a bucket sort by logarithm
/// puts nearly all in place, and an insertion sort the rest.
pub(super) fn sort(keys: &mut Vec<u64>, sorted: &mut Vec<u64>) {
    if keys.len() > MAX_LENGTH {
        keys.sort_unstable();
        return;
    }
    let mut ends = [0u16; BUCKETS];
    keys.iter().for_each(|key| ends[bucket(*key)] += 1);
    let last = keys.iter().copied().max().map_or(0, bucket);
    let mut end = 0;
    for bucket_end in &mut ends[..=last] {
        end += *bucket_end;
        *bucket_end = end;
    }
    sorted.clear();
    sorted.resize(keys.len(), 0);
    for key in keys.iter() {
        let end = &mut ends[bucket(*key)];
        *end -= 1;
        sorted[usize::from(*end)] = *key;
    }
    insertion_sort(sorted);
    std::mem::swap(keys, sorted);
}

/// The bucket of a key, monotonic in the key.
#[inline(always)]
fn bucket(key: u64) -> usize {
    const FRACTION: u32 = f32::MANTISSA_DIGITS - 1;
    const ONE: u32 = 1.0f32.to_bits() >> (FRACTION - FRACTION_BITS);
    // Signed, because there is no instruction that converts unsigned numbers.
    let number = (key >> u32::BITS) as i64 as f32 + 1.0;
    ((number.to_bits() >> (FRACTION - FRACTION_BITS)) - ONE) as usize
}

/// Sorts a nearly sorted list.
fn insertion_sort(keys: &mut [u64]) {
    for at in 1..keys.len() {
        let (key, mut to) = (keys[at], at);
        while to > 0 && keys[to - 1] > key {
            keys[to] = keys[to - 1];
            to -= 1;
        }
        keys[to] = key;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_are_sorted(
            keys in prop_oneof![
                prop::collection::hash_set(any::<u64>(), 0..300),
                prop::collection::hash_set((0u64..50_000).prop_map(|key| key << 28), 0..1500),
                prop::collection::hash_set((0u64..8 << 32).prop_map(|key| key << 2 | 1 << 63), 0..300),
            ],
        ) {
            let mut keys: Vec<u64> = keys.into_iter().collect();
            let mut expected = keys.clone();
            expected.sort_unstable();
            sort(&mut keys, &mut vec![7; 5]);
            prop_assert_eq!(keys, expected);
        }
    }

    #[test]
    fn buckets_cover_all_numbers() {
        assert_eq!(bucket(0), 0);
        assert!(bucket(u64::MAX) < BUCKETS);
        assert_eq!(bucket(1 << 32), 1 << FRACTION_BITS);
    }
}
