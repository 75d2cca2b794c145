//! Rewriting an index to a new epoch, and removing the keys of all others.

use redis::{Cmd, Value};
use rustc_hash::FxHashMap;

use super::RedisStore;
use super::client::RedisClient;
use super::connection::{Failure, Request};
use super::flush::{write_entries, write_postings};
use super::head::{IDENTITIES, Level, RedisHead};
use super::packing::{BucketPosting, bits_for};
use super::writer::{LEVELS_PER_RUN, RedisWriter};
use crate::error::Result;
use crate::ngrams::store::{CatalogueEntry, NgramStore};

/// Entries that are written at once, a multiple of those of a block.
const ENTRIES_AT_ONCE: usize = 2_048;
/// Keys that a node looks at per step of a scan.
const KEYS_PER_STEP: u64 = 1_000;

impl RedisWriter {
    /// Removes all documents and parameters.
    pub(super) fn empty(mut self) -> Result<()> {
        let is_empty = self
            .store
            .as_ref()
            .is_none_or(|store| store.head.parameters.is_none() && store.head.documents.is_empty());
        if !is_empty {
            self.head = RedisHead::empty(self.run);
            self.publish()?;
        }
        self.clean()
    }

    /// Writes a new epoch if the index has removed documents, leftovers or several levels of a length.
    pub(super) fn rewrite(mut self) -> Result<()> {
        let Some(store) = self.store.take().filter(|store| !store.head.documents.is_empty()) else {
            return self.clean();
        };
        if self.needs_rewrite(&store)? {
            self.session.phase("rewriting the index", None);
            let parameters = store.head.parameters.clone();
            self.head = RedisHead { parameters, ..RedisHead::empty(self.run) };
            let numbers = self.write_catalogue(&store)?;
            self.write_levels(&store, &numbers)?;
            self.count_documents(numbers.len() as u32)?;
            self.publish()?;
        }
        self.clean()
    }

    fn needs_rewrite(&self, store: &RedisStore) -> Result<bool> {
        let mut lengths: Vec<usize> = store.head.levels.iter().map(|level| level.length).collect();
        lengths.sort_unstable();
        let has_several = lengths.windows(2).any(|two| two[0] == two[1]);
        let counter = self.client.get(&self.client.keys.documents(store.head.epoch))?;
        let last = store.head.documents.last().map_or(0, |(_, end)| *end).to_string();
        let is_whole =
            store.head.documents.len() == 1 && counter.as_deref() == Some(last.as_bytes());
        let is_oversized = |level: &Level| level.bits > bits_for(level.postings);
        let is_sparse = store.head.levels.iter().any(is_oversized);
        Ok(has_several || is_sparse || !is_whole || !store.removed.is_empty())
    }

    /// Writes the entries of all documents with new numbers. Returns these by the old ones.
    fn write_catalogue(&mut self, store: &RedisStore) -> Result<FxHashMap<u32, u32>> {
        let (mut numbers, mut some) = (FxHashMap::default(), Vec::new());
        let mut first = 0;
        let (client, head) = (&self.client, &mut self.head);
        let mut write = |some: &mut Vec<CatalogueEntry>| -> Result<()> {
            let numbered: Vec<(u32, &CatalogueEntry)> = (first..).zip(some.iter()).collect();
            head.catalogue_bytes += write_entries(client, head.epoch, &numbered, "SET")?;
            first += some.len() as u32;
            some.clear();
            Ok(())
        };
        store.for_each_entry(&mut |document, entry| {
            numbers.insert(document.0 as u32, numbers.len() as u32);
            some.push(entry);
            if some.len() == ENTRIES_AT_ONCE { write(&mut some) } else { Ok(()) }
        })?;
        write(&mut some)?;
        Ok(numbers)
    }

    /// Writes one level per length.
    fn write_levels(&mut self, store: &RedisStore, numbers: &FxHashMap<u32, u32>) -> Result<()> {
        let mut postings = std::collections::BTreeMap::from([(IDENTITIES, numbers.len() as u64)]);
        store.for_each_entry(&mut |_, entry| {
            let add =
                |(length, count): &(usize, u64)| *postings.entry(*length).or_default() += count;
            entry.ngrams.iter().for_each(add);
            Ok(())
        })?;
        for (at, (length, postings)) in postings.into_iter().enumerate() {
            let (number, bits) = (self.run * LEVELS_PER_RUN + at as u64, bits_for(postings));
            let mut level = Level { number, length, bits, postings: 0, distinct: 0, bytes: 0 };
            store.for_each_range(length, |own| {
                let renumbered =
                    |(hash, document): BucketPosting| Some((hash, *numbers.get(&document)?));
                let own: Vec<BucketPosting> = own.into_iter().filter_map(renumbered).collect();
                level.postings += own.len() as u64;
                level.distinct += own.chunk_by(|left, right| left.0 == right.0).count() as u64;
                level.bytes +=
                    write_postings(&self.client, self.head.epoch, &level, &own, "APPEND")?;
                Ok(())
            })?;
            self.head.levels.push(level);
        }
        Ok(())
    }

    fn count_documents(&mut self, documents: u32) -> Result<()> {
        if documents > 0 {
            self.head.add_documents(0, documents);
        }
        let key = self.client.keys.documents(self.head.epoch);
        self.client.write(&[Request::new("SET", &key).arg(documents)]).map(drop)
    }

    /// Removes the keys of all other epochs, and other lists of removed documents.
    fn clean(&self) -> Result<()> {
        let keys = &self.client.keys;
        let current = self.client.get(&keys.epoch)?;
        let current = current.and_then(|text| String::from_utf8(text).ok()?.parse::<u64>().ok());
        let mut old: Vec<String> = Vec::new();
        for pattern in keys.patterns() {
            old.extend(scan(&self.client, &pattern)?.into_iter().filter(|key| {
                let epoch = keys.epoch_of(key);
                epoch.is_some() && epoch != current
            }));
        }
        let requests: Vec<Request> = old.iter().map(|key| Request::new("UNLINK", key)).collect();
        self.client.write(&requests).map(drop)
    }
}

/// Returns the keys of all nodes that match a pattern. Memory: the keys.
fn scan(client: &RedisClient, pattern: &str) -> Result<Vec<String>> {
    let mut keys = Vec::new();
    client.for_each_master(|run| {
        let mut cursor = b"0".to_vec();
        loop {
            let mut command = redis::cmd("SCAN");
            command.arg(&cursor).arg("MATCH").arg(pattern).arg("COUNT").arg(KEYS_PER_STEP);
            cursor = scan_step(&command, run, &mut keys)?;
            if cursor == b"0" {
                return Ok(());
            }
        }
    })?;
    Ok(keys)
}

/// Runs one step of a scan and returns the cursor of the next one.
fn scan_step(
    command: &Cmd,
    run: &mut dyn FnMut(&Cmd) -> Result<Value, Failure>,
    keys: &mut Vec<String>,
) -> Result<Vec<u8>, Failure> {
    let answer = run(command)?;
    let (cursor, found): (Vec<u8>, Vec<Vec<u8>>) = redis::from_redis_value(answer)
        .map_err(|e| Failure { message: format!("SCAN: {e}"), is_passing: false })?;
    keys.extend(found.into_iter().filter_map(|key| String::from_utf8(key).ok()));
    Ok(cursor)
}
