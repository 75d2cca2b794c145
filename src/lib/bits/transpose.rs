//! Bit matrices, 64 × 64 at a time.

/// Bits per word and words per block.
const SIDE: usize = 64;

/// Transposes a block: swaps bit `k` of word `i` and bit `i` of word `k`. Six rounds swap ever smaller squares (Warren, Hacker's Delight, 7-3).
#[inline(always)]
pub fn transpose(block: &mut [u64; SIDE]) {
    let mut width = SIDE / 2;
    let mut mask = u64::MAX >> width;
    while width > 0 {
        let mut start = 0;
        while start < SIDE {
            for low in start..start + width {
                let swapped = (block[low] >> width ^ block[low + width]) & mask;
                block[low] ^= swapped << width;
                block[low + width] ^= swapped;
            }
            start += 2 * width;
        }
        width /= 2;
        mask ^= mask << width;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_bit_is_transposed(words in prop::collection::vec(any::<u64>(), SIDE)) {
            let before: [u64; SIDE] = words.try_into().unwrap();
            let mut after = before;
            transpose(&mut after);
            for (row, word) in before.iter().enumerate() {
                for (column, turned) in after.iter().enumerate() {
                    prop_assert_eq!(word >> column & 1, turned >> row & 1);
                }
            }
        }
    }
}
