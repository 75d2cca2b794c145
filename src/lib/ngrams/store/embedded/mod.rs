//! The store in a folder: immutable segments of sorted hashes, and a manifest that is renamed last.
//!
//! ```text
//! index.json         the state: parameters, segments, size and CRC-32 of every file
//! segment-G.bin      documents with all their n-grams, written by commit G
//! removed-S-G.bin    numbers of the documents of segment S that are removed
//! lock               locked by the run that writes
//! ```
//!
//! A commit writes one segment: the new documents, merged with older segments of their size, so that there are few. Segments never change:
//! readers are never blocked, and keep what they have opened. A killed run leaves the old state or the new one, and files that the next run
//! removes.
//!
//! Files are read by position, not mapped: a file that others truncate is an error then, not the end of the process.

mod block;
pub(in crate::ngrams::store) mod catalogue;
mod committed;
mod directory;
mod ids;
mod manifest;
mod match_order;
mod merge;
mod parts;
mod run;
mod segment;
mod segment_writer;
mod tiers;
mod writer;

use std::path::{Path, PathBuf};

use flate2::Crc;
use rayon::prelude::*;

use self::manifest::StoreManifest;
use self::segment::Segment;
use super::{
    CatalogueEntry, DocumentKey, HashVisitor, IndexParameters, LengthCounts, NgramMatch,
    NgramStore, StoreCounts,
};
use crate::error::{Error, Result};
use crate::files::index::{HEAD, read_up_to};
use crate::session::Session;

pub use manifest::IndexShard;
pub use parts::{StoreParts, compare_shard};
pub use writer::{EmbeddedWriter, POSTINGS_PER_RUN};

/// Number of states that a reader may see come and go before it gives up.
const MAX_RETRIES: usize = 100;
/// Minimum number of hashes per task of a lookup.
const HASHES_PER_TASK: usize = 256;
/// Memory of [`NgramStore::for_each_hash_list`], in hashes.
const EXPORTED_AT_ONCE: u64 = 1 << 26;

/// An open index.
pub struct EmbeddedStore {
    folder: PathBuf,
    manifest: StoreManifest,
    segments: Vec<OpenSegment>,
    session: Session,
}

/// A segment with its removed documents.
struct OpenSegment {
    segment: Segment,
    /// Increasing.
    removed: Vec<u32>,
}

impl OpenSegment {
    fn has(&self, document: u32) -> bool {
        self.removed.is_empty() || self.removed.binary_search(&document).is_err()
    }

    fn live(&self) -> impl Iterator<Item = u32> {
        (0..self.segment.documents()).filter(|document| self.has(*document))
    }
}

impl EmbeddedStore {
    /// Opens the index in a folder. Tries again if a run has replaced it meanwhile.
    ///
    /// # Errors
    /// A folder without an index; a missing, damaged or foreign file.
    pub fn open(folder: &Path, session: &Session) -> Result<Self> {
        let mut retries = 0;
        loop {
            let manifest = StoreManifest::read(folder)?;
            let generation = manifest.generation;
            match Self::open_files(folder, manifest, session) {
                Err(_) if retries < MAX_RETRIES && is_replaced(folder, generation) => retries += 1,
                outcome => return outcome,
            }
        }
    }

    fn open_files(folder: &Path, manifest: StoreManifest, session: &Session) -> Result<Self> {
        let mut segments = Vec::new();
        for entry in &manifest.segments {
            let file = manifest.file(folder, &entry.name)?;
            let segment = Segment::open(&folder.join(&entry.name), file.bytes)?;
            if segment.documents() != entry.documents {
                let message = format!(
                    "expected {} documents as in {HEAD}, found {}",
                    entry.documents,
                    segment.documents()
                );
                return Err(Error::in_file(segment.path(), message));
            }
            let removed = match &entry.removed {
                Some(name) => read_removed(folder, &manifest, name, entry.documents)?,
                None => Vec::new(),
            };
            segments.push(OpenSegment { segment, removed });
        }
        let (folder, session) = (folder.to_path_buf(), session.clone());
        Ok(EmbeddedStore { folder, manifest, segments, session })
    }

    fn key(segment: usize, document: u32) -> DocumentKey {
        DocumentKey((segment as u64) << 32 | u64::from(document))
    }

