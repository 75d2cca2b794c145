//! Postings of a prefix-filter index, packed into words, and the filter that reads a posting list.

use super::cpu::Cpu;
use super::vector::{BitVector, Kernel};

/// Vector in a posting list: its number, the weight of the list's term in it, and the suffix norm, the norm of the components after that term.
/// Both are rounded up to 16 bits.
///
/// One word holds all three, so that several threads can fill lists at once and a short list takes one cache line: the weight in the lowest 16
/// bits, then the suffix norm, then the number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Posting(pub u64);

/// Stored value of a length of one. Twice its square, rounded up, fits 31 bits.
const UNIT: f64 = 32_000.0;

/// Words that must follow a posting list, of other lists or none: it is read several words at a time.
pub const PADDING: usize = 3;

/// Flag of a candidate: the pair may reach the threshold if this is its first common term.
pub const MAY_BEGIN: u64 = 1;
/// Flag of a candidate: the pair may reach the threshold if this is its only common term in both prefixes.
pub const MAY_END: u64 = 2;

impl Posting {
    /// Returns the posting of a weight and a suffix norm of at most 1, up to rounding.
    pub fn new(number: u32, weight: f64, suffix_norm: f64) -> Self {
        Posting(u64::from(number) << 32 | rounded_up(suffix_norm) << 16 | rounded_up(weight))
    }

    /// Returns the number of the vector.
    #[inline(always)]
    pub fn number(self) -> u32 {
        (self.0 >> 32) as u32
    }

    #[inline(always)]
    fn weight(self) -> i32 {
        i32::from(self.0 as u16)
    }

    #[inline(always)]
    fn suffix_norm(self) -> i32 {
        i32::from((self.0 >> 16) as u16)
    }
}

/// Returns a length in units, at most one above it. `ceil` is a function call where the instruction set is not known to have it.
fn rounded_up(length: f64) -> u64 {
    u64::from((length * UNIT) as u16) + 1
}

/// Upper bounds that a pair must reach, in units, rounded down.
#[derive(Debug, Clone, Copy)]
pub struct PostingBounds {
    length: i32,
    sum: i32,
}

impl PostingBounds {
    /// Returns the bounds for a cosine of at least `min`.
    pub fn new(min: f64) -> Self {
        PostingBounds { length: (min * UNIT) as i32, sum: (min * UNIT * UNIT) as i32 }
    }

    /// Returns whether two vectors whose rarest common term this is may be similar: w·w + s·s, since all other common terms come later.
    #[inline(always)]
    pub fn may_begin(&self, one: Posting, other: Posting) -> bool {
        one.weight() * other.weight() + one.suffix_norm() * other.suffix_norm() >= self.sum
    }

    /// Returns whether they may be similar if no other term is in both prefixes. The suffix of the vector whose prefix ends first is then shorter
    /// than the minimum cosine `t`, and the other's suffix starts after this term, so its norm is at most the suffix norm: w·w + t·s.
    #[inline(always)]
    pub fn may_end(&self, one: Posting, other: Posting) -> bool {
        let suffix_norm = one.suffix_norm().max(other.suffix_norm());
        one.weight() * other.weight() >= self.length * (UNIT as i32 - suffix_norm)
    }

    /// Writes the candidates of a posting list, those before `own` in the list, to `out` and returns their count. A candidate is its number in
    /// the upper half of a word and its flags in the lower. `list` is sorted by number; `list` and `out` are [`PADDING`] words longer than the
    /// posting list.
    #[inline(always)]
    pub fn filter(&self, own: Posting, list: &[u64], out: &mut [u64], cpu: Cpu) -> usize {
        cpu.run(Filter { bounds: self, own, list, out })
    }
}

struct Filter<'a> {
    bounds: &'a PostingBounds,
    own: Posting,
    list: &'a [u64],
    out: &'a mut [u64],
}

impl Kernel for Filter<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<V: BitVector>(self) -> usize {
        V::filter_postings(self.bounds, self.own, self.list, self.out)
    }
}

#[inline(always)]
pub(super) fn scalar_filter(
    bounds: &PostingBounds,
    own: Posting,
    list: &[u64],
    out: &mut [u64],
) -> usize {
    let list = list[..list.len() - PADDING].iter().map(|word| Posting(*word));
    let mut count = 0;
    for (other, out) in list.zip(out).take_while(|(other, _)| other.number() < own.number()) {
        let begin = u64::from(bounds.may_begin(own, other)) * MAY_BEGIN;
        let end = u64::from(bounds.may_end(own, other)) * MAY_END;
        *out = u64::from(other.number()) << u32::BITS | begin | end;
        count += 1;
    }
    count
}

/// The filter with AVX2.
#[cfg(target_arch = "x86_64")]
pub(super) mod x86 {
    use std::arch::x86_64::*;

    use super::{MAY_BEGIN, MAY_END, PADDING, Posting, PostingBounds, UNIT};

    /// Words per register.
    const LANES: usize = PADDING + 1;

