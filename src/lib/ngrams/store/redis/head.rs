//! The head: the state of an index, one value that a commit replaces.

use serde::{Deserialize, Serialize};

use super::client::RedisClient;
use super::packing::{BucketPosting, bits_for, bucket_of, decode};
use crate::error::Result;
use crate::files::manifest::read_json;
use crate::ngrams::store::IndexParameters;

/// The format and its version, the first entry.
const FORMAT: &str = "nearsig ngram index in redis 1";
/// The length of the n-grams of levels that hold identities.
pub const IDENTITIES: usize = 0;
/// Average records of a bucket from which on a level is full.
const FULL: u64 = 200;
/// How many times as large a level is as the full one before it, in bits.
const GROWTH: u32 = 3;

/// The content of the head.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RedisHead {
    pub format: String,
    /// The run that wrote it. Later runs have larger numbers.
    pub generation: u64,
    /// The part of the keys that the index has now.
    pub epoch: u64,
    /// The rules of all documents; none if there is no document.
    pub parameters: Option<IndexParameters>,
    /// Documents that count, as increasing ranges of numbers: first, and first behind. Numbers between are those of interrupted runs.
    pub documents: Vec<(u32, u32)>,
    /// The run that wrote the list of removed documents, and their number.
    pub removed: Option<(u64, u64)>,
    pub levels: Vec<Level>,
    /// Bytes of the catalogue.
    pub catalogue_bytes: u64,
}

/// Buckets for the n-grams of one length. A level that is full gets no more postings: a larger one follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Level {
    pub number: u64,
    /// The length of the n-grams, or [`IDENTITIES`].
    pub length: usize,
    /// Bits of a bucket's number.
    pub bits: u32,
    pub postings: u64,
    /// Different hashes of each batch, summed up.
    pub distinct: u64,
    pub bytes: u64,
}

impl Level {
    /// Returns whether some postings more would fill it beyond its limit.
    fn is_full(&self, more: u64) -> bool {
        self.postings + more > FULL << self.bits
    }

    /// Returns the buckets that hold the hashes from `first` to `last`.
    pub fn buckets(&self, first: u64, last: u64) -> std::ops::RangeInclusive<u64> {
        bucket_of(first, self.bits)..=bucket_of(last, self.bits)
    }

    /// Calls `visit` with the postings of a bucket's value.
    pub fn decode(
        &self,
        value: &[u8],
        bucket: u64,
        client: &RedisClient,
        visit: impl FnMut(BucketPosting),
    ) -> Result<()> {
        let decoded = decode(value, bucket, self.bits, visit);
        decoded.ok_or_else(|| {
            let number = self.number;
            client.error(format!("bucket {bucket:x} of level {number:x}: expected postings, found other bytes; clear the index and add all documents again"))
        })
    }
}

impl RedisHead {
    /// Returns the head of an index without documents.
    pub fn empty(generation: u64) -> Self {
        RedisHead {
            format: FORMAT.into(),
            generation,
            epoch: generation,
            parameters: None,
            documents: Vec::new(),
            removed: None,
            levels: Vec::new(),
            catalogue_bytes: 0,
        }
    }

    /// Reads the head; `None` if there is no index.
    ///
    /// # Errors
    /// A lost node; a head of another version or kind.
    pub fn read(client: &RedisClient) -> Result<Option<Self>> {
        let Some(text) = client.get(&client.keys.head)? else { return Ok(None) };
        let place = client.url.to_string();
        read_json(place.as_ref(), &text, FORMAT).map(Some)
    }

    /// Returns the content of the value.
    pub fn to_text(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("strings and numbers are JSON")
    }

    /// Returns the number of documents, removed ones included.
    pub fn count(&self) -> u64 {
        self.documents.iter().map(|(first, end)| u64::from(end - first)).sum()
    }

    /// Returns whether a document counts, if it is not removed.
    pub fn has(&self, document: u32) -> bool {
        let after = self.documents.partition_point(|(first, _)| *first <= document);
        after > 0 && document < self.documents[after - 1].1
    }

    /// Makes more documents count.
    pub fn add_documents(&mut self, first: u32, end: u32) {
        match self.documents.last_mut() {
            Some(last) if last.1 == first => last.1 = end,
            _ => self.documents.push((first, end)),
        }
    }

    /// Returns the level for postings of a length, a new one with `number` if there is none with room. With `is_part`, more are to come.
    pub fn level_for(&mut self, length: usize, more: u64, is_part: bool, number: u64) -> Level {
        let last = self.levels.iter_mut().rfind(|level| level.length == length);
        if let Some(level) = last.as_deref().filter(|level| !level.is_full(more)) {
            return *level;
        }
        let expected = if is_part { more.saturating_mul(4) } else { more };
        let after_last = last.map_or(0, |last| last.bits + GROWTH);
        let bits = bits_for(expected).max(after_last).min(bits_for(u64::MAX / 2));
        let level = Level { number, length, bits, postings: 0, distinct: 0, bytes: 0 };
        self.levels.push(level);
        level
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_of_interrupted_runs_do_not_count() {
        let mut head = RedisHead::empty(1);
        for (first, end) in [(0, 3), (3, 5), (9, 10)] {
            head.add_documents(first, end);
        }
        assert_eq!((head.documents.len(), head.count()), (2, 6));
        let counted: Vec<u32> = (0..20).filter(|document| head.has(*document)).collect();
        assert_eq!(counted, [0, 1, 2, 3, 4, 9]);
    }

    #[test]
    fn levels_grow() {
        let mut head = RedisHead::empty(1);
        let first = head.level_for(7, 1_000, false, 1);
        assert_eq!((first.bits, head.level_for(7, 500, false, 2).number), (4, 1));
        head.levels[0].postings = FULL << 4;
        let second = head.level_for(7, 1, false, 2);
        assert_eq!((second.number, second.bits), (2, 7));
        assert_eq!(head.level_for(15, 100 << 10, true, 3).bits, 12);
        assert_eq!(head.levels.len(), 3);
    }
}
