//! Candidates of a query, collected from the posting lists of its prefix.

use super::seen::SeenSet;
use crate::bits::cpu::Cpu;
use crate::bits::postings::{MAY_BEGIN, MAY_END, PADDING, Posting, PostingBounds};

/// Candidates, list by list; one that is in several lists is repeated.
#[derive(Debug, Default)]
pub(super) struct CandidateBuffer {
    count: usize,
    /// `count` words, each a number in the upper half and its flags in the lower, then unused ones.
    words: Vec<u64>,
}

impl CandidateBuffer {
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Appends the candidates of a posting list: those before the query, whose posting is `own`. The list is the first `length` words, sorted by
    /// number.
    #[inline(always)]
    pub(super) fn append(
        &mut self,
        own: Posting,
        (list, length): (&[u64], usize),
        bounds: &PostingBounds,
        cpu: Cpu,
    ) {
        let end = self.count + length + PADDING;
        if self.words.len() < end {
            self.words.resize(2 * end, 0);
        }
        let (list, out) = (&list[..length + PADDING], &mut self.words[self.count..end]);
        self.count += bounds.filter(own, list, out, cpu);
    }

    /// Moves the candidates that may reach the threshold to `found`: by this term alone, or because it is not the first common term.
    ///
    /// The lists of a query are appended from the rarest term on, with one `seen` set that was cleared before the first.
    pub(super) fn drain_into(&mut self, seen: &mut SeenSet, found: &mut Vec<u32>) {
        for word in &self.words[..self.count] {
            let number = (word >> u32::BITS) as u32;
            // A first common term that rules a candidate out rules it out for good.
            let was_seen = seen.insert_if(number, word & MAY_BEGIN != 0);
            if was_seen | (word & MAY_END != 0) {
                found.push(number);
            }
        }
        self.count = 0;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn posting() -> impl Strategy<Value = Posting> {
        let length = prop_oneof![Just(0.0), Just(1.0 + 1e-6), 0.0..1.0];
        (0..40u32, length.clone(), length).prop_map(|(number, w, s)| Posting::new(number, w, s))
    }

    fn list() -> impl Strategy<Value = Vec<Posting>> {
        prop::collection::vec(posting(), 0..70).prop_map(|mut list| {
            list.sort_unstable_by_key(|posting| posting.number());
            list
        })
    }

    /// Appends a list twice.
    fn buffer(own: Posting, list: &[Posting], min: f64) -> CandidateBuffer {
        let padding = [Posting::new(7, 1.0, 1.0); PADDING];
        let words: Vec<u64> = list.iter().chain(&padding).map(|posting| posting.0).collect();
        let mut buffer = CandidateBuffer::default();
        for _ in 0..2 {
            let bounds = PostingBounds::new(min);
            buffer.append(own, (&words, list.len()), &bounds, Cpu::best());
        }
        buffer
    }

    fn drain(buffer: &mut CandidateBuffer, capacity: usize) -> Vec<u32> {
        let (mut seen, mut found) = (SeenSet::default(), vec![7]);
        seen.clear(capacity, 1 << 32);
        buffer.drain_into(&mut seen, &mut found);
        assert_eq!(buffer.len(), 0);
        found
    }

    proptest! {
        #[test]
        fn candidates_come_before_the_query(own in posting(), list in list()) {
            let numbers = list.iter().map(|posting| posting.number());
            let before: Vec<u32> = numbers.filter(|number| *number < own.number()).collect();
            let mut buffer = buffer(own, &list, 0.0);
            prop_assert_eq!(buffer.len(), 2 * before.len());
            let expected = [&[7][..], &before, &before].concat();
            prop_assert_eq!(drain(&mut buffer, list.len()), expected, "every cosine reaches 0");
        }

        #[test]
        fn candidates_within_bounds_are_found_when_seen_again(own in posting(), list in list(), min in 0.0..1.0) {
            let found = drain(&mut buffer(own, &list, min), list.len());
            let bounds = PostingBounds::new(min);
            let times = |other: &Posting| found[1..].iter().filter(|n| **n == other.number()).count();
            for other in list.iter().filter(|other| other.number() < own.number()) {
                let may_end = bounds.may_end(own, *other);
                prop_assert!(times(other) >= usize::from(bounds.may_begin(own, *other) | may_end));
                prop_assert!(times(other) >= 2 * usize::from(may_end));
            }
        }
    }
}
