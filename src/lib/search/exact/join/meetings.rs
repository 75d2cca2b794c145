//! Those that a vector meets in the lists of its rare terms.

use super::met::Met;
use super::postings::{Least, Posting};
use crate::bits::cpu::Cpu;

/// Behind a list there are so many words more, of other lists or none: it is read several words at once.
pub(super) const BEHIND: usize = 3;

/// Whether two that meet for the first time may be similar enough.
const MAY_BEGIN: u64 = 1;
/// Whether they may be if they do not meet again.
const MAY_END: u64 = 2;

/// Who was met, list by list; one that is in several lists is there several times.
#[derive(Debug, Default)]
pub(super) struct Meetings {
    count: usize,
    /// As many words, the place in the higher half, in the lower one what may be; and behind them anything.
    words: Vec<u64>,
}

impl Meetings {
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Adds those of the list of a term that stand before the vector itself, of which `own` is the posting. The list are the first `length` words, postings by
    /// ascending places.
    #[inline(always)]
    pub(super) fn add(
        &mut self,
        cpu: Cpu,
        own: Posting,
        (list, length): (&[u64], usize),
        least: &Least,
    ) {
        let room = self.count + length + BEHIND;
        if self.words.len() < room {
            self.words.resize(2 * room, 0);
        }
        let (list, to) = (&list[..length + BEHIND], &mut self.words[self.count..room]);
        self.count += match cpu {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: Cpu has these values only where the processor has AVX2.
            Cpu::Avx2 | Cpu::Avx512 => unsafe { avx2::add(own, list, least, to) },
            _ => add(own, list, least, to),
        };
    }

    /// Appends the places of those that may be as similar as was asked for: by one term alone, or because it is not the first one they have in common. Forgets all
    /// meetings.
    ///
    /// A vector's lists are added from the rarest term on, with one `met` that was cleared before the first.
    pub(super) fn take(&mut self, met: &mut Met, found: &mut Vec<u32>) {
        for word in &self.words[..self.count] {
            let place = (word >> u32::BITS) as u32;
            // One whose first meeting is in vain need not be known at the second.
            let was_met = met.was_met(place, word & MAY_BEGIN != 0);
            if was_met | (word & MAY_END != 0) {
                found.push(place);
            }
        }
        self.count = 0;
    }
}