    fn place(document: DocumentKey) -> (usize, u32) {
        ((document.0 >> 32) as usize, document.0 as u32)
    }

    fn lookup_in(
        &self,
        segment: usize,
        length: usize,
        first: usize,
        hashes: &[u64],
    ) -> Result<Vec<NgramMatch>> {
        let (mut found, open) = (Vec::new(), &self.segments[segment]);
        open.segment.lookup(length, hashes, |at, document| {
            if open.has(document) {
                let position = (first + at) as u32;
                found.push(NgramMatch { document: Self::key(segment, document), position });
            }
        })?;
        Ok(found)
    }

    fn check_crc(&self, name: &str, found: u32) -> Result<()> {
        let stated = self.manifest.file(&self.folder, name)?.crc32;
        if stated == found {
            return Ok(());
        }
        let message = format!("expected CRC-32 {stated:08x} as in {HEAD}, found {found:08x}");
        Err(Error::in_file(&self.folder.join(name), message))
    }

    /// Returns the hashes of the documents of a segment from `first` on, as many as memory allows, by increasing document.
    fn hash_lists(
        open: &OpenSegment,
        length: usize,
        documents: std::ops::Range<u32>,
        counts: &[u64],
    ) -> Result<Vec<Vec<u64>>> {
        let mut lists: Vec<Vec<u64>> =
            counts.iter().map(|count| Vec::with_capacity(*count as usize)).collect();
        open.segment.for_each_posting(length, 0..=u64::MAX, |(hash, document)| {
            if documents.contains(&document) {
                lists[(document - documents.start) as usize].push(hash);
            }
        })?;
        Ok(lists)
    }
}

impl NgramStore for EmbeddedStore {
    fn parameters(&self) -> Option<&IndexParameters> {
        self.manifest.parameters.as_ref()
    }

    /// Time: a read of about 1.5 kB per hash and segment, distributed over the session's threads.
    fn lookup(&self, length: usize, hashes: &[u64]) -> Result<Vec<NgramMatch>> {
        for open in &self.segments {
            open.segment.load_directory(length)?;
        }
        let look_up = |(segment, first, own): (usize, usize, &[u64])| {
            self.lookup_in(segment, length, first, own)
        };
        let all = || (0..self.segments.len()).map(|segment| (segment, 0, hashes));
        let found: Result<Vec<Vec<NgramMatch>>> = match hashes.len() <= HASHES_PER_TASK {
            true => all().map(look_up).collect(),
            false => self.session.install(|| {
                // One task per thread and segment: each tells the system of all its blocks before it waits for one.
                let size = hashes.len().div_ceil(rayon::current_num_threads()).max(HASHES_PER_TASK);
                let tasks = all().flat_map(|(segment, _, _)| {
                    let parts = hashes.chunks(size).enumerate();
                    parts.map(move |(number, own)| (segment, number * size, own))
                });
                tasks.collect::<Vec<_>>().into_par_iter().map(look_up).collect()
            }),
        };
        let mut found = found?.concat();
        match_order::sort(&mut found);
        Ok(found)
    }

    fn prepare_lookup(&self, length: usize) {
        self.segments.iter().for_each(|open| _ = open.segment.load_directory(length));
    }

    fn entry(&self, document: DocumentKey) -> Result<CatalogueEntry> {
        let (segment, document) = Self::place(document);
        self.segments[segment].segment.entry(document)
    }

    fn find(&self, id: &str) -> Result<Option<DocumentKey>> {
        for (number, open) in self.segments.iter().enumerate() {
            let found = open.segment.find(id)?.into_iter().find(|document| open.has(*document));
            if let Some(document) = found {
                return Ok(Some(Self::key(number, document)));
            }
        }
        Ok(None)
    }

    fn for_each_entry(
        &self,
        visit: &mut dyn FnMut(DocumentKey, CatalogueEntry) -> Result<()>,
    ) -> Result<()> {
        for (number, open) in self.segments.iter().enumerate() {
            for document in open.live() {
                visit(Self::key(number, document), open.segment.entry(document)?)?;
            }
        }
        Ok(())
    }

