//! Identities that occur repeatedly in a run: records with the same id are numbered, a file that is named twice is one document.

use rustc_hash::FxHashMap;

use super::identity::numbered;
use super::store::CatalogueEntry;
use crate::error::Result;
use crate::files::name::id_of_bytes;

/// Identities of a run so far, each with how often it occurred.
#[derive(Default)]
pub struct SeenIdentities {
    counts: FxHashMap<String, u64>,
}

impl SeenIdentities {
    /// Returns whether a document is a file that was read before, by another path.
    pub fn is_repeated_file(&self, entry: &CatalogueEntry) -> bool {
        // Members of archives may have the same name.
        self.may_be_repeated_file(entry) && entry.path.is_file()
    }

    /// Like [`SeenIdentities::is_repeated_file`], whether or not there is such a file.
    pub fn may_be_repeated_file(&self, entry: &CatalogueEntry) -> bool {
        let path = id_of_bytes(entry.path.as_os_str().as_encoded_bytes());
        let is_known = entry.line == 0 && self.counts.contains_key(&entry.id);
        is_known && !path.is_empty() && entry.id.ends_with(&path)
    }

    /// Gives an identity that occurred before a number: `a`, `a#2`. Returns whether it did. `is_other` tells whether an earlier document that was not passed
    /// to this function has an identity.
    pub fn number(
        &mut self,
        entry: &mut CatalogueEntry,
        is_other: impl Fn(&str) -> Result<bool>,
    ) -> Result<bool> {
        let count = self.counts.entry(entry.id.clone()).or_insert(0);
        *count += 1;
        if *count == 1 {
            return Ok(false);
        }
        let mut number = *count;
        loop {
            let id = numbered(&entry.id, number);
            if !self.counts.contains_key(&id) && !is_other(&id)? {
                self.counts.insert(entry.id.clone(), number);
                self.counts.insert(id.clone(), 1);
                entry.id = id;
                return Ok(true);
            }
            number += 1;
        }
    }
}
