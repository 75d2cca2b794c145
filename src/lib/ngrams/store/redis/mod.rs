//! The store in a Redis cluster: postings in buckets by hash, spread over all nodes.
//!
//! ```text
//! {NAME}:head            the state: parameters, ranges of documents that count, levels of buckets
//! {NAME}:epoch           the part of the keys that the state uses
//! {NAME}:lock            the run that writes; expires if that run dies
//! {NAME}:runs            counts runs that write
//! {NAME}:documents:E     counts documents of epoch E
//! NAME:mark:N            the last state that the node of this key holds
//! NAME:E:p:LEVEL:BUCKET  postings
//! NAME:E:c:BLOCK         entries of the catalogue
//! NAME:E:r:RUN           numbers of removed documents
//! ```
//!
//! A commit writes postings and entries under numbers that no other run uses, then the list of removed documents, then the marks, and the head
//! last: a script replaces it if the run still holds the lock. Until then nothing counts, so a killed run leaves the old state or the new one.
//! Its leftovers are ignored, and removed by `compact`. Each batch of writes is confirmed by a replica of each master that has one: a replica
//! that replaces its master has all that was acknowledged.
//!
//! A lookup has the answers of all nodes or fails. Every new connection compares the marks with the state, so that a node which has restarted
//! without its data, or with an older copy, is an error. `compact` and `clear` write to a new epoch and remove the old one: a reader of the old
//! one notices the new epoch after its answers, and fails.

mod catalogue;
mod client;
mod compact;
mod connection;
mod export;
mod flush;
mod head;
mod keys;
mod lock;
mod packing;
mod slots;
mod url;
mod writer;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use self::client::{BATCH, RedisClient};
use self::head::{IDENTITIES, Level, RedisHead};
use self::packing::{BucketPosting, bucket_of};
use super::embedded::catalogue::id_hash;
use super::{
    CatalogueEntry, DocumentKey, HashVisitor, IndexParameters, LengthCounts, NgramMatch,
    NgramStore, StoreCounts,
};
use crate::error::{Error, Result};
use crate::session::Session;

pub use url::RedisUrl;
pub use writer::RedisWriter;

/// Number of states that a reader may see come and go before it gives up.
const MAX_RETRIES: usize = 20;

/// An open index in a cluster.
pub struct RedisStore {
    client: Arc<RedisClient>,
    head: RedisHead,
    /// Increasing.
    removed: Vec<u32>,
    /// Documents by the hashes of their ids, read when first needed.
    identities: OnceLock<FxHashMap<u64, Vec<u32>>>,
    session: Session,
}

impl RedisStore {
    /// Opens the index at an address.
    ///
    /// # Errors
    /// An address without an index, a lost node, a node that has lost writes, a foreign or damaged value.
    pub fn open(url: &RedisUrl, session: &Session) -> Result<Self> {
        let client = Arc::new(RedisClient::new(url));
        let store = Self::open_existing(&client, session)?;
        store.ok_or_else(|| {
            let name = &url.name;
            client.error(format!(
                "expected an index named {name}, found none: ngram_index add creates it"
            ))
        })
    }

    /// Opens the index of a client; `None` if there is none.
    fn open_existing(client: &Arc<RedisClient>, session: &Session) -> Result<Option<Self>> {
        for _ in 0..MAX_RETRIES {
            let Some(head) = RedisHead::read(client)? else { return Ok(None) };
            client.require(head.generation)?;
            // A run may have replaced the list with the head.
            if let Some(removed) = read_removed(client, &head)? {
                let (client, session, identities) =
                    (client.clone(), session.clone(), OnceLock::new());
                return Ok(Some(RedisStore { client, head, removed, identities, session }));
            }
        }
        Err(client.error("expected the list of removed documents, found none"))
    }

    fn has(&self, document: u32) -> bool {
        self.head.has(document) && self.removed.binary_search(&document).is_err()
    }