    /// Memory: half a gigabyte; larger segments are read repeatedly.
    fn for_each_hash_list(&self, visit: &mut HashVisitor<'_>) -> Result<()> {
        for open in &self.segments {
            let mut first = 0;
            while first < open.segment.documents() {
                let (mut entries, mut hashes) = (Vec::new(), 0);
                let mut end = first;
                while end < open.segment.documents() && hashes < EXPORTED_AT_ONCE {
                    let entry = open.segment.entry(end)?;
                    let own = entry.ngrams.iter().map(|(_, count)| *count);
                    hashes = own.fold(hashes, u64::saturating_add);
                    entries.push(entry);
                    end += 1;
                }
                let mut lists = Vec::new();
                for section in open.segment.sections() {
                    let own = |entry: &CatalogueEntry| {
                        let own = entry.ngrams.iter().find(|(length, _)| *length == section.length);
                        // A posting takes more than a byte.
                        own.map_or(0, |(_, count)| (*count).min(section.blocks.bytes))
                    };
                    let counts: Vec<u64> = entries.iter().map(own).collect();
                    let of_length = Self::hash_lists(open, section.length, first..end, &counts)?;
                    lists.push((section.length, of_length));
                }
                let live = (first..end).zip(&entries).filter(|(document, _)| open.has(*document));
                for (document, entry) in live {
                    for (length, _) in &entry.ngrams {
                        let own = lists.iter().find(|(other, _)| other == length);
                        let own = own.map(|(_, lists)| &*lists[(document - first) as usize]);
                        visit(entry, *length, own.unwrap_or_default())?;
                    }
                }
                first = end;
            }
        }
        Ok(())
    }

    fn counts(&self) -> Result<StoreCounts> {
        let mut lengths = std::collections::BTreeMap::<usize, LengthCounts>::new();
        let mut counts = StoreCounts::default();
        for open in &self.segments {
            counts.documents += open.segment.documents() as u64 - open.removed.len() as u64;
            counts.removed += open.removed.len() as u64;
            for section in open.segment.sections() {
                let own = lengths.entry(section.length).or_default();
                own.postings += section.postings;
                own.distinct += section.distinct;
                own.bytes += section.blocks.bytes + section.directory.bytes;
            }
        }
        counts.segments = self.segments.len() as u64;
        counts.bytes = self.manifest.files.iter().map(|file| file.bytes).sum();
        counts.lengths = lengths.into_iter().collect();
        Ok(counts)
    }

    /// Reads every file once, and every block and record.
    fn check(&self) -> Result<()> {
        for (open, entry) in self.segments.iter().zip(&self.manifest.segments) {
            self.check_crc(&entry.name, open.segment.crc32()?)?;
            open.segment.check()?;
        }
        Ok(())
    }

    fn paths(&self) -> Vec<PathBuf> {
        let names = self.manifest.files.iter().map(|file| &*file.name).chain([HEAD]);
        names.map(|name| self.folder.join(name)).collect()
    }
}

/// Returns whether the index in a folder has another generation.
fn is_replaced(folder: &Path, generation: u64) -> bool {
    StoreManifest::read(folder).is_ok_and(|manifest| manifest.generation != generation)
}

/// Reads the removed documents of a segment.
fn read_removed(
    folder: &Path,
    manifest: &StoreManifest,
    name: &str,
    documents: u32,
) -> Result<Vec<u32>> {
    let (path, stated) = (folder.join(name), manifest.file(folder, name)?);
    let content = read_up_to(&path, stated.bytes.saturating_add(1))?;
    let mut crc = Crc::new();
    crc.update(&content);
    let numbers = content.as_chunks::<4>().0.iter().map(|number| u32::from_le_bytes(*number));
    let removed: Vec<u32> = numbers.collect();
    let is_sorted = removed.is_sorted_by(|left, right| left < right);
    let is_inside = removed.last().is_none_or(|last| *last < documents);
    if content.len() as u64 != stated.bytes || crc.sum() != stated.crc32 || !is_sorted || !is_inside
    {
        let expected = format!(
            "expected {} bytes with CRC-32 {:08x} as in {HEAD}",
            stated.bytes, stated.crc32
        );
        let found = format!("found {} bytes with {:08x}", content.len(), crc.sum());
        return Err(Error::in_file(&path, format!("{expected}, {found}")));
    }
    Ok(removed)
}
