//! Changes to an index in a cluster, and the commit that makes them count.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use redis::Value;

use super::client::RedisClient;
use super::connection::Request;
use super::flush::{DocumentBatch, WrittenTotals};
use super::head::{IDENTITIES, RedisHead};
use super::lock::WriterLock;
use super::{RedisStore, RedisUrl};
use crate::error::Result;
use crate::ngrams::store::{
    DeferredWrite, DocumentKey, IndexParameters, NewDocument, NgramStore, NgramWriter,
};
use crate::session::Session;

/// Postings that are kept in memory before they are written: about 100 MB with the memory to sort them.
const POSTINGS_PER_BATCH: u64 = 4 << 20;
/// Levels that one run may open.
pub(super) const LEVELS_PER_RUN: u64 = 1 << 16;

/// Changes to an index in a cluster that do not count yet. One run at a time has a writer: another one waits.
pub struct RedisWriter {
    pub(super) client: Arc<RedisClient>,
    pub(super) store: Option<RedisStore>,
    /// The head to come.
    pub(super) head: RedisHead,
    pub(super) session: Session,
    /// The number of this run.
    pub(super) run: u64,
    pending: Vec<NewDocument>,
    pending_postings: u64,
    postings_per_batch: u64,
    levels_opened: u64,
    removed: BTreeSet<u32>,
    totals: Arc<Mutex<WrittenTotals>>,
    pub(super) lock: WriterLock,
}

impl RedisWriter {
    /// Locks an index, created if missing, and opens its state. Waits for another run that writes it.
    ///
    /// # Errors
    /// A lost node; an unreadable index.
    pub fn open(url: &RedisUrl, session: &Session) -> Result<Self> {
        let client = Arc::new(RedisClient::new(url));
        let lock = WriterLock::acquire(&client, session)?;
        let store = RedisStore::open_existing(&client, session)?;
        let run = increased(&client, &client.keys.runs, 1)?;
        let head = store.as_ref().map_or_else(|| RedisHead::empty(run), |store| store.head.clone());
        Ok(RedisWriter {
            client,
            store,
            head: RedisHead { generation: run, ..head },
            session: session.clone(),
            run,
            pending: Vec::new(),
            pending_postings: 0,
            postings_per_batch: POSTINGS_PER_BATCH,
            levels_opened: 0,
            removed: BTreeSet::new(),
            totals: Arc::default(),
            lock,
        })
    }

    /// Opens an index that must exist.
    pub fn open_existing(url: &RedisUrl, session: &Session) -> Result<Self> {
        RedisStore::open(url, session)?;
        Self::open(url, session)
    }

    /// Sets the number of postings that are kept in memory.
    pub fn with_postings_per_batch(self, postings_per_batch: u64) -> Self {
        RedisWriter { postings_per_batch, ..self }
    }

    /// Gives the pending documents numbers and levels, and returns the work that writes them. With `is_part`, more are to come.
    fn take_batch(&mut self, is_part: bool) -> Result<DocumentBatch> {
        let documents = std::mem::take(&mut self.pending);
        self.pending_postings = 0;
        let mut counts = BTreeMap::from([(IDENTITIES, documents.len() as u64)]);
        for (length, hashes) in documents.iter().flat_map(|document| &document.hashes) {
            *counts.entry(*length).or_default() += hashes.len() as u64;
        }
        let mut levels = Vec::new();
        for (length, count) in counts {
            let number = self.run * LEVELS_PER_RUN + self.levels_opened;
            let level = self.head.level_for(length, count, is_part, number);
            self.levels_opened += u64::from(level.number == number);
            let known = self.head.levels.iter_mut().filter(|known| known.number == level.number);
            known.for_each(|known| known.postings += count);
            levels.push(level);
        }
        let epoch = self.head.epoch;
        let end =
            increased(&self.client, &self.client.keys.documents(epoch), documents.len() as u64)?;
        let end = u32::try_from(end)
            .map_err(|_| self.client.error("too many documents: compact the index"))?;
        let first = end - documents.len() as u32;
        self.head.add_documents(first, end);
        Ok(DocumentBatch { client: self.client.clone(), epoch, first, documents, levels })
    }

