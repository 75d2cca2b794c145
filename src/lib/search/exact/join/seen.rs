//! Bitmap of candidates seen so far.

/// Bits per candidate, so that few share the bit of another one.
const BITS_PER_CANDIDATE: usize = 16;

/// Set of candidates by number: one bit each, shared by several where there are many numbers.
#[derive(Debug, Default)]
pub(super) struct SeenSet {
    /// A power of two of bits.
    words: Vec<u64>,
}

impl SeenSet {
    /// Removes all candidates. At most `capacity` candidates will be added, with numbers below `numbers`.
    pub(super) fn clear(&mut self, capacity: usize, numbers: usize) {
        let bits = capacity.saturating_mul(BITS_PER_CANDIDATE).min(numbers).next_power_of_two();
        self.words.clear();
        self.words.resize(bits.div_ceil(u64::BITS as usize), 0);
    }

    /// Returns whether a candidate, or one that shares its bit, is in the set. Adds it if `inserts`.
    #[inline(always)]
    pub(super) fn insert_if(&mut self, number: u32, inserts: bool) -> bool {
        let bit = number % u64::BITS;
        let at = (number / u64::BITS) as usize & (self.words.len() - 1);
        let word = &mut self.words[at];
        let was_seen = *word >> bit & 1 == 1;
        *word |= u64::from(inserts) << bit;
        was_seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn inserted_candidates_are_seen_and_no_others_given_capacity(
            candidates in prop::collection::vec((0u32..5000, any::<bool>()), 1..60), capacity in 0usize..60,
        ) {
            let mut seen = SeenSet::default();
            for capacity in [usize::MAX, capacity] {
                seen.clear(capacity, 5000);
                let mut expected = std::collections::HashSet::new();
                for (number, inserts) in &candidates {
                    let was_seen = seen.insert_if(*number, *inserts);
                    prop_assert!(was_seen >= expected.contains(number));
                    prop_assert!(capacity < 5000 || was_seen == expected.contains(number));
                    if *inserts {
                        expected.insert(number);
                    }
                }
            }
        }
    }
}
