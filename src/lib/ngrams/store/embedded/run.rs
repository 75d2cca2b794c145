//! Documents in memory, sorted into a segment.

use std::collections::BTreeMap;

use super::block::{BlockForm, Posting, bits_for};
use super::segment_writer::{EncodedBlocks, SegmentWriter, WrittenFile, block_form};
use crate::error::Result;
use crate::files::output::Output;
use crate::ngrams::store::{CatalogueEntry, NewDocument};

/// Postings that are sorted at once: few enough for the cache.
const POSTINGS_PER_RANGE: u64 = 1 << 15;

/// New documents, by number.
#[derive(Default)]
pub struct DocumentRun {
    entries: Vec<CatalogueEntry>,
    /// Hashes of all documents by length, with the end of each document's.
    lengths: BTreeMap<usize, RunHashes>,
    /// Postings of all lengths.
    pub postings: u64,
}

#[derive(Default)]
struct RunHashes {
    hashes: Vec<u64>,
    /// Documents that have this length, each with the end of its hashes.
    documents: Vec<(u32, usize)>,
}

impl DocumentRun {
    /// Returns the number of documents.
    pub fn documents(&self) -> u32 {
        self.entries.len() as u32
    }

    /// Adds a document.
    pub fn push(&mut self, document: NewDocument) {
        let NewDocument { mut entry, hashes } = document;
        let number = self.documents();
        entry.ngrams = hashes.iter().map(|(length, own)| (*length, own.len() as u64)).collect();
        self.entries.push(entry);
        for (length, own) in hashes {
            self.postings += own.len() as u64;
            let all = self.lengths.entry(length).or_default();
            all.hashes.extend_from_slice(&own);
            all.documents.push((number, all.hashes.len()));
        }
    }

    /// Writes the segment of the documents.
    pub fn write(self, output: Output) -> Result<WrittenFile> {
        let mut writer = SegmentWriter::new(output, self.documents())?;
        for (length, hashes) in &self.lengths {
            let form = block_form(hashes.hashes.len() as u64, self.documents().into());
            writer.section(*length, form, hashes.blocks(form).map(Ok))?;
        }
        writer.finish(self.entries.into_iter().map(Ok))
    }
}

impl RunHashes {
    /// Returns the blocks, range by range: postings are distributed to ranges of hashes first, then sorted in each.
    fn blocks(&self, form: BlockForm) -> impl Iterator<Item = EncodedBlocks> {
        let ranges = bits_for((self.hashes.len() as u64).div_ceil(POSTINGS_PER_RANGE));
        let bits = ranges.min(form.bucket_bits);
        let (mut postings, ends) = self.distributed(bits);
        let per_range = 1usize << (form.bucket_bits - bits);
        (0..ends.len()).map(move |range| {
            let start = if range == 0 { 0 } else { ends[range - 1] };
            let own = &mut postings[start..ends[range]];
            own.sort_unstable();
            EncodedBlocks::encode(form, range * per_range..(range + 1) * per_range, own)
        })
    }

    /// Returns all postings by range of hashes, and the end of each range.
    fn distributed(&self, bits: u32) -> (Vec<Posting>, Vec<usize>) {
        let range = |hash: u64| hash.checked_shr(64 - bits).unwrap_or(0) as usize;
        let mut ends = vec![0usize; 1 << bits];
        self.hashes.iter().for_each(|hash| ends[range(*hash)] += 1);
        let mut total = 0;
        for end in &mut ends {
            (total, *end) = (total + *end, total);
        }
        let mut postings = vec![(0u64, 0u32); self.hashes.len()];
        let mut first = 0;
        for (document, end) in &self.documents {
            for hash in &self.hashes[first..*end] {
                let at = &mut ends[range(*hash)];
                postings[*at] = (*hash, *document);
                *at += 1;
            }
            first = *end;
        }
        (postings, ends)
    }
}