    /// Adds the bytes and different hashes of all batches to the head.
    fn add_totals(&mut self) {
        let mut totals = self.totals.lock().unwrap_or_else(PoisonError::into_inner);
        self.head.catalogue_bytes += std::mem::take(&mut totals.catalogue_bytes);
        for (number, distinct, bytes) in std::mem::take(&mut totals.levels) {
            for level in self.head.levels.iter_mut().filter(|level| level.number == number) {
                level.distinct += distinct;
                level.bytes += bytes;
            }
        }
    }

    /// Writes the list of removed documents if it has changed. Returns whether it has.
    fn write_removed(&mut self) -> Result<bool> {
        let old = self.store.as_ref().map_or(&[][..], |store| &store.removed);
        let all: BTreeSet<u32> = old.iter().copied().chain(self.removed.iter().copied()).collect();
        if all.len() == old.len() {
            return Ok(false);
        }
        let value: Vec<u8> = all.iter().flat_map(|number| number.to_le_bytes()).collect();
        let key = self.client.keys.removed(self.head.epoch, self.run);
        self.client.write(&[Request::new("SET", &key).arg(&value[..])])?;
        self.head.removed = Some((self.run, all.len() as u64));
        Ok(true)
    }

    /// Writes the marks, then the head.
    pub(super) fn publish(&self) -> Result<()> {
        let mark = |key: String| Request::new("SET", &key).arg(self.head.generation);
        let marks: Vec<Request> = self.client.keys.marks().map(mark).collect();
        self.client.write(&marks)?;
        self.lock.commit(&self.head.to_text(), self.head.epoch)
    }

    fn finish(mut self) -> Result<()> {
        self.session.phase("writing the index", None);
        let before = self.store.as_ref().map_or(0, |store| store.head.count());
        if !self.pending.is_empty() {
            self.take_batch(false)?.write(&self.totals)?;
        }
        self.add_totals();
        let has_removed = self.write_removed()?;
        if !has_removed && self.head.count() == before {
            return Ok(());
        }
        self.publish()?;
        if let Some((run, _)) = self.store.as_ref().and_then(|store| store.head.removed)
            && has_removed
        {
            let key = self.client.keys.removed(self.head.epoch, run);
            self.client.write(&[Request::new("UNLINK", &key)])?;
        }
        Ok(())
    }
}

impl NgramWriter for RedisWriter {
    fn store(&self) -> Option<&dyn NgramStore> {
        self.store.as_ref().map(|store| store as &dyn NgramStore)
    }

    fn set_parameters(&mut self, parameters: IndexParameters) -> Result<()> {
        if let Some(old) = self.head.parameters.as_ref().filter(|old| **old != parameters) {
            let (name, expected, found) = old.difference(&parameters);
            let message = format!("expected {name} {expected} as in the index, found {found}");
            return Err(self.client.error(message));
        }
        self.head.parameters = Some(parameters);
        Ok(())
    }

    fn add(&mut self, documents: Vec<NewDocument>) -> Result<Option<DeferredWrite>> {
        for mut document in documents {
            let count = |(length, hashes): &(usize, Vec<u64>)| (*length, hashes.len() as u64);
            document.entry.ngrams = document.hashes.iter().map(count).collect();
            self.pending_postings += document.entry.ngrams.iter().map(|own| own.1).sum::<u64>();
            self.pending.push(document);
        }
        if self.pending_postings < self.postings_per_batch {
            return Ok(None);
        }
        let (batch, totals) = (self.take_batch(true)?, self.totals.clone());
        Ok(Some(Box::new(move || batch.write(&totals))))
    }

    fn remove(&mut self, document: DocumentKey) -> Result<()> {
        self.removed.insert(document.0 as u32);
        Ok(())
    }

    /// Writes the pending documents, the list of removed ones, the marks, and the head last.
    fn commit(self: Box<Self>) -> Result<()> {
        self.finish()
    }

    /// Writes all postings and entries anew to an epoch of their own, without those of removed documents and interrupted runs.
    fn compact(self: Box<Self>) -> Result<()> {
        self.rewrite()
    }

    fn clear(self: Box<Self>) -> Result<()> {
        self.empty()
    }
}

/// Increases a counter and returns it. After a retry it may have been increased twice.
fn increased(client: &RedisClient, key: &str, by: u64) -> Result<u64> {
    match client.write(&[Request::new("INCRBY", key).arg(by)])?.pop() {
        Some(Value::Int(number)) if number >= 0 => Ok(number as u64),
        other => Err(client.error(format!("{key}: expected a number, found {other:?}"))),
    }
}
