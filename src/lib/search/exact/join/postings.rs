//! A place in a list of the index, and who may reach the threshold there.

/// A vector, by its place in the join, in the list of a term, with the term's weight in it and the length of what comes after the term, both rounded up to 16 bits.
///
/// All in one word, so that lists can be filled by several threads at once and a short one is in one cache line: the weight in the lowest
/// 16 bits, then the rest, then the place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Posting(pub(super) u64);

/// What a length of one is stored as. Twice its square, with what is rounded up, fits 31 bits.
pub(super) const UNIT: f64 = 32_000.0;

impl Posting {
    /// A posting of lengths of at most 1, but for rounding.
    pub(super) fn new(place: u32, weight: f64, rest: f64) -> Self {
        Posting(u64::from(place) << 32 | rounded_up(rest) << 16 | rounded_up(weight))
    }

    /// The vector.
    #[inline(always)]
    pub(super) fn place(self) -> u32 {
        (self.0 >> 32) as u32
    }

    #[inline(always)]
    fn weight(self) -> i32 {
        i32::from(self.0 as u16)
    }

    #[inline(always)]
    fn rest(self) -> i32 {
        i32::from((self.0 >> 16) as u16)
    }
}

/// A length in units, above it by one at most. `ceil` would be a call of a function where the processor is not known to have it.
fn rounded_up(length: f64) -> u64 {
    u64::from((length * UNIT) as u16) + 1
}

/// What two vectors must reach where they meet, in units, rounded down.
#[derive(Debug, Clone, Copy)]
pub(super) struct Least {
    pub(super) length: i32,
    pub(super) sum: i32,
}

impl Least {
    /// For a cosine of at least `least`.
    pub(super) fn new(least: f64) -> Self {
        Least { length: (least * UNIT) as i32, sum: (least * UNIT * UNIT) as i32 }
    }

    /// Whether two vectors whose rarest common term this is may be as similar: w·w + r·r, since all other common terms come later.
    #[inline(always)]
    pub(super) fn may_begin(&self, one: Posting, other: Posting) -> bool {
        one.weight() * other.weight() + one.rest() * other.rest() >= self.sum
    }

    /// Whether they may be if no other term is in both prefixes. What is left then of the one whose prefix ends first is shorter than the
    /// least cosine `t`, and what is left of the other comes after this term and is at most as long as its rest: w·w + t·r.
    #[inline(always)]
    pub(super) fn may_end(&self, one: Posting, other: Posting) -> bool {
        let missing = self.length * (UNIT as i32 - one.rest().max(other.rest()));
        one.weight() * other.weight() >= missing
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_lengths_reach_their_postings_reach(w in 0.0..1.0, r in 0.0..1.0, v in 0.0..1.0, s in 0.0..1.0, less in 0.0..1.0) {
            let (one, other) = (Posting::new(1, w, r), Posting::new(2, v, s));
            let (begun, ended) = (w * v + r * s, w * v / (1.0 - f64::max(r, s)));
            prop_assert!(Least::new(begun.min(1.0)).may_begin(one, other));
            prop_assert!(Least::new(begun.min(1.0) * less).may_begin(one, other));
            prop_assert!(Least::new(ended.min(1.0)).may_end(one, other));
            prop_assert!(Least::new(ended.min(1.0) * less).may_end(one, other));
            let above = 4.1 / UNIT;
            prop_assert!(begun + above > 1.0 || !Least::new(begun + above).may_begin(one, other), "nor more");
        }
    }

    #[test]
    fn the_largest_lengths_do_not_overflow() {
        let whole = Posting::new(u32::MAX, 1.0 + 1e-6, 1.0 + 1e-6);
        let least = Least::new(1.0);
        assert_eq!((whole.weight(), whole.rest(), whole.place()), (32_001, 32_001, u32::MAX));
        assert!(least.may_begin(whole, whole) && least.may_end(whole, whole));
        let nothing = Posting::new(0, 0.0, 0.0);
        assert!(!least.may_begin(nothing, nothing) && !least.may_end(nothing, nothing));
    }
}
