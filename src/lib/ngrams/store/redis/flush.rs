//! One batch of new documents, written to a cluster.

use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use super::catalogue::{self, block_of};
use super::client::{BATCH, RedisClient};
use super::connection::Request;
use super::head::{IDENTITIES, Level};
use super::packing::{BucketPosting, bucket_of, encode};
use crate::error::Result;
use crate::ngrams::store::embedded::catalogue::id_hash;
use crate::ngrams::store::{CatalogueEntry, NewDocument};

/// What batches have written.
#[derive(Debug, Default)]
pub struct WrittenTotals {
    /// Number of a level, different hashes, bytes.
    pub levels: Vec<(u64, u64, u64)>,
    /// Bytes of the catalogue.
    pub catalogue_bytes: u64,
}

/// Documents with consecutive numbers, to be written to the levels.
pub struct DocumentBatch {
    pub client: Arc<RedisClient>,
    pub epoch: u64,
    pub first: u32,
    pub documents: Vec<NewDocument>,
    /// One per length, and one for identities.
    pub levels: Vec<Level>,
}

impl DocumentBatch {
    /// Writes postings, then entries. Nothing counts before the commit.
    pub fn write(mut self, totals: &Mutex<WrittenTotals>) -> Result<()> {
        for level in self.levels.clone() {
            let mut postings = self.take_postings(level.length);
            postings.par_sort_unstable();
            postings.dedup();
            let distinct = postings.chunk_by(|left, right| left.0 == right.0).count() as u64;
            let bytes = append_postings(&self.client, self.epoch, &level, &postings)?;
            let mut totals = totals.lock().unwrap_or_else(PoisonError::into_inner);
            totals.levels.push((level.number, distinct, bytes));
        }
        let entries = self.documents.iter().map(|document| &document.entry);
        let numbered: Vec<(u32, &CatalogueEntry)> = (self.first..).zip(entries).collect();
        let bytes = write_entries(&self.client, self.epoch, &numbered, "APPEND")?;
        totals.lock().unwrap_or_else(PoisonError::into_inner).catalogue_bytes += bytes;
        Ok(())
    }

    fn take_postings(&mut self, length: usize) -> Vec<BucketPosting> {
        let mut postings = Vec::new();
        for (number, document) in (self.first..).zip(&mut self.documents) {
            if length == IDENTITIES {
                postings.push((id_hash(&document.entry.id), number));
            }
            for (_, hashes) in document.hashes.iter_mut().filter(|(other, _)| *other == length) {
                postings.extend(std::mem::take(hashes).into_iter().map(|hash| (hash, number)));
            }
        }
        postings
    }
}

/// Appends increasing postings to the buckets of a level. Returns their bytes.
fn append_postings(
    client: &RedisClient,
    epoch: u64,
    level: &Level,
    postings: &[BucketPosting],
) -> Result<u64> {
    write_postings(client, epoch, level, postings, "APPEND")
}

/// Writes increasing postings to the buckets of a level by a command. Returns their bytes.
pub fn write_postings(
    client: &RedisClient,
    epoch: u64,
    level: &Level,
    postings: &[BucketPosting],
    command: &str,
) -> Result<u64> {
    let (mut requests, mut bytes) = (Vec::with_capacity(BATCH), 0);
    let bucket = |posting: &BucketPosting| bucket_of(posting.0, level.bits);
    for own in postings.chunk_by(|left, right| bucket(left) == bucket(right)) {
        let chunk = encode(own, level.bits);
        bytes += chunk.len() as u64;
        let key = client.keys.bucket(epoch, level.number, bucket(&own[0]));
        requests.push(Request::new(command, &key).arg(&chunk[..]));
        if requests.len() == BATCH {
            client.write(&std::mem::take(&mut requests))?;
        }
    }
    client.write(&requests)?;
    Ok(bytes)
}

/// Writes entries of increasing documents by a command. Returns their bytes.
pub fn write_entries(
    client: &RedisClient,
    epoch: u64,
    entries: &[(u32, &CatalogueEntry)],
    command: &str,
) -> Result<u64> {
    let (mut requests, mut bytes) = (Vec::new(), 0);
    for own in entries.chunk_by(|left, right| block_of(left.0) == block_of(right.0)) {
        let mut block = Vec::new();
        own.iter().for_each(|(document, entry)| catalogue::encode(*document, entry, &mut block));
        bytes += block.len() as u64;
        let key = client.keys.catalogue(epoch, block_of(own[0].0));
        requests.push(Request::new(command, &key).arg(&block[..]));
    }
    client.write(&requests)?;
    Ok(bytes)
}
