//! Postings of the prefix index, packed into words, and the bound that a candidate must reach.

use crate::bits::products::{Factor, Packed};

/// Vector in a posting list: its number, the weight of the list's term in it, and the suffix norm, the norm of the components after that term.
/// Both are rounded up to 16 bits.
///
/// One word holds all three, so that several threads can fill lists at once and a short list takes one cache line: the weight in the lowest 16
/// bits, then the suffix norm, then the number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Posting(pub(super) u64);

/// Stored value of a length of one. Its square, rounded up, fits 32 bits.
const UNIT: f64 = 32_000.0;

impl Posting {
    /// Returns the posting of a weight and a suffix norm of at most 1, up to rounding.
    pub(super) fn new(number: u32, weight: f64, suffix_norm: f64) -> Self {
        Posting(u64::from(number) << 32 | rounded_up(suffix_norm) << 16 | rounded_up(weight))
    }

    /// Returns the number of the vector.
    #[inline(always)]
    pub(super) fn number(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// Returns the weight and the suffix norm.
    #[inline(always)]
    pub(super) fn packed(self) -> Packed {
        Packed(self.0 as u32)
    }
}

/// Returns a length in units, at most one above it. `ceil` is a function call where the instruction set is not known to have it.
pub(super) fn rounded_up(length: f64) -> u64 {
    u64::from((length * UNIT) as u16) + 1
}

/// Bound that the sum of products of a pair must reach.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bound {
    /// The minimum cosine, rounded up.
    prefix_norm: u32,
    /// The minimum cosine, rounded down.
    pub(super) sum: u32,
}

impl Bound {
    /// Returns the bound for a cosine of at least `min`.
    pub(super) fn new(min: f64) -> Self {
        Bound { prefix_norm: (min * UNIT) as u32 + 1, sum: (min * UNIT * UNIT) as u32 }
    }

    /// Returns the bound for a prefix term of the query. A similar pair reaches it at the last term in both prefixes.
    ///
    /// All other common terms come later, so they add at most the product of the suffix norms. They also come after the end of the prefix that
    /// ends first; there the suffix norm of one vector is below the minimum cosine, and that of the other is at most its suffix norm here.
    pub(super) fn at(&self, own: Posting) -> Factor {
        Factor { own: own.packed(), min: self.prefix_norm, sum: self.sum }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn postings_reach_the_bounds_that_their_lengths_reach(
            w in 0.0..1.0, r in 0.0..1.0, v in 0.0..1.0, s in 0.0..1.0, share in 0.0..1.0,
        ) {
            let (one, other) = (Posting::new(1, w, r), Posting::new(2, v, s));
            // With the second bound, the cosine c is at most w·v + c·max(r, s).
            let attainable = f64::min(w * v + r * s, w * v / (1.0 - f64::max(r, s)));
            let may_reach = |min: f64| Bound::new(min).at(one).add(other.packed(), &mut 0);
            prop_assert!(may_reach(attainable.min(1.0)));
            prop_assert!(may_reach(attainable.min(1.0) * share));
            let above = w * v + r * s + 5.0 / UNIT;
            prop_assert!(above > 1.0 || !may_reach(above), "the bound is tight");
        }
    }

    #[test]
    fn the_largest_lengths_do_not_overflow() {
        let whole = Posting::new(u32::MAX, 1.0 + 1e-6, 1.0 + 1e-6);
        assert_eq!((whole.packed(), whole.number()), (Packed(32_001 << 16 | 32_001), u32::MAX));
        let bound = Bound::new(1.0);
        assert!(bound.at(whole).add(whole.packed(), &mut 0));
        let nothing = Posting::new(0, 0.0, 0.0);
        assert!(!bound.at(nothing).add(nothing.packed(), &mut 0));
    }
}
