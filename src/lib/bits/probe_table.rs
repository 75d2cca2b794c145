//! Open-addressing hash table, the one behind all tables of the crate.
//!
//! A slot's home is given by the highest bits of its hash, so slots lie about in the order of their hashes: growing and merging walk both tables
//! from one end to the other. The second slot probed is the neighbour in the same pair, so a pair that shares a cache line costs one cache miss.
//!
//! std's and hashbrown's tables keep control bytes apart from the entries: two cache misses per lookup in tables larger than the caches.

use rayon::prelude::*;

use super::pages::advise_huge_pages;
use super::prefetch::prefetch;

/// A slot of a [`ProbeTable`].
pub(crate) trait Slot: Copy + Default {
    /// Fewest slots of a table: a power of two.
    const MIN_SLOTS: usize;
    /// Quarters of the table that may be in use.
    const MAX_QUARTERS: usize;
    /// Returns whether the slot is free, as the default one is.
    fn is_free(&self) -> bool;
}

/// Up to this many slots, a growing table moves to a new allocation now and then.
const SMALL: usize = 1 << 12;
/// A larger table reserves this many at once. Memory that is never touched costs nothing, and touching new memory is expensive.
const RESERVED: usize = 1 << 21;

/// Slots found by their hashes. The caller compares keys, and stores them inside or outside of the slots.
#[derive(Debug, Clone)]
pub(crate) struct ProbeTable<S> {
    /// A power of two of them, at least one of which is free.
    slots: Vec<S>,
    used: usize,
    /// Bits below those of a hash that select its home.
    shift: u32,
}

impl<S: Slot> Default for ProbeTable<S> {
    fn default() -> Self {
        ProbeTable::of(vec![S::default(); S::MIN_SLOTS])
    }
}

impl<S: Slot> ProbeTable<S> {
    fn of(slots: Vec<S>) -> Self {
        let shift = shift(slots.len());
        ProbeTable { slots, used: 0, shift }
    }

    /// Returns the number of slots in use.
    pub fn len(&self) -> usize {
        self.used
    }

    /// All slots, free ones included.
    #[inline(always)]
    pub fn slots(&self) -> &[S] {
        &self.slots
    }

    /// A slot, to be changed; its hash must stay.
    #[inline(always)]
    pub fn slot_mut(&mut self, at: usize) -> &mut S {
        &mut self.slots[at]
    }

    /// Prefetches the first slot of a search.
    #[inline(always)]
    pub fn prefetch(&self, hash: u64) {
        prefetch(&self.slots[self.home(hash)]);
    }

    /// Returns the slot for which `is_it` holds, which has this hash, or else the free slot for it. `is_it` must be false for free slots.
    #[inline(always)]
    pub fn find(&self, hash: u64, mut is_it: impl FnMut(&S) -> bool) -> Result<usize, usize> {
        let (home, mut step) = (self.home(hash), 0);
        loop {
            let slot = &self.slots[home ^ step];
            if is_it(slot) {
                return Ok(home ^ step);
            }
            if slot.is_free() {
                return Err(home ^ step);
            }
            step += 1;
        }
    }

    /// Fills the free slot `at` that [`ProbeTable::find`] returned. Returns whether the table grew, which moves slots.
    #[inline(always)]
    pub fn insert(&mut self, at: usize, slot: S, hash_of: impl Fn(&S) -> u64) -> bool {
        self.slots[at] = slot;
        self.used += 1;
        let is_full = self.is_full(0);
        if is_full {
            self.grow(hash_of);
        }
        is_full
    }

    /// Frees all slots. A table that grew becomes small again, or clearing it would be slow.
    pub fn clear(&mut self) {
        self.used = 0;
        self.slots.truncate(S::MIN_SLOTS);
        self.shift = shift(S::MIN_SLOTS);
        self.slots.fill(S::default());
    }

    /// Grows to a capacity for `more` slots in use. Slots of another table arrive in the order of their hashes: growing between them instead would
    /// crowd all of them at the start.
    pub fn reserve(&mut self, more: usize, hash_of: impl Fn(&S) -> u64) {
        while self.is_full(more) {
            self.grow(&hash_of);
        }
    }

    fn is_full(&self, more: usize) -> bool {
        (self.used + more) * 4 > self.slots.len() * S::MAX_QUARTERS
    }

    /// Doubles the table, in place if it has the capacity: from the last slot on, each moves to about twice its position, where nothing is left.
    #[cold]
    fn grow(&mut self, hash_of: impl Fn(&S) -> u64) {
        let size = self.slots.len();
        if self.slots.capacity() < 2 * size {
            // Not `Vec::reserve`: a reallocation would leave huge pages.
            let capacity = if size < SMALL { 8 * size } else { RESERVED.max(2 * size) };
            let mut larger = Vec::with_capacity(capacity);
            advise_huge_pages(&larger);
            larger.extend_from_slice(&self.slots);
            self.slots = larger;
        }
        self.slots.resize(2 * size, S::default());
        self.shift -= 1;
        let mut late = Vec::new();
        for at in (0..size).rev() {
            let slot = std::mem::take(&mut self.slots[at]);
            if !slot.is_free() && !self.put(slot, hash_of(&slot), at) {
                late.push(slot);
            }
        }
        late.into_iter().for_each(|slot| _ = self.put(slot, hash_of(&slot), 0));
    }

