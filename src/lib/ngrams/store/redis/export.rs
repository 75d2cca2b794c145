//! Everything in an index: the hashes of each document, and the check that all are there.

use rustc_hash::FxHashMap;

use super::RedisStore;
use super::head::IDENTITIES;
use super::packing::BucketPosting;
use crate::error::Result;
use crate::ngrams::kinds::NgramKind;
use crate::ngrams::store::{CatalogueEntry, HashVisitor, NgramStore};

/// Memory of an export, in hashes.
const EXPORTED_AT_ONCE: u64 = 1 << 26;
/// Postings that are read at once.
const POSTINGS_AT_ONCE: u64 = 1 << 22;

/// Hashes by document and length.
type HashLists = FxHashMap<(u32, usize), Vec<u64>>;

impl RedisStore {
    /// Calls `visit` with the hashes of a length, range by range, increasing: with all postings of a range at a time.
    pub(super) fn for_each_range(
        &self,
        length: usize,
        mut visit: impl FnMut(Vec<BucketPosting>) -> Result<()>,
    ) -> Result<()> {
        let total: u64 = self.levels(length).map(|level| level.postings).sum();
        let bits = total.div_ceil(POSTINGS_AT_ONCE).max(1).next_power_of_two().trailing_zeros();
        for range in 0..1u64 << bits {
            let first = range.checked_shl(64 - bits).unwrap_or(0);
            let last = first | u64::MAX.checked_shr(bits).unwrap_or(0);
            visit(self.postings(length, first, last)?)?;
        }
        self.check_epoch()
    }

    fn lengths(&self) -> Vec<usize> {
        let mut lengths: Vec<usize> = self.head.levels.iter().map(|level| level.length).collect();
        lengths.sort_unstable();
        lengths.dedup();
        lengths.retain(|length| *length != IDENTITIES);
        lengths
    }

    /// Calls `visit` with the hashes of every document.
    pub(super) fn export(&self, visit: &mut HashVisitor<'_>) -> Result<()> {
        let (mut some, mut hashes) = (Vec::new(), 0);
        self.for_each_entry(&mut |document, entry| {
            hashes += entry.ngrams.iter().map(|(_, count)| *count).sum::<u64>();
            some.push((document.0 as u32, entry));
            if hashes >= EXPORTED_AT_ONCE {
                self.export_some(&std::mem::take(&mut some), visit)?;
                hashes = 0;
            }
            Ok(())
        })?;
        self.export_some(&some, visit)
    }

    fn export_some(
        &self,
        documents: &[(u32, CatalogueEntry)],
        visit: &mut HashVisitor<'_>,
    ) -> Result<()> {
        let mut lists = HashLists::default();
        for (document, entry) in documents {
            for (length, count) in &entry.ngrams {
                lists.insert((*document, *length), Vec::with_capacity(*count as usize));
            }
        }
        for length in self.lengths() {
            self.for_each_range(length, |postings| {
                for (hash, document) in postings {
                    if let Some(list) = lists.get_mut(&(document, length)) {
                        list.push(hash);
                    }
                }
                Ok(())
            })?;
        }
        for (document, entry) in documents {
            for (length, _) in &entry.ngrams {
                let own = lists.get(&(*document, *length));
                visit(entry, *length, own.map_or(&[], Vec::as_slice))?;
            }
        }
        Ok(())
    }

    /// Reads everything and compares the postings of each document with its entry.
    pub(super) fn check_all(&self) -> Result<()> {
        let (mut found, mut others) = (FxHashMap::<(u32, usize), u64>::default(), 0u64);
        for length in self.lengths().into_iter().chain([IDENTITIES]) {
            self.for_each_range(length, |postings| {
                for (_, document) in postings {
                    match self.has(document) {
                        true => *found.entry((document, length)).or_default() += 1,
                        false => others += 1,
                    }
                }
                Ok(())
            })?;
        }
        self.for_each_entry(&mut |document, entry| {
            let document = document.0 as u32;
            for (length, expected) in entry.ngrams.iter().chain([&(IDENTITIES, 1)]) {
                let found = found.get(&(document, *length)).copied().unwrap_or(0);
                if found != *expected {
                    return Err(self.wrong_count(&entry, *length, *expected, found));
                }
            }
            Ok(())
        })?;
        if others > 0 {
            let message = "postings of removed documents or interrupted runs; compact removes them";
            self.session.info(&format!("{others} {message}"));
        }
        Ok(())
    }

    fn wrong_count(
        &self,
        entry: &CatalogueEntry,
        length: usize,
        expected: u64,
        found: u64,
    ) -> crate::error::Error {
        let what = match length {
            IDENTITIES => "its id".to_string(),
            key => match NgramKind::of_key(key) {
                NgramKind::Words(length) => format!("n-grams of {length} words"),
                NgramKind::Stems => "n-grams of stems".to_string(),
            },
        };
        let hint = "index the document again with --replace";
        self.client
            .error(format!("{}: expected {expected} of {what}, found {found}: {hint}", entry.id))
    }
}