    /// Returns the numbers of all documents, increasing.
    fn live(&self) -> impl Iterator<Item = u32> {
        let all = self.head.documents.iter().flat_map(|(first, end)| *first..*end);
        all.filter(|document| self.removed.binary_search(document).is_err())
    }

    /// Checks after reading that no run has removed the epoch meanwhile.
    fn check_epoch(&self) -> Result<()> {
        let found = self.client.get(&self.client.keys.epoch)?;
        if found.as_deref() == Some(self.head.epoch.to_string().as_bytes()) {
            return Ok(());
        }
        Err(self.client.error("compacted or cleared by another run while it was read; run again"))
    }

    fn levels(&self, length: usize) -> impl Iterator<Item = &Level> {
        self.head.levels.iter().filter(move |level| level.length == length)
    }

    /// Reads buckets of a level, some at a time, and calls `visit` with each that is not empty.
    fn for_each_bucket(
        &self,
        level: &Level,
        buckets: &[u64],
        visit: &mut dyn FnMut(u64, &[u8]) -> Result<()>,
    ) -> Result<()> {
        for some in buckets.chunks(BATCH) {
            let key =
                |bucket: &u64| self.client.keys.bucket(self.head.epoch, level.number, *bucket);
            let keys: Vec<String> = some.iter().map(key).collect();
            for (bucket, value) in some.iter().zip(self.client.get_all(&keys)?) {
                visit(*bucket, value.as_deref().unwrap_or_default())?;
            }
        }
        Ok(())
    }

    /// Appends the postings of all levels of a length whose hashes are in a range, increasing and each once.
    fn postings(&self, length: usize, first: u64, last: u64) -> Result<Vec<BucketPosting>> {
        let mut postings = Vec::new();
        for level in self.levels(length) {
            let buckets: Vec<u64> = level.buckets(first, last).collect();
            self.for_each_bucket(level, &buckets, &mut |bucket, value| {
                level.decode(value, bucket, &self.client, |posting| {
                    if (first..=last).contains(&posting.0) {
                        postings.push(posting);
                    }
                })
            })?;
        }
        postings.sort_unstable();
        postings.dedup();
        Ok(postings)
    }

    fn lookup_in(&self, level: &Level, hashes: &[u64], found: &mut Vec<NgramMatch>) -> Result<()> {
        let mut wanted: Vec<u64> = hashes.iter().map(|hash| bucket_of(*hash, level.bits)).collect();
        wanted.dedup();
        self.for_each_bucket(level, &wanted, &mut |bucket, value| {
            let start = hashes.partition_point(|hash| bucket_of(*hash, level.bits) < bucket);
            let after = hashes.partition_point(|hash| bucket_of(*hash, level.bits) <= bucket);
            let own = &hashes[start..after];
            level.decode(value, bucket, &self.client, |(hash, document)| {
                if let Ok(at) = own.binary_search(&hash)
                    && self.has(document)
                {
                    let document = DocumentKey(document.into());
                    found.push(NgramMatch { document, position: (start + at) as u32 });
                }
            })
        })
    }

    /// Reads the blocks of the catalogue that hold some documents.
    fn entries(&self, documents: &[u32]) -> Result<BTreeMap<u32, CatalogueEntry>> {
        let mut blocks: Vec<u64> = documents.iter().map(|d| catalogue::block_of(*d)).collect();
        blocks.dedup();
        let key = |block: &u64| self.client.keys.catalogue(self.head.epoch, *block);
        let keys: Vec<String> = blocks.iter().map(key).collect();
        let mut entries = BTreeMap::new();
        for (key, value) in keys.iter().zip(self.client.get_all(&keys)?) {
            let own = catalogue::decode(value.as_deref().unwrap_or_default());
            entries.extend(own.ok_or_else(|| self.client.error(format!("{key}: damaged")))?);
        }
        Ok(entries)
    }

    fn no_entry(&self, document: u32) -> Error {
        self.client.error(format!("document {document}: expected an entry, found none"))
    }