    /// Moves a slot to its place, unless probing leads before `from`, where slots have not moved yet.
    fn put(&mut self, slot: S, hash: u64, from: usize) -> bool {
        let (home, mut step) = (self.home(hash), 0);
        while home ^ step >= from {
            let place = &mut self.slots[home ^ step];
            if place.is_free() {
                *place = slot;
                return true;
            }
            step += 1;
        }
        false
    }

    #[inline(always)]
    fn home(&self, hash: u64) -> usize {
        (hash >> self.shift) as usize
    }
}

impl<S: Slot + Send> ProbeTable<S> {
    /// Creates a table that holds `slots` without growing. All threads touch its memory: the system clears new pages slowly.
    pub fn with_capacity(slots: usize) -> Self {
        let size = (slots * 4 / S::MAX_QUARTERS + 1).next_power_of_two().max(S::MIN_SLOTS);
        let mut slots = Vec::with_capacity(size);
        advise_huge_pages(&slots);
        slots.par_extend(rayon::iter::repeat_n(S::default(), size));
        ProbeTable::of(slots)
    }

    /// Splits the table into [`Slot::MIN_SLOTS`] parts by the highest bits of the hashes, for several threads.
    pub fn parts_mut(&mut self) -> impl IndexedParallelIterator<Item = TablePart<'_, S>> {
        let (size, shift) = (self.slots.len() / S::MIN_SLOTS, self.shift);
        let parts = self.slots.par_chunks_mut(size).enumerate();
        parts.map(move |(number, slots)| TablePart { slots, first: number * size, shift })
    }
}

/// A part of a table.
pub(crate) struct TablePart<'a, S> {
    slots: &'a mut [S],
    /// Position of its first slot.
    first: usize,
    /// That of the table.
    shift: u32,
}

impl<S: Slot> TablePart<'_, S> {
    /// Returns the slot for which `is_it` holds, which has this hash. May miss one whose probing leaves the part.
    pub fn find(&mut self, hash: u64, is_it: impl Fn(&S) -> bool) -> Option<&mut S> {
        let home = ((hash >> self.shift) as usize).checked_sub(self.first)?;
        let probed = (0..self.slots.len()).map(|step| home ^ step);
        let at = probed.take_while(|at| *at < self.slots.len()).find(|at| {
            let slot = &self.slots[*at];
            is_it(slot) || slot.is_free()
        })?;
        Some(&mut self.slots[at]).filter(|slot| !slot.is_free())
    }
}

/// The shift that leaves as many of a hash's highest bits as number `slots`, a power of two of at least 2.
fn shift(slots: usize) -> u32 {
    u64::BITS - slots.trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// A hash, which is its own key; 0 is free.
    #[derive(Debug, Clone, Copy, Default, PartialEq)]
    struct Number(u64);

    impl Slot for Number {
        const MIN_SLOTS: usize = 4;
        const MAX_QUARTERS: usize = 3;
        fn is_free(&self) -> bool {
            self.0 == 0
        }
    }

    fn insert(table: &mut ProbeTable<Number>, number: u64) {
        if let Err(free) = table.find(number, |slot| slot.0 == number) {
            table.insert(free, Number(number), |slot| slot.0);
        }
    }

    /// Hashes that crowd at both ends and in between.
    fn hashes() -> impl Strategy<Value = Vec<u64>> {
        let hash = prop_oneof![
            1u64..40,
            any::<u64>().prop_map(|n| n | 1),
            (1u64..40).prop_map(|n| u64::MAX - n)
        ];
        prop::collection::vec(hash, 0..300)
    }

    proptest! {
        #[test]
        fn tables_are_sets(hashes in hashes(), others in hashes(), more in 0usize..100) {
            let (mut table, mut set) = (ProbeTable::default(), BTreeSet::new());
            for number in &hashes {
                insert(&mut table, *number);
                set.insert(*number);
            }
            table.reserve(more, |slot| slot.0);
            prop_assert_eq!(table.len(), set.len());
            prop_assert!((table.len() + more) * 4 <= table.slots().len() * 3);
            prop_assert_eq!(table.slots().iter().filter(|slot| !slot.is_free()).count(), set.len());
            for number in hashes.iter().chain(&others) {
                let found = table.find(*number, |slot| slot.0 == *number);
                prop_assert_eq!(found.is_ok(), set.contains(number));
                prop_assert!(found.is_err() || table.slots()[found.unwrap()] == Number(*number));
            }
            table.clear();
            prop_assert_eq!((table.len(), table.slots()), (0, &[Number(0); 4][..]));
        }

        #[test]
        fn parts_find_nothing_but_their_slots(hashes in hashes(), others in hashes()) {
            let mut table = ProbeTable::default();
            hashes.iter().for_each(|number| insert(&mut table, *number));
            let found = |part: TablePart<'_, Number>| {
                let mut part = part;
                let all = hashes.iter().chain(&others).copied();
                all.filter(|number| part.find(*number, |slot| slot.0 == *number).is_some()).collect::<Vec<_>>()
            };
            let found: Vec<u64> = table.parts_mut().flat_map_iter(found).collect();
            prop_assert!(found.iter().all(|number| hashes.contains(number)));
        }
    }
}
