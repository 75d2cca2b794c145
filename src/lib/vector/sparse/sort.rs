//! Sorting the terms of one row after the other.

/// Longer rows are sorted as any list is.
const LONG: usize = 1024;
/// Shares of each power of two that numbers are dealt into.
const SHARES: u32 = 4;
/// So many shares are there.
const CLASSES: usize = (u32::BITS as usize + 1) << SHARES;

/// Sorts different keys. Numbers of a document's terms are spread about evenly over the powers of two (Zipf's law): dealt into shares of these, nearly all stand
/// where they belong, and the others next to it.
pub(super) fn sort(keys: &mut Vec<u64>, sorted: &mut Vec<u64>) {
    if keys.len() > LONG {
        keys.sort_unstable();
        return;
    }
    let mut ends = [0u16; CLASSES];
    keys.iter().for_each(|key| ends[class(*key)] += 1);
    let last = keys.iter().copied().max().map_or(0, class);
    let mut end = 0;
    for class in &mut ends[..=last] {
        end += *class;
        *class = end;
    }
    sorted.clear();
    sorted.resize(keys.len(), 0);
    for key in keys.iter() {
        let end = &mut ends[class(*key)];
        *end -= 1;
        sorted[usize::from(*end)] = *key;
    }
    insert(sorted);
    std::mem::swap(keys, sorted);
}

/// The share that a key's number belongs to: not below that of a smaller number.
#[inline(always)]
fn class(key: u64) -> usize {
    const FRACTION: u32 = f32::MANTISSA_DIGITS - 1;
    const ONE: u32 = 1.0f32.to_bits() >> (FRACTION - SHARES);
    // With a sign: for numbers without one processors have no instruction.
    let number = (key >> u32::BITS) as i64 as f32 + 1.0;
    ((number.to_bits() >> (FRACTION - SHARES)) - ONE) as usize
}

/// Sorts what is nearly sorted.
fn insert(keys: &mut [u64]) {
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
    fn classes_go_up_to_the_largest_number() {
        assert_eq!(class(0), 0);
        assert!(class(u64::MAX) < CLASSES);
        assert_eq!(class(1 << 32), 1 << SHARES);
    }
}
