//! Writes a segment: postings by length, then the catalogue, then the footer that says where all is.

use flate2::Crc;
use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_64;

use super::block::{BlockForm, Posting, bits_for};
use super::catalogue::{self, PathTable};
use super::{directory, ids};
use crate::error::Result;
use crate::files::output::{Output, Part};
use crate::ngrams::store::CatalogueEntry;

/// The first bytes of a segment, with the version of its format.
pub const MAGIC: &[u8; 16] = b"nearsig ngrams 4";
/// Bytes after the footer: its length and its XXH3.
pub const TRAILER: usize = 16;
/// Bytes of an entry of a table of starts.
const START: usize = 8;
/// Postings per block, at most on average: a block of about 1.5 kB is read for one hash.
const POSTINGS_PER_BLOCK: u64 = 256;
/// Bits of a block's number, at most: the directory of a segment is read into memory.
const MAX_BUCKET_BITS: u32 = 26;

/// A range of bytes in a segment with its checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ByteRange {
    pub start: u64,
    pub bytes: u64,
    /// XXH3 of the bytes; 0 for blocks and records, which have their own.
    pub xxh3: u64,
}

/// Where the postings of one length are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SectionFooter {
    pub length: usize,
    pub postings: u64,
    pub distinct: u64,
    pub bucket_bits: u32,
    pub document_bits: u32,
    pub blocks: ByteRange,
    /// Where each block is; see [`directory`].
    pub directory: ByteRange,
}

impl SectionFooter {
    /// Returns the widths of the numbers in blocks.
    pub fn form(&self) -> BlockForm {
        BlockForm { bucket_bits: self.bucket_bits, document_bits: self.document_bits }
    }

    /// Returns whether widths and sizes agree.
    fn is_consistent(&self) -> bool {
        self.bucket_bits <= MAX_BUCKET_BITS
            && self.document_bits <= u32::BITS
            && directory::is_size(self.directory.bytes, self.bucket_bits)
    }
}

/// Where all parts of a segment are.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SegmentFooter {
    pub documents: u32,
    pub sections: Vec<SectionFooter>,
    pub records: ByteRange,
    /// The start of each record relative to the first, and the end of the last (u64).
    pub record_starts: ByteRange,
    /// Hashes of ids with their documents; see [`ids`].
    pub ids: ByteRange,
    pub paths: ByteRange,
}

impl SegmentFooter {
    /// Returns whether the tables have the sizes that the numbers of documents and blocks require: positions in them need no bounds then.
    pub fn is_consistent(&self) -> bool {
        let is_sorted = self.sections.is_sorted_by(|left, right| left.length < right.length);
        is_sorted
            && self.sections.iter().all(SectionFooter::is_consistent)
            && self.record_starts.bytes == (u64::from(self.documents) + 1) * START as u64
            && self.ids.bytes == ids::size(self.documents.into())
    }
}

/// Returns the widths for this many postings and documents.
pub fn block_form(postings: u64, documents: u64) -> BlockForm {
    let bucket_bits = bits_for(postings.div_ceil(POSTINGS_PER_BLOCK)).min(MAX_BUCKET_BITS);
    BlockForm { bucket_bits, document_bits: bits_for(documents) }
}

/// Consecutive blocks, encoded.
#[derive(Default)]
pub struct EncodedBlocks {
    pub bytes: Vec<u8>,
    /// The end of each block in the bytes.
    pub ends: Vec<u64>,
    pub postings: u64,
    pub distinct: u64,
}

impl EncodedBlocks {
    /// Encodes the blocks `buckets` of sorted postings, all of which belong to these.
    pub fn encode(form: BlockForm, buckets: std::ops::Range<usize>, postings: &[Posting]) -> Self {
        let mut blocks = EncodedBlocks { postings: postings.len() as u64, ..Default::default() };
        let mut rest = postings;
        for bucket in buckets {
            let count = rest.partition_point(|(hash, _)| form.bucket(*hash) <= bucket);
            let (own, after) = rest.split_at(count);
            form.encode(own, &mut blocks.bytes);
            blocks.ends.push(blocks.bytes.len() as u64);
            blocks.distinct += own.chunk_by(|left, right| left.0 == right.0).count() as u64;
            rest = after;
        }
        blocks
    }
}

