//! The part that all tables of terms share: from a hash to the positions that may have it.

use super::pages::{in_large_pages, prefetch};

/// Fewest places of a table.
const FEWEST: usize = 64;
/// The bits of a slot that hold a position; the others hold a piece of the hash.
const POSITION_BITS: u32 = 32;

/// An open-addressed table of positions, at most half full. It holds no terms: whoever asks compares them. A slot is 0 or the high
/// half of the hash and the position counted from 1, so that most comparisons end without a look at the term.
#[derive(Debug, Clone)]
pub(super) struct Slots {
    slots: Vec<u64>,
    used: usize,
}

impl Slots {
    /// A table with room for so many.
    pub fn with_room_for(positions: usize) -> Self {
        let size = (positions * 2).next_power_of_two().max(FEWEST);
        let slots = vec![0; size];
        in_large_pages(&slots);
        Slots { slots, used: 0 }
    }

    /// The position with this hash for which `is_same`, or the free slot where it belongs.
    #[inline(always)]
    pub fn find(&self, hash: u64, mut is_same: impl FnMut(usize) -> bool) -> Result<usize, usize> {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return Err(at);
            }
            if slot >> POSITION_BITS == hash >> POSITION_BITS && is_same(position(slot)) {
                return Ok(position(slot));
            }
            at = (at + 1) & mask;
        }
    }

    /// Fills a free slot that [`Slots::find`] gave. The table may be too full then: see [`Slots::is_full`].
    #[inline]
    pub fn fill(&mut self, slot: usize, hash: u64, position: usize) {
        let number = u32::try_from(position + 1).expect("fewer than 2^32 terms fit into memory");
        self.slots[slot] = hash >> POSITION_BITS << POSITION_BITS | u64::from(number);
        self.used += 1;
    }

    /// Whether [`Slots::grow`] must come before the next search.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.used * 2 > self.slots.len()
    }

    /// Doubles the table; `hashes` are those of all positions from 0 on.
    pub fn grow(&mut self, hashes: impl ExactSizeIterator<Item = u64>) {
        *self = Slots::with_room_for(self.slots.len().max(hashes.len()));
        for (position, hash) in hashes.enumerate() {
            let slot = self.find(hash, |_| false).expect_err("nothing is the same");
            self.fill(slot, hash, position);
        }
    }

    /// Asks for the memory that a search for this hash will read first.
    #[inline]
    pub fn prefetch(&self, hash: u64) {
        prefetch(&self.slots[hash as usize & (self.slots.len() - 1)]);
    }

    /// The first position that a search for this hash would compare, if one is likely to be found at once.
    #[inline]
    pub fn candidate(&self, hash: u64) -> Option<usize> {
        let slot = self.slots[hash as usize & (self.slots.len() - 1)];
        (slot != 0 && slot >> POSITION_BITS == hash >> POSITION_BITS).then(|| position(slot))
    }
}

#[inline]
fn position(slot: u64) -> usize {
    (slot as u32 - 1) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn everything_put_in_is_found(hashes in prop::collection::vec(0u64..50, 0..400), shift in 0u32..60) {
            // Few hashes, so that many positions share a slot or a tag, or both.
            let hashes: Vec<u64> = hashes.iter().map(|hash| hash << shift).collect();
            let mut slots = Slots::with_room_for(0);
            for (position, hash) in hashes.iter().enumerate() {
                let free = slots.find(*hash, |_| false).unwrap_err();
                slots.fill(free, *hash, position);
                if slots.is_full() {
                    slots.grow(hashes[..=position].iter().copied());
                }
            }
            for (position, hash) in hashes.iter().enumerate() {
                prop_assert_eq!(slots.find(*hash, |other| other == position), Ok(position));
                let mut compared = Vec::new();
                let keep = |other| { compared.push(other); false };
                prop_assert_eq!(slots.find(*hash, keep).ok(), None);
                if let Some(candidate) = slots.candidate(*hash) {
                    prop_assert_eq!(candidate, compared[0]);
                }
            }
        }
    }
}