    fn read_identities(&self) -> Result<FxHashMap<u64, Vec<u32>>> {
        let mut identities: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
        for (hash, document) in self.postings(IDENTITIES, 0, u64::MAX)? {
            if self.has(document) {
                identities.entry(hash).or_default().push(document);
            }
        }
        self.check_epoch()?;
        Ok(identities)
    }
}

impl NgramStore for RedisStore {
    fn parameters(&self) -> Option<&IndexParameters> {
        self.head.parameters.as_ref()
    }

    /// Time: a round trip per 2,000 buckets and level, and one more; each hash reads about 1 kB per level.
    fn lookup(&self, length: usize, hashes: &[u64]) -> Result<Vec<NgramMatch>> {
        let mut found = Vec::new();
        for level in self.levels(length) {
            self.lookup_in(level, hashes, &mut found)?;
        }
        self.check_epoch()?;
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    fn entry(&self, document: DocumentKey) -> Result<CatalogueEntry> {
        let number = document.0 as u32;
        let entry = self.entries(&[number])?.remove(&number);
        entry.ok_or_else(|| self.check_epoch().err().unwrap_or_else(|| self.no_entry(number)))
    }

    /// Memory: about 30 bytes per document from the first call on.
    fn find(&self, id: &str) -> Result<Option<DocumentKey>> {
        let identities = match self.identities.get() {
            Some(identities) => identities,
            None => {
                let read = self.read_identities()?;
                self.identities.get_or_init(|| read)
            }
        };
        for document in identities.get(&id_hash(id)).into_iter().flatten() {
            let key = DocumentKey((*document).into());
            if self.entry(key)?.id == id {
                return Ok(Some(key));
            }
        }
        Ok(None)
    }

    fn for_each_entry(
        &self,
        visit: &mut dyn FnMut(DocumentKey, CatalogueEntry) -> Result<()>,
    ) -> Result<()> {
        let live: Vec<u32> = self.live().collect();
        for some in live.chunks(BATCH) {
            let mut entries = self.entries(some)?;
            self.check_epoch()?;
            for document in some {
                let entry = entries.remove(document).ok_or_else(|| self.no_entry(*document))?;
                visit(DocumentKey((*document).into()), entry)?;
            }
        }
        Ok(())
    }

    /// Memory: half a gigabyte; a larger index is read repeatedly.
    fn for_each_hash_list(&self, visit: &mut HashVisitor<'_>) -> Result<()> {
        self.export(visit)
    }

    fn counts(&self) -> Result<StoreCounts> {
        let mut lengths = BTreeMap::<usize, LengthCounts>::new();
        for level in self.head.levels.iter().filter(|level| level.length != IDENTITIES) {
            let own = lengths.entry(level.length).or_default();
            own.postings += level.postings;
            own.distinct += level.distinct;
            own.bytes += level.bytes;
        }
        let removed = self.removed.len() as u64;
        let bytes = self.head.levels.iter().map(|level| level.bytes).sum::<u64>();
        Ok(StoreCounts {
            documents: self.head.count() - removed,
            removed,
            segments: self.head.levels.len() as u64,
            bytes: bytes + self.head.catalogue_bytes,
            lengths: lengths.into_iter().collect(),
        })
    }

    /// Reads every bucket and entry, and compares the postings of each document with its entry.
    fn check(&self) -> Result<()> {
        self.check_all()
    }
}

/// Reads the list of removed documents. Returns `None` if it is not there.
fn read_removed(client: &RedisClient, head: &RedisHead) -> Result<Option<Vec<u32>>> {
    let Some((run, count)) = head.removed else { return Ok(Some(Vec::new())) };
    let Some(value) = client.get(&client.keys.removed(head.epoch, run))? else { return Ok(None) };
    let numbers = value.as_chunks::<4>().0.iter().map(|number| u32::from_le_bytes(*number));
    let removed: Vec<u32> = numbers.collect();
    if removed.len() as u64 != count || !removed.is_sorted_by(|left, right| left < right) {
        let found = removed.len();
        return Err(client.error(format!("expected {count} removed documents, found {found}")));
    }
    Ok(Some(removed))
}