/// A file of an index, complete under its temporary name.
pub struct WrittenFile {
    pub part: Part,
    pub bytes: u64,
    pub crc32: u32,
}

/// A segment being written.
pub struct SegmentWriter {
    output: Output,
    crc: Crc,
    at: u64,
    footer: SegmentFooter,
}

impl SegmentWriter {
    /// Begins a segment of this many documents.
    pub fn new(output: Output, documents: u32) -> Result<Self> {
        let footer = SegmentFooter { documents, ..SegmentFooter::default() };
        let mut writer = SegmentWriter { output, crc: Crc::new(), at: 0, footer };
        writer.write(MAGIC)?;
        Ok(writer)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.crc.update(bytes);
        self.at += bytes.len() as u64;
        self.output.write(bytes)
    }

    /// Writes some bytes, with their checksum in the footer.
    fn write_range(&mut self, bytes: &[u8]) -> Result<ByteRange> {
        let (start, xxh3) = (self.at, XxHash3_64::oneshot(bytes));
        self.write(bytes)?;
        Ok(ByteRange { start, bytes: bytes.len() as u64, xxh3 })
    }

    /// Writes the postings of one length: all blocks, in order.
    pub fn section(
        &mut self,
        length: usize,
        form: BlockForm,
        blocks: impl Iterator<Item = Result<EncodedBlocks>>,
    ) -> Result<()> {
        let start = self.at;
        let mut directory = vec![0u64];
        let (mut postings, mut distinct) = (0, 0);
        for blocks in blocks {
            let blocks = blocks?;
            let before = self.at - start;
            directory.extend(blocks.ends.iter().map(|end| before + end));
            postings += blocks.postings;
            distinct += blocks.distinct;
            self.write(&blocks.bytes)?;
        }
        debug_assert_eq!(directory.len(), (1 << form.bucket_bits) + 1);
        let blocks = ByteRange { start, bytes: self.at - start, xxh3: 0 };
        let directory = self.write_range(&directory::encode(&directory))?;
        let BlockForm { bucket_bits, document_bits } = form;
        self.footer.sections.push(SectionFooter {
            length,
            postings,
            distinct,
            bucket_bits,
            document_bits,
            blocks,
            directory,
        });
        Ok(())
    }

    /// Writes the catalogue and completes the file.
    pub fn finish(
        mut self,
        entries: impl Iterator<Item = Result<CatalogueEntry>>,
    ) -> Result<WrittenFile> {
        let (start, mut starts, mut id_hashes) = (self.at, vec![0u64], Vec::new());
        let (mut paths, mut record) = (PathTable::default(), Vec::new());
        for (number, entry) in entries.enumerate() {
            let entry = entry?;
            record.clear();
            catalogue::encode(&entry, &mut paths, &mut record);
            self.write(&record)?;
            starts.push(self.at - start);
            id_hashes.push((catalogue::id_hash(&entry.id), number as u32));
        }
        id_hashes.sort_unstable();
        self.footer.records = ByteRange { start, bytes: self.at - start, xxh3: 0 };
        let starts: Vec<u8> = starts.iter().flat_map(|start| start.to_le_bytes()).collect();
        self.footer.record_starts = self.write_range(&starts)?;
        self.footer.ids = self.write_range(&ids::encode(&id_hashes))?;
        self.footer.paths = self.write_range(&paths.encoded)?;
        self.close()
    }

    fn close(mut self) -> Result<WrittenFile> {
        let footer = serde_json::to_vec(&self.footer).expect("numbers are JSON");
        self.write(&footer)?;
        self.write(&(footer.len() as u64).to_le_bytes())?;
        self.write(&XxHash3_64::oneshot(&footer).to_le_bytes())?;
        Ok(WrittenFile { part: self.output.close()?, bytes: self.at, crc32: self.crc.sum() })
    }
}