    /// Reads four postings at a time. The lower half of each word holds suffix norm and weight of 15 bits: one instruction multiplies both by
    /// those of `own` and adds.
    ///
    /// # Safety
    /// Must be inlined into a function compiled for AVX2, on a machine that has it.
    #[inline(always)]
    pub unsafe fn filter(
        bounds: &PostingBounds,
        own: Posting,
        list: &[u64],
        out: &mut [u64],
    ) -> usize {
        let length = list.len() - PADDING;
        assert!(out.len() >= list.len());
        // SAFETY: the caller runs on AVX2. Loads and stores need no alignment; PADDING words follow the last posting, in the list and in `out`.
        unsafe {
            let splat = |word: u64| _mm256_set1_epi64x(word as i64);
            // Numbers are compared with a sign.
            let sign = splat(1 << 63);
            let own_number = _mm256_xor_si256(splat(own.0 >> 32 << 32), sign);
            let (suffix_norm, weight) = (splat(own.0 & 0xffff_0000), splat(own.0 & 0xffff));
            let both = _mm256_or_si256(suffix_norm, weight);
            let min_length = _mm256_set1_epi32(bounds.length);
            let unit = _mm256_set1_epi32(UNIT as i32);
            let below_sum = _mm256_set1_epi32(bounds.sum - 1);
            let numbers = splat(!0 << 32);
            for at in (0..length).step_by(LANES) {
                let postings = _mm256_loadu_si256(list.as_ptr().add(at).cast());
                let sum = _mm256_madd_epi16(postings, both);
                let begin = _mm256_cmpgt_epi32(sum, below_sum);
                let product = _mm256_madd_epi16(postings, weight);
                let larger = _mm256_srli_epi32::<16>(_mm256_max_epi16(postings, suffix_norm));
                let missing = _mm256_mullo_epi32(min_length, _mm256_sub_epi32(unit, larger));
                let no_end = _mm256_cmpgt_epi32(missing, product);
                let flags = _mm256_or_si256(
                    _mm256_and_si256(begin, splat(MAY_BEGIN)),
                    _mm256_andnot_si256(no_end, splat(MAY_END)),
                );
                let candidates = _mm256_or_si256(_mm256_and_si256(postings, numbers), flags);
                _mm256_storeu_si256(out.as_mut_ptr().add(at).cast(), candidates);
                let is_before = _mm256_cmpgt_epi64(own_number, _mm256_xor_si256(postings, sign));
                let before = _mm256_movemask_pd(_mm256_castsi256_pd(is_before)).trailing_ones();
                if (before as usize) < LANES {
                    return (at + before as usize).min(length);
                }
            }
            length
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn posting() -> impl Strategy<Value = Posting> {
        let length = prop_oneof![Just(0.0), Just(1.0 + 1e-6), 0.0..1.0];
        let number = prop_oneof![0..40u32, any::<u32>()];
        (number, length.clone(), length).prop_map(|(number, w, s)| Posting::new(number, w, s))
    }

    /// A posting list with the words of other lists after it.
    fn list() -> impl Strategy<Value = Vec<u64>> {
        prop::collection::vec(posting(), 0..70).prop_map(|mut list| {
            list.sort_unstable_by_key(|posting| posting.number());
            let padding = [7; PADDING].map(|number| Posting::new(number, 1.0, 1.0));
            list.iter().chain(&padding).map(|posting| posting.0).collect()
        })
    }

    proptest! {
        #[test]
        fn postings_reach_the_bounds_that_their_lengths_reach(
            w in 0.0..1.0, r in 0.0..1.0, v in 0.0..1.0, s in 0.0..1.0, less in 0.0..1.0,
        ) {
            let (one, other) = (Posting::new(1, w, r), Posting::new(2, v, s));
            let (begun, ended) = (w * v + r * s, w * v / (1.0 - f64::max(r, s)));
            prop_assert!(PostingBounds::new(begun.min(1.0)).may_begin(one, other));
            prop_assert!(PostingBounds::new(begun.min(1.0) * less).may_begin(one, other));
            prop_assert!(PostingBounds::new(ended.min(1.0)).may_end(one, other));
            prop_assert!(PostingBounds::new(ended.min(1.0) * less).may_end(one, other));
            let above = 4.1 / UNIT;
            let is_tight = !PostingBounds::new(begun + above).may_begin(one, other);
            prop_assert!(begun + above > 1.0 || is_tight);
        }

        #[test]
        fn all_instruction_sets_find_the_same_candidates(own in posting(), list in list(), min in 0.0..1.0) {
            let bounds = PostingBounds::new(min);
            let candidates = |cpu| {
                let mut out = vec![0; list.len()];
                let count = bounds.filter(own, &list, &mut out, cpu);
                out.truncate(count);
                out
            };
            let expected = candidates(Cpu::SCALAR);
            for cpu in Cpu::available() {
                prop_assert_eq!(candidates(cpu), expected.clone());
            }
        }
    }

    #[test]
    fn the_largest_lengths_do_not_overflow() {
        let whole = Posting::new(u32::MAX, 1.0 + 1e-6, 1.0 + 1e-6);
        let bounds = PostingBounds::new(1.0);
        assert_eq!(
            (whole.weight(), whole.suffix_norm(), whole.number()),
            (32_001, 32_001, u32::MAX)
        );
        assert!(bounds.may_begin(whole, whole) && bounds.may_end(whole, whole));
        let nothing = Posting::new(0, 0.0, 0.0);
        assert!(!bounds.may_begin(nothing, nothing) && !bounds.may_end(nothing, nothing));
    }
}
