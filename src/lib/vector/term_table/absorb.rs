//! Two tables as one, by several threads.

use rayon::prelude::*;

use super::{Entry, FEWEST, TermTable};
use crate::text::Key;

/// A table has so many parts, by the highest bits of its terms' hashes; nearly every term stands in its own.
const PARTS: usize = FEWEST;

impl<T: Copy + Default + Send + Sync> TermTable<T> {
    /// Adds the terms of another table. `add` gets what is known of each here, which is nothing if it is new, and there.
    pub fn absorb(&mut self, other: &Self, add: impl Fn(&mut T, &T) + Sync) {
        let (own_size, size) = (self.entries.len() / PARTS, other.entries.len() / PARTS);
        let text = &self.text;
        let own = self.entries.par_chunks_mut(own_size).enumerate();
        let left = own.map(|(number, entries)| {
            let mut part = Part { entries, first: number * own_size, room: own_size * PARTS, text };
            let mut left = Vec::new();
            for place in other.places_in(number * size..(number + 1) * size) {
                match part.find(other, place) {
                    Some(value) => add(value, other.value(place)),
                    None => left.push(place),
                }
            }
            left
        });
        let left = left.collect::<Vec<_>>().concat();
        self.make_room(left.len());
        for place in left {
            let own = self.place(&other.key(place), || other.term(place));
            add(self.value_mut(own), other.value(place));
        }
    }
}

/// A part of a table that is absorbing.
struct Part<'a, T> {
    entries: &'a mut [Entry<T>],
    /// Where it begins, and how many places there are in all.
    first: usize,
    room: usize,
    /// The text of the table.
    text: &'a str,
}

impl<T: Copy + Default> Part<'_, T> {
    /// What is known of a term of another table, if that stands in this part.
    fn find(&mut self, other: &TermTable<T>, place: usize) -> Option<&mut T> {
        let entry = &other.entries[place];
        let home = super::home(entry.hash(), self.room).checked_sub(self.first)?;
        let place = (0..self.entries.len()).map(|step| home ^ step).find(|place| {
            let here = self.entries.get(*place);
            here.is_none_or(|here| here.length == 0 || here.is_same(self.text, entry, &other.text))
        })?;
        self.entries.get_mut(place).filter(|here| here.length != 0).map(|here| &mut here.value)
    }
}

impl<T> Entry<T> {
    /// Whether two entries have the same term; each has its table's text.
    fn is_same(&self, text: &str, other: &Self, other_text: &str) -> bool {
        let length = self.length as usize - 1;
        if self.length != other.length || Key::fits(length) {
            return self.length == other.length && self.head == other.head;
        }
        let text = &text[self.start()..self.start() + length];
        self.head as u64 == other.head as u64
            && text == &other_text[other.start()..other.start() + length]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn table(words: &[String]) -> TermTable<u32> {
        let mut table = TermTable::default();
        for word in words {
            let place = table.place(&Key::of(word), || word);
            *table.value_mut(place) += 1;
        }
        table
    }

    fn counts(table: &TermTable<u32>) -> Vec<(&str, u32)> {
        let mut counts: Vec<_> =
            table.places().map(|place| (table.term(place), *table.value(place))).collect();
        counts.sort_unstable();
        counts
    }

    fn words() -> impl Strategy<Value = Vec<String>> {
        let word = "[a-cé\0]{0,4}|[ab]{15,18}|[a-z]{2}";
        prop::collection::vec(word, 0..400)
    }

    proptest! {
        #[test]
        fn absorbed_terms_are_those_of_both(one in words(), other in words()) {
            let mut both = table(&one);
            both.absorb(&table(&other), |known, more| *known += more);
            let together = table(&[one, other].concat());
            prop_assert_eq!(both.len(), together.len());
            prop_assert_eq!(counts(&both), counts(&together));
            for (term, _) in counts(&together) {
                prop_assert!(both.find(&Key::of(term), term).is_some());
            }
        }
    }
}
