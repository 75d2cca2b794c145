//! Stores of n-grams: an inverted index from hashes to documents, and the catalogue of documents.
//!
//! [`NgramStore`] reads a state of the index that nobody changes any more; [`NgramWriter`] prepares the next one, which counts from
//! [`NgramWriter::commit`] on, as a whole. [`embedded`] keeps both in files, [`redis`] in a cluster. [`StoreArgs`] chooses.

pub mod embedded;
mod parameters;
mod place;
pub mod redis;
#[cfg(test)]
pub mod testing;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use super::grams::HashesByKind;
use crate::error::Result;

pub use parameters::IndexParameters;
pub use place::{StoreArgs, StorePlace};

/// A document of a store, as long as the store is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentKey(pub u64);

/// What a store knows of a document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CatalogueEntry {
    /// The identity of the document, unique in the store.
    pub id: String,
    /// The file that holds its text; empty for standard input.
    pub path: PathBuf,
    /// The record's line in the file, from 1; 0 if the file is the document.
    pub line: u64,
    /// Bytes of the decompressed file before the record, if they are known.
    pub position: Option<u64>,
    /// The number of words.
    pub words: u64,
    /// The hash of the text as it was read, to notice changes.
    pub text_hash: u64,
    /// Keys of the kinds of its n-grams, increasing, with the number of those stored.
    pub ngrams: Vec<(usize, u64)>,
}

/// A document to add.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDocument {
    /// Its entry; the store fills in the numbers of n-grams.
    pub entry: CatalogueEntry,
    /// Its hashes.
    pub hashes: HashesByKind,
}

/// A hash that a document holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct NgramMatch {
    /// The document.
    pub document: DocumentKey,
    /// The position of the hash in the query.
    pub position: u32,
}

/// Counts of the n-grams of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LengthCounts {
    /// Pairs of a hash and a document, removed documents included.
    pub postings: u64,
    /// Different hashes; if the store has several parts, the sum of theirs.
    pub distinct: u64,
    /// Bytes of the postings on disk.
    pub bytes: u64,
}

/// Counts of a store.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoreCounts {
    /// Documents.
    pub documents: u64,
    /// Removed documents that still take space.
    pub removed: u64,
    /// Parts that a lookup reads.
    pub segments: u64,
    /// Bytes of all files.
    pub bytes: u64,
    /// By key of the kind of n-grams, increasing.
    pub lengths: Vec<(usize, LengthCounts)>,
}

/// Receives the hashes of documents, by key of their kind.
pub type HashVisitor<'v> = dyn FnMut(&CatalogueEntry, usize, &[u64]) -> Result<()> + 'v;

/// A state of an index.
pub trait NgramStore: Send + Sync {
    /// Returns the parameters; `None` for an index without documents.
    fn parameters(&self) -> Option<&IndexParameters>;

    /// Returns the documents that hold n-grams of a kind, given by its [key](super::NgramKind::key), for increasing hashes: increasing by document, then
    /// by position.
    fn lookup(&self, length: usize, hashes: &[u64]) -> Result<Vec<NgramMatch>>;

    /// Reads what lookups of a kind need, so that the first of them does not wait for it. An error comes again in the lookup.
    fn prepare_lookup(&self, _length: usize) {}

    /// Returns the entry of a document.
    fn entry(&self, document: DocumentKey) -> Result<CatalogueEntry>;

    /// Returns the document with an identity.
    fn find(&self, id: &str) -> Result<Option<DocumentKey>>;

    /// Calls `visit` with every document, in the order in which they were added.
    fn for_each_entry(
        &self,
        visit: &mut dyn FnMut(DocumentKey, CatalogueEntry) -> Result<()>,
    ) -> Result<()>;

    /// Calls `visit` with the hashes of every document, increasing, kind by kind, in the order of [`NgramStore::for_each_entry`].
    fn for_each_hash_list(&self, visit: &mut HashVisitor<'_>) -> Result<()>;

    /// Returns counts.
    fn counts(&self) -> Result<StoreCounts>;

    /// Reads everything and checks that it is whole.
    fn check(&self) -> Result<()>;

    /// Returns the files of the index, which no output may replace.
    fn paths(&self) -> Vec<PathBuf> {
        Vec::new()
    }
}

/// Work that a writer passes on to the thread that called it, to run before the commit.
pub type DeferredWrite = Box<dyn FnOnce() -> Result<()> + Send>;

/// Changes to an index. Without a commit, nothing changes.
pub trait NgramWriter: Send {
    /// Returns the state before the changes; none for a new index.
    fn store(&self) -> Option<&dyn NgramStore>;

    /// Sets the parameters of new documents.
    ///
    /// # Errors
    /// Other parameters than those of the index.
    fn set_parameters(&mut self, parameters: IndexParameters) -> Result<()>;

    /// Adds documents whose identities the index lacks. The work that it returns may run in parallel with that of other calls.
    fn add(&mut self, documents: Vec<NewDocument>) -> Result<Option<DeferredWrite>>;

    /// Removes a document of the state that the writer started from.
    fn remove(&mut self, document: DocumentKey) -> Result<()>;

    /// Makes all changes count, or none of them.
    fn commit(self: Box<Self>) -> Result<()>;

    /// Packs the index, without removed documents. The changes must be none.
    fn compact(self: Box<Self>) -> Result<()>;

    /// Removes all documents, and the parameters.
    fn clear(self: Box<Self>) -> Result<()>;
}
