//! One list of the index: who of it can reach the threshold.

use crate::bits::cpu::Cpu;

/// A vector, by its place in the join, in the list of a term, with the term's weight in it and the length of what comes after the term, both rounded up to 16 bits.
///
/// All in one word, so that lists can be filled by several threads at once and a short one is in one cache line: the weight in the lowest
/// 16 bits, then the rest, then the group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub(super) struct Posting(u64);

/// What a length of one is stored as. Twice its square, with what is rounded up, fits 31 bits.
const UNIT: f64 = 32_000.0;

impl Posting {
    /// A posting of lengths of at most 1, but for rounding.
    pub(super) fn new(group: u32, weight: f64, rest: f64) -> Self {
        Posting(u64::from(group) << 32 | rounded_up(rest) << 16 | rounded_up(weight))
    }

    /// From its word.
    pub(super) fn from_word(word: u64) -> Self {
        Posting(word)
    }

    /// As a word.
    pub(super) fn word(self) -> u64 {
        self.0
    }

    fn group(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// At least w·w + r·r of the two, in the unit of [`least_sum`]: what two vectors can reach whose rarest common term this is.
    fn sum(self, other: Posting) -> i32 {
        let lengths = |posting: Posting| (posting.0 as i16, (posting.0 >> 16) as i16);
        let ((weight, rest), (other_weight, other_rest)) = (lengths(self), lengths(other));
        i32::from(weight) * i32::from(other_weight) + i32::from(rest) * i32::from(other_rest)
    }
}

/// A length in units. Written without `ceil`, which is a call of a function where the processor is not known to have it.
fn rounded_up(length: f64) -> u64 {
    let units = length * UNIT;
    let whole = units as u16;
    u64::from(whole + u16::from(f64::from(whole) < units))
}

/// A cosine in the unit of the sums, rounded down.
pub(super) fn least_sum(least: f64) -> i32 {
    (least * UNIT * UNIT) as i32
}

/// Appends the groups of `list` whose sum with `own` is `least` or more, in no particular order.
pub(super) fn scan(cpu: Cpu, own: Posting, list: &[Posting], least: i32, found: &mut Vec<u32>) {
    match cpu {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: Cpu has these values only where the processor has AVX2 and POPCNT.
        Cpu::Avx2 | Cpu::Avx512 => unsafe { avx2::scan(own, list, least, found) },
        _ => found.extend(list.iter().filter(|p| own.sum(**p) >= least).map(|p| p.group())),
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::Posting;

    /// Postings that are looked at together.
    const LANES: usize = 8;

    /// For each set of lanes, their numbers moved to the front.
    static FRONT: [[u32; LANES]; 1 << LANES] = {
        let mut table = [[0; LANES]; 1 << LANES];
        let mut set = 0;
        while set < table.len() {
            let (mut lane, mut place) = (0, 0);
            while lane < LANES {
                if set >> lane & 1 == 1 {
                    table[set][place] = lane as u32;
                    place += 1;
                }
                lane += 1;
            }
            set += 1;
        }
        table
    };

    #[target_feature(enable = "avx2,popcnt")]
    pub(super) fn scan(own: Posting, list: &[Posting], least: i32, found: &mut Vec<u32>) {
        found.reserve(list.len() + LANES);
        let mut length = found.len();
        let whole = list.chunks_exact(LANES);
        let tail = whole.remainder();
        for eight in whole {
            let (reaching, groups) = reaching(own, eight, least);
            let order = FRONT[reaching].as_ptr();
            // SAFETY: an entry of the table is as long as a vector. Room was made for all of the list and one vector more, and no more
            // numbers are counted than there were postings.
            unsafe {
                let groups = _mm256_permutevar8x32_epi32(groups, _mm256_loadu_si256(order.cast()));
                _mm256_storeu_si256(found.as_mut_ptr().add(length).cast(), groups);
            }
            length += reaching.count_ones() as usize;
        }
        for posting in tail {
            // SAFETY: as above.
            unsafe { found.as_mut_ptr().add(length).write(posting.group()) };
            length += usize::from(own.sum(*posting) >= least);
        }
        // SAFETY: so many were written, one after the other.
        unsafe { found.set_len(length) };
    }

    /// Which of eight postings reach the least sum, as a set of lanes, and the groups in these lanes.
    #[target_feature(enable = "avx2")]
    fn reaching(own: Posting, eight: &[Posting], least: i32) -> (usize, __m256i) {
        assert_eq!(eight.len(), LANES);
        // SAFETY: two vectors of four postings each are what the slice holds.
        let (low, high) = unsafe {
            let start = eight.as_ptr();
            (_mm256_loadu_ps(start.cast()), _mm256_loadu_ps(start.add(LANES / 2).cast()))
        };
        // The even halves of the words are the lengths, the odd ones the groups, both in the same mixed order.
        let lengths = _mm256_castps_si256(_mm256_shuffle_ps::<0b10_00_10_00>(low, high));
        let groups = _mm256_castps_si256(_mm256_shuffle_ps::<0b11_01_11_01>(low, high));
        let sums = _mm256_madd_epi16(lengths, _mm256_set1_epi32(own.word() as i32));
        let is_reached = _mm256_cmpgt_epi32(sums, _mm256_set1_epi32(least - 1));
        (_mm256_movemask_ps(_mm256_castsi256_ps(is_reached)) as usize, groups)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn posting() -> impl Strategy<Value = Posting> {
        let length = prop_oneof![Just(0.0), Just(1.0 + 1e-6), 0.0..1.0];
        (any::<u32>(), length.clone(), length).prop_map(|(group, w, r)| Posting::new(group, w, r))
    }

    proptest! {
        #[test]
        fn every_processor_finds_the_same(
            own in posting(), list in prop::collection::vec(posting(), 0..70), least in 0.0..1.0,
        ) {
            let least = least_sum(least);
            let expected: Vec<u32> =
                list.iter().filter(|p| own.sum(**p) >= least).map(|p| p.group()).collect();
            for cpu in Cpu::available() {
                let mut found = vec![7];
                scan(cpu, own, &list, least, &mut found);
                prop_assert_eq!(found.remove(0), 7, "what was there stays");
                let (mut found, mut expected) = (found, expected.clone());
                found.sort_unstable();
                expected.sort_unstable();
                prop_assert_eq!(found, expected);
            }
        }

        #[test]
        fn a_sum_is_never_below_what_it_bounds(w in 0.0..1.0, r in 0.0..1.0, v in 0.0..1.0, s in 0.0..1.0) {
            let sum = Posting::new(1, w, r).sum(Posting::new(2, v, s));
            prop_assert!(sum >= least_sum(w * v + r * s));
            prop_assert!(f64::from(sum) <= (w * v + r * s + 4.1 / UNIT) * UNIT * UNIT, "nor far above");
        }
    }

    #[test]
    fn the_largest_lengths_do_not_overflow() {
        let whole = Posting::new(u32::MAX, 1.0 + 1e-6, 1.0 + 1e-6);
        assert_eq!((whole.sum(whole), whole.group()), (2 * 32_001 * 32_001, u32::MAX));
    }
}
