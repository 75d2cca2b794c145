//! The store of the tests: sorted maps in memory.

use std::collections::{BTreeMap, BTreeSet};

use super::{CatalogueEntry, NewDocument};

/// Documents by id, with their hashes by length.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MapStore {
    /// Entries and hashes by id.
    pub documents: BTreeMap<String, (CatalogueEntry, BTreeMap<usize, BTreeSet<u64>>)>,
}

impl MapStore {
    /// Adds a document, or replaces it.
    pub fn add(&mut self, document: NewDocument) {
        let NewDocument { mut entry, hashes } = document;
        entry.ngrams = hashes.iter().map(|(length, own)| (*length, own.len() as u64)).collect();
        let hashes = hashes.into_iter().map(|(length, own)| (length, own.into_iter().collect()));
        self.documents.insert(entry.id.clone(), (entry, hashes.collect()));
    }

    /// Returns the ids of the documents that hold each hash, with its position.
    pub fn lookup(&self, length: usize, hashes: &[u64]) -> BTreeSet<(String, u32)> {
        let mut found = BTreeSet::new();
        for (id, (_, own)) in &self.documents {
            for (position, hash) in hashes.iter().enumerate() {
                if own.get(&length).is_some_and(|own| own.contains(hash)) {
                    found.insert((id.clone(), position as u32));
                }
            }
        }
        found
    }
}
