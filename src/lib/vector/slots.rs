//! The table behind [`TermIndex`](super::TermIndex): from a key to a number.

use crate::bits::pages::advise_huge_pages;
use crate::bits::prefetch::prefetch;
use crate::text::Key;

/// Fewest slots of a table.
const FEWEST: usize = 64;
/// The higher half of the hash stands in the slot, the lower one tells where that is.
const TAG_SHIFT: u32 = 32;

/// An open-addressed table from keys to numbers, at most four fifths full. It holds no terms: whoever asks compares the long ones.
#[derive(Debug, Clone)]
pub(super) struct Slots {
    slots: Vec<Slot>,
}

/// A key and its number in half a cache line: a search that ends where it begins waits for memory once.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(32))]
struct Slot {
    head: u128,
    tag: u32,
    /// Of longer terms only the lower bits, because their text is compared anyway.
    length: u32,
    /// The number counted from 1; 0 if the slot is free.
    number: u32,
}

impl Slot {
    #[inline]
    fn new(key: &Key, number: u32) -> Self {
        let tag = (key.hash() >> TAG_SHIFT) as u32;
        Slot { head: key.head(), tag, length: key.length() as u32, number }
    }

    #[inline]
    fn has_key_of(&self, other: &Slot) -> bool {
        self.head == other.head && self.tag == other.tag && self.length == other.length
    }
}

impl Slots {
    /// A table with room for so many.
    pub fn with_room_for(numbers: usize) -> Self {
        let size = (numbers + numbers / 4 + 1).next_power_of_two().max(FEWEST);
        let mut slots = Vec::with_capacity(size);
        advise_huge_pages(&slots);
        slots.resize(size, Slot::default());
        Slots { slots }
    }

    /// The number that has this key, or the free slot where it belongs. `is_same_text` is asked where keys cannot tell.
    #[inline(always)]
    pub fn find(
        &self,
        key: &Key,
        mut is_same_text: impl FnMut(usize) -> bool,
    ) -> Result<usize, usize> {
        let wanted = Slot::new(key, 0);
        let mut at = self.home(key);
        loop {
            let slot = &self.slots[at];
            if slot.number == 0 {
                return Err(at);
            }
            let number = slot.number as usize - 1;
            if slot.has_key_of(&wanted) && (key.holds_all() || is_same_text(number)) {
                return Ok(number);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// Fills a free slot that [`Slots::find`] gave.
    #[inline]
    pub fn fill(&mut self, slot: usize, key: &Key, number: usize) {
        let number = u32::try_from(number + 1).expect("fewer than 2^32 terms fit into memory");
        self.slots[slot] = Slot::new(key, number);
    }

    /// Asks for the memory that a search for this key will read first.
    #[inline]
    pub fn prefetch(&self, key: &Key) {
        prefetch(&self.slots[self.home(key)]);
    }

    #[inline]
    fn home(&self, key: &Key) -> usize {
        key.hash() as usize & (self.slots.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_was_put_in_is_found_and_nothing_else(
            words in prop::collection::btree_set("[ab\0]{0,5}|[ab]{15,17}|a{16}[ab]{3,12}", 0..200),
            others in prop::collection::vec("[ab\0]{0,5}|[ab]{15,17}|a{16}[ab]{3,12}", 0..200),
        ) {
            let words: Vec<String> = words.into_iter().collect();
            let mut slots = Slots::with_room_for(words.len());
            for (number, word) in words.iter().enumerate() {
                let key = Key::of(word);
                slots.prefetch(&key);
                let free = slots.find(&key, |other| words[other] == *word).unwrap_err();
                slots.fill(free, &key, number);
            }
            for word in words.iter().chain(&others) {
                let found = slots.find(&Key::of(word), |other| words[other] == *word).ok();
                prop_assert_eq!(found, words.binary_search(word).ok());
            }
        }
    }
}