/// Writes who stands in a list before `own`, and returns how many these are.
fn add(own: Posting, list: &[u64], least: &Least, to: &mut [u64]) -> usize {
    let list = list[..list.len() - BEHIND].iter().map(|word| Posting(*word));
    let mut count = 0;
    for (other, to) in list.zip(to).take_while(|(other, _)| other.place() < own.place()) {
        let begin = u64::from(least.may_begin(own, other)) * MAY_BEGIN;
        let end = u64::from(least.may_end(own, other)) * MAY_END;
        *to = u64::from(other.place()) << u32::BITS | begin | end;
        count += 1;
    }
    count
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::super::postings::{Least, Posting, UNIT};
    use super::{BEHIND, MAY_BEGIN, MAY_END};

    /// Words of a vector.
    const LANES: usize = BEHIND + 1;

    /// The same four at a time. Of each word the lower half holds rest and weight, which have 15 bits: one instruction multiplies both by those of `own` and adds.
    #[target_feature(enable = "avx2")]
    pub(super) fn add(own: Posting, list: &[u64], least: &Least, to: &mut [u64]) -> usize {
        let length = list.len() - BEHIND;
        assert!(to.len() >= list.len());
        let every = |word: u64| _mm256_set1_epi64x(word as i64);
        // Compared as numbers with a sign.
        let sign = every(1 << 63);
        let own_place = _mm256_xor_si256(every(own.0 >> 32 << 32), sign);
        let (rest, weight) = (every(own.0 & 0xffff_0000), every(own.0 & 0xffff));
        let both = _mm256_or_si256(rest, weight);
        let (length_least, unit) =
            (_mm256_set1_epi32(least.length), _mm256_set1_epi32(UNIT as i32));
        let below_sum = _mm256_set1_epi32(least.sum - 1);
        let places = every(!0 << 32);
        for at in (0..length).step_by(LANES) {
            // SAFETY: there are BEHIND words behind the last of the list, here and where it goes to.
            let postings = unsafe { _mm256_loadu_si256(list.as_ptr().add(at).cast()) };
            let sum = _mm256_madd_epi16(postings, both);
            let begin = _mm256_cmpgt_epi32(sum, below_sum);
            let product = _mm256_madd_epi16(postings, weight);
            let longer = _mm256_srli_epi32::<16>(_mm256_max_epi16(postings, rest));
            let missing = _mm256_mullo_epi32(length_least, _mm256_sub_epi32(unit, longer));
            let no_end = _mm256_cmpgt_epi32(missing, product);
            let flags = _mm256_or_si256(
                _mm256_and_si256(begin, every(MAY_BEGIN)),
                _mm256_andnot_si256(no_end, every(MAY_END)),
            );
            let meetings = _mm256_or_si256(_mm256_and_si256(postings, places), flags);
            // SAFETY: as above.
            unsafe { _mm256_storeu_si256(to.as_mut_ptr().add(at).cast(), meetings) };
            let is_before = _mm256_cmpgt_epi64(own_place, _mm256_xor_si256(postings, sign));
            let before = _mm256_movemask_pd(_mm256_castsi256_pd(is_before)).trailing_ones();
            if (before as usize) < LANES {
                return (at + before as usize).min(length);
            }
        }
        length
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn posting() -> impl Strategy<Value = Posting> {
        let length = prop_oneof![Just(0.0), Just(1.0 + 1e-6), 0.0..1.0];
        let place = prop_oneof![0..40u32, any::<u32>()];
        (place, length.clone(), length).prop_map(|(place, w, r)| Posting::new(place, w, r))
    }

    fn list() -> impl Strategy<Value = Vec<Posting>> {
        prop::collection::vec(posting(), 0..70).prop_map(|mut list| {
            list.sort_unstable_by_key(|posting| posting.place());
            list
        })
    }

    /// The words of a list, and of others behind it.
    fn words(list: &[Posting]) -> Vec<u64> {
        let behind = [7; BEHIND].map(|place| Posting::new(place, 1.0, 1.0));
        list.iter().chain(&behind).map(|posting| posting.0).collect()
    }

    fn met(cpu: Cpu, own: Posting, list: &[Posting], least: f64) -> Meetings {
        let mut meetings = Meetings::default();
        for _ in 0..2 {
            meetings.add(cpu, own, (&words(list), list.len()), &Least::new(least));
        }
        meetings
    }

    fn found(meetings: &mut Meetings, most: usize) -> Vec<u32> {
        let (mut met, mut found) = (Met::default(), vec![7]);
        met.clear(most, 1 << 32);
        meetings.take(&mut met, &mut found);
        assert_eq!(meetings.len(), 0);
        found
    }

    proptest! {
        #[test]
        fn only_those_before_are_met(own in posting(), list in list()) {
            let before: Vec<u32> = list.iter().map(|p| p.place()).filter(|p| *p < own.place()).collect();
            let mut meetings = met(Cpu::Scalar, own, &list, 0.0);
            prop_assert_eq!(meetings.len(), 2 * before.len());
            let expected = [&[7][..], &before, &before].concat();
            prop_assert_eq!(found(&mut meetings, list.len()), expected, "any cosine is enough here");
        }

        #[test]
        fn those_that_were_met_in_reach_are_found_when_met_again(own in posting(), list in list(), least in 0.0..1.0) {
            let found = found(&mut met(Cpu::Scalar, own, &list, least), list.len());
            let least = Least::new(least);
            let times = |other: &Posting| found[1..].iter().filter(|p| **p == other.place()).count();
            for other in list.iter().filter(|other| other.place() < own.place()) {
                let wanted = usize::from(least.may_begin(own, *other) | least.may_end(own, *other));
                prop_assert!(times(other) >= wanted);
                prop_assert!(times(other) >= 2 * usize::from(least.may_end(own, *other)));
            }
        }

        #[test]
        fn every_processor_meets_the_same(own in posting(), list in list(), least in 0.0..1.0) {
            let expected = met(Cpu::Scalar, own, &list, least);
            for cpu in Cpu::available() {
                let meetings = met(cpu, own, &list, least);
                prop_assert_eq!(&meetings.words[..meetings.len()], &expected.words[..expected.len()]);
            }
        }
    }
}
