//! Inverted index: fingerprint to places.

use rustc_hash::FxHashMap;

/// Places of each fingerprint, ascending. Memory: 4 bytes per place, and 16 per fingerprint in a hash table.
#[derive(Debug, Default)]
pub(super) struct Postings {
    ranges: FxHashMap<u64, (u32, u32)>,
    places: Vec<u32>,
}

impl Postings {
    /// Indexes fingerprints with their places. Equal entries count once.
    pub fn new(mut entries: Vec<(u64, u32)>) -> Self {
        entries.sort_unstable();
        entries.dedup();
        let mut postings = Postings::default();
        for group in entries.chunk_by(|a, b| a.0 == b.0) {
            let start = postings.places.len() as u32;
            postings.places.extend(group.iter().map(|(_, place)| place));
            postings.ranges.insert(group[0].0, (start, postings.places.len() as u32));
        }
        postings
    }

    /// Returns the places of a fingerprint.
    pub fn get(&self, print: u64) -> &[u32] {
        let range = self.ranges.get(&print);
        range.map_or(&[], |(start, end)| &self.places[*start as usize..*end as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_ascend_and_count_once() {
        let postings = Postings::new(vec![(7, 3), (1, 0), (7, 1), (7, 3)]);
        assert_eq!((postings.get(7), postings.get(1)), (&[1, 3][..], &[0][..]));
        assert!(postings.get(2).is_empty());
    }
}
