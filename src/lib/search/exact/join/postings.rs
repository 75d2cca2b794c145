//! One list of the index: who of it can reach the threshold.

use bytemuck::TransparentWrapper;

use super::met::Met;

/// A vector, by its place in the join, in the list of a term, with the term's weight in it and the length of what comes after the term, both rounded up to 16 bits.
///
/// All in one word, so that lists can be filled by several threads at once and a short one is in one cache line: the weight in the lowest
/// 16 bits, then the rest, then the place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub(super) struct Posting(u64);

// SAFETY: it is nothing but the word.
unsafe impl TransparentWrapper<u64> for Posting {}

/// What a length of one is stored as. Twice its square, with what is rounded up, fits 31 bits.
const UNIT: f64 = 32_000.0;

impl Posting {
    /// A posting of lengths of at most 1, but for rounding.
    pub(super) fn new(place: u32, weight: f64, rest: f64) -> Self {
        Posting(u64::from(place) << 32 | rounded_up(rest) << 16 | rounded_up(weight))
    }

    /// Postings from their words.
    pub(super) fn from_words(words: &[u64]) -> &[Self] {
        Posting::wrap_slice(words)
    }

    /// As a word.
    pub(super) fn word(self) -> u64 {
        self.0
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
    length: i32,
    sum: i32,
}

impl Least {
    /// For a cosine of at least `least`.
    pub(super) fn new(least: f64) -> Self {
        Least { length: (least * UNIT) as i32, sum: (least * UNIT * UNIT) as i32 }
    }

    /// Whether two vectors whose rarest common term this is may be as similar: w·w + r·r, since all other common terms come later.
    #[inline(always)]
    fn may_begin(&self, one: Posting, other: Posting) -> bool {
        one.weight() * other.weight() + one.rest() * other.rest() >= self.sum
    }

    /// Whether they may be if no other term is in both prefixes. What is left then of the one whose prefix ends first is shorter than the
    /// least cosine `t`, and what is left of the other comes after this term and is at most as long as its rest: w·w + t·r.
    #[inline(always)]
    fn may_end(&self, one: Posting, other: Posting) -> bool {
        let missing = self.length * (UNIT as i32 - one.rest().max(other.rest()));
        one.weight() * other.weight() >= missing
    }
}

/// Goes through the list of a term that a vector, of which `own` is the posting, has in its prefix, up to the vector itself. Appends the places of those that
/// may be as similar to it as `least` says: by this term alone, or because it is not the first one they have in common. Returns how many were met.
///
/// A vector's lists are gone through from the rarest term on, with one `met` that was cleared before the first.
pub(super) fn scan(
    own: Posting,
    list: &[Posting],
    least: &Least,
    met: &mut Met,
    found: &mut Vec<u32>,
) -> usize {
    for (number, other) in list.iter().enumerate() {
        if other.place() >= own.place() {
            return number;
        }
        // One whose first meeting is in vain need not be known at the second.
        let was_met = met.was_met(other.place(), least.may_begin(own, *other));
        if was_met | least.may_end(own, *other) {
            found.push(other.place());
        }
    }
    list.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn posting() -> impl Strategy<Value = Posting> {
        let length = prop_oneof![Just(0.0), Just(1.0 + 1e-6), 0.0..1.0];
        (any::<u32>(), length.clone(), length).prop_map(|(place, w, r)| Posting::new(place, w, r))
    }

    proptest! {
        #[test]
        fn only_those_before_are_met(own in posting(), mut list in prop::collection::vec(posting(), 0..70)) {
            list.sort_unstable_by_key(|posting| posting.place());
            let before: Vec<u32> = list.iter().map(|p| p.place()).filter(|p| *p < own.place()).collect();
            let (mut met, mut found) = (Met::default(), vec![7]);
            met.clear(before.len(), 1 << 32);
            prop_assert_eq!(scan(own, &list, &Least::new(0.0), &mut met, &mut found), before.len());
            prop_assert_eq!(found, [vec![7], before].concat(), "any cosine is enough here");
        }

        #[test]
        fn those_that_were_met_in_reach_are_found_when_met_again(
            own in posting(), list in prop::collection::vec(posting(), 0..70), least in 0.0..1.0,
        ) {
            let own = Posting(own.word() | u64::from(u32::MAX) << 32);
            let least = Least::new(least);
            let (mut met, mut found) = (Met::default(), Vec::new());
            met.clear(list.len(), 1 << 32);
            scan(own, &list, &least, &mut met, &mut found);
            let alone = list.iter().filter(|other| least.may_end(own, **other));
            prop_assert!(alone.into_iter().all(|other| found.contains(&other.place())));
            found.clear();
            scan(own, &list, &least, &mut met, &mut found);
            let in_reach = list.iter().filter(|other| least.may_begin(own, **other));
            prop_assert!(in_reach.into_iter().all(|other| found.contains(&other.place())));
        }

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
