//! Merges segments into one. Removed documents and their postings are left out, the others renumbered.
//!
//! Hashes are uniform, so all sources are read range by range; a range fits into the cache, and ranges are independent. Memory: the ranges that
//! are worked on at once, and four bytes per document.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use super::block::{BlockForm, Posting, bits_for};
use super::segment::Segment;
use super::segment_writer::{EncodedBlocks, SegmentWriter, WrittenFile, block_form};
use crate::error::Result;
use crate::files::output::Output;
use crate::ngrams::store::CatalogueEntry;

/// Postings that are merged at once by a thread.
const POSTINGS_PER_RANGE: u64 = 1 << 18;
/// Ranges per thread that are merged before they are written.
const RANGES_PER_THREAD: usize = 4;
/// The number of a document that is left out.
const REMOVED: u32 = u32::MAX;
/// All documents keep their identities.
pub static NO_NAMES: BTreeMap<u32, String> = BTreeMap::new();

/// A segment to merge.
pub struct MergeSource<'s> {
    pub segment: &'s Segment,
    /// Its removed documents, increasing.
    pub removed: &'s [u32],
    /// New identities of documents.
    pub renamed: &'s BTreeMap<u32, String>,
}

impl MergeSource<'_> {
    /// Returns the number of documents that stay.
    pub fn live(&self) -> u32 {
        self.segment.documents() - self.removed.len() as u32
    }

    /// Returns the new numbers of the documents from `first` on.
    fn numbers(&self, first: u32) -> Vec<u32> {
        let mut numbers: Vec<u32> = vec![0; self.segment.documents() as usize];
        self.removed.iter().for_each(|document| numbers[*document as usize] = REMOVED);
        let live = numbers.iter_mut().filter(|number| **number != REMOVED);
        live.zip(first..).for_each(|(number, next)| *number = next);
        numbers
    }

    /// Returns the entry of a document with its new identity.
    fn entry(&self, document: u32) -> Result<CatalogueEntry> {
        let mut entry = self.segment.entry(document)?;
        if let Some(id) = self.renamed.get(&document) {
            entry.id.clone_from(id);
        }
        Ok(entry)
    }

    /// Returns the number of postings of a length that stay.
    fn postings(&self, length: usize) -> Result<u64> {
        let sections = self.segment.sections().iter();
        let all: u64 = sections.filter(|s| s.length == length).map(|s| s.postings).sum();
        let mut removed = 0;
        for document in self.removed {
            let entry = self.segment.entry(*document)?;
            let own = entry.ngrams.iter().filter(|(other, _)| *other == length);
            removed += own.map(|(_, count)| *count).sum::<u64>();
        }
        Ok(all.saturating_sub(removed))
    }
}

/// Writes the segment of all documents that stay, source by source. Returns the file, and its documents and postings.
pub fn merge(sources: &[MergeSource<'_>], output: Output) -> Result<(WrittenFile, u32, u64)> {
    let documents: u32 = sources.iter().map(MergeSource::live).sum();
    let mut first = 0;
    let numbers: Vec<Vec<u32>> = sources
        .iter()
        .map(|source| {
            let numbers = source.numbers(first);
            first += source.live();
            numbers
        })
        .collect();
    let lengths: BTreeSet<usize> = sources
        .iter()
        .flat_map(|source| source.segment.sections().iter().map(|section| section.length))
        .collect();
    let mut writer = SegmentWriter::new(output, documents)?;
    let mut total = 0;
    for length in lengths {
        let counts: Result<Vec<u64>> =
            sources.iter().map(|source| source.postings(length)).collect();
        let postings = counts?.iter().sum();
        total += postings;
        let merged = LengthMerge {
            sources,
            numbers: &numbers,
            length,
            form: block_form(postings, documents.into()),
        };
        merged.write(postings, &mut writer)?;
    }
    let entries = sources.iter().zip(&numbers).flat_map(|(source, numbers)| {
        let live = numbers.iter().enumerate().filter(|(_, number)| **number != REMOVED);
        live.map(|(document, _)| source.entry(document as u32))
    });
    Ok((writer.finish(entries)?, documents, total))
}

/// The merge of the postings of one length.
struct LengthMerge<'m> {
    sources: &'m [MergeSource<'m>],
    numbers: &'m [Vec<u32>],
    length: usize,
    form: BlockForm,
}

impl LengthMerge<'_> {
    fn write(&self, postings: u64, writer: &mut SegmentWriter) -> Result<()> {
        let range_bits = bits_for(postings.div_ceil(POSTINGS_PER_RANGE)).min(self.form.bucket_bits);
        let (ranges, at_once) =
            (1usize << range_bits, RANGES_PER_THREAD * rayon::current_num_threads());
        let groups = (0..ranges).step_by(at_once).map(|start| start..(start + at_once).min(ranges));
        let blocks = groups.flat_map(|group| -> Vec<Result<EncodedBlocks>> {
            group.into_par_iter().map(|range| self.range(range, range_bits)).collect()
        });
        writer.section(self.length, self.form, blocks)
    }

    /// Returns the blocks of one of 2^`bits` ranges of hashes.
    fn range(&self, range: usize, bits: u32) -> Result<EncodedBlocks> {
        let first = (range as u64).checked_shl(64 - bits).unwrap_or(0);
        let last = first | u64::MAX.checked_shr(bits).unwrap_or(0);
        let mut postings: Vec<Posting> = Vec::new();
        for (source, numbers) in self.sources.iter().zip(self.numbers) {
            source.segment.for_each_posting(self.length, first..=last, |(hash, document)| {
                let number = numbers[document as usize];
                if number != REMOVED {
                    postings.push((hash, number));
                }
            })?;
        }
        // A stable sort merges the sorted runs of the sources.
        postings.sort();
        let per_range = 1usize << (self.form.bucket_bits - bits);
        Ok(EncodedBlocks::encode(self.form, range * per_range..(range + 1) * per_range, &postings))
    }
}
