//! Reads a segment. Only the directory of a length is kept in memory, from its first lookup on; blocks are read where they are needed.

use std::fs::File;
use std::io;
#[cfg(target_os = "linux")]
use std::io::IoSliceMut;
#[cfg(target_os = "linux")]
use std::num::NonZeroU64;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::buffer::spare_capacity;
#[cfg(target_os = "linux")]
use rustix::fs::{Advice, fadvise};
use rustix::io::{Errno, pread};
#[cfg(target_os = "linux")]
use rustix::io::{ReadWriteFlags, preadv2};
use twox_hash::XxHash3_64;

use super::block::{Block, PADDING, Posting};
use super::catalogue::{self, PathTable};
use super::directory::BlockDirectory;
use super::ids::{self, IdEntry};
use super::segment_writer::{ByteRange, MAGIC, SectionFooter, SegmentFooter, TRAILER};
use crate::bits::pages::{HugeBuffer, advise_huge_pages};
use crate::error::{Error, Result, excerpt, fallibly};
use crate::ngrams::store::CatalogueEntry;

/// The largest footer: it grows with the number of lengths only.
const MAX_FOOTER: u64 = 1 << 20;
/// Bytes of blocks that are read at once by a scan.
const SCAN_BYTES: u64 = 1 << 20;
/// Ids that are looked up page by page. With more, the whole table is read: it has 12 bytes per document.
const MAX_PAGED_LOOKUPS: usize = 64;

/// An open segment.
pub struct Segment {
    path: PathBuf,
    file: File,
    bytes: u64,
    footer: SegmentFooter,
    /// By section.
    directories: Vec<OnceLock<HugeBuffer>>,
    /// All ids, from the lookup on that follows [`MAX_PAGED_LOOKUPS`].
    ids: OnceLock<Vec<IdEntry>>,
    id_lookups: AtomicUsize,
    paths: OnceLock<Vec<PathBuf>>,
}

impl Segment {
    /// Opens a segment of `bytes` bytes and reads its footer.
    ///
    /// # Errors
    /// A file of another size or version, or a damaged footer.
    pub fn open(path: &Path, bytes: u64) -> Result<Self> {
        let failed = |error| Error::io("read", path, error);
        let file = File::open(path).map_err(failed)?;
        let found = file.metadata().map_err(failed)?.len();
        if found != bytes {
            let message = format!("expected {bytes} bytes as in index.json, found {found}");
            return Err(Error::in_file(path, message));
        }
        let mut segment = Segment {
            path: path.to_path_buf(),
            file,
            bytes,
            footer: SegmentFooter::default(),
            directories: Vec::new(),
            ids: OnceLock::new(),
            id_lookups: AtomicUsize::new(0),
            paths: OnceLock::new(),
        };
        segment.footer = segment.read_footer()?;
        segment.directories = segment.footer.sections.iter().map(|_| OnceLock::new()).collect();
        Ok(segment)
    }

    fn read_footer(&self) -> Result<SegmentFooter> {
        let magic = self.read(0, self.bytes.min(MAGIC.len() as u64))?;
        if magic != MAGIC {
            let expected = String::from_utf8_lossy(MAGIC);
            let found = excerpt(&String::from_utf8_lossy(&magic));
            let message = format!("expected '{expected}' at its start, found {found}");
            return Err(Error::in_file(&self.path, message));
        }
        let end = self.bytes.checked_sub(TRAILER as u64).ok_or_else(|| self.damaged("footer"))?;
        let trailer = self.read(end, TRAILER as u64)?;
        let length = number_at(&trailer, 0);
        let start = end.checked_sub(length).filter(|_| length <= MAX_FOOTER);
        let footer = self.read(start.ok_or_else(|| self.damaged("footer"))?, length)?;
        if XxHash3_64::oneshot(&footer) != number_at(&trailer, 8) {
            return Err(self.damaged("footer"));
        }
        let footer: Option<SegmentFooter> = serde_json::from_slice(&footer).ok();
        footer.filter(SegmentFooter::is_consistent).ok_or_else(|| self.damaged("footer"))
    }

    fn damaged(&self, what: &str) -> Error {
        let hint = "remove the index and add its documents again";
        Error::in_file(&self.path, format!("damaged {what}: expected another checksum; {hint}"))
    }

    /// Returns bytes of the file. The memory is not filled with zeros first, and consists of huge pages: tables have many megabytes.
    fn read(&self, start: u64, bytes: u64) -> Result<Vec<u8>> {
        self.check_inside(start, bytes)?;
        let failed = |error: io::Error| Error::io("read", &self.path, error);
        let mut buffer = Vec::new();
        fallibly(|| buffer.try_reserve_exact(bytes as usize)).map_err(|e| failed(e.into()))?;
        advise_huge_pages(&buffer);
        while (buffer.len() as u64) < bytes {
            let at = start + buffer.len() as u64;
            match pread(&self.file, spare_capacity(&mut buffer), at) {
                Ok(0) => return Err(failed(io::ErrorKind::UnexpectedEof.into())),
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(failed(error.into())),
            }
        }
        buffer.truncate(bytes as usize);
        Ok(buffer)
    }

    fn check_inside(&self, start: u64, bytes: u64) -> Result<()> {
        let is_inside = start.checked_add(bytes).is_some_and(|end| end <= self.bytes);
        if is_inside { Ok(()) } else { Err(self.damaged("directory")) }
    }

    /// Fills a buffer with bytes of the file and [`PADDING`].
    fn read_into(&self, start: u64, bytes: u64, buffer: &mut Vec<u8>) -> Result<()> {
        self.reserve(start, bytes, buffer)?;
        let read = self.file.read_exact_at(&mut buffer[..bytes as usize], start);
        read.map_err(|error| Error::io("read", &self.path, error))
    }

    /// Makes room for bytes of the file and [`PADDING`].
    fn reserve(&self, start: u64, bytes: u64, buffer: &mut Vec<u8>) -> Result<()> {
        self.check_inside(start, bytes)?;
        let length = bytes as usize + PADDING;
        if buffer.len() < length {
            let missing = length - buffer.len();
            let reserved = fallibly(|| buffer.try_reserve(missing));
            reserved.map_err(|error| Error::io("read", &self.path, error.into()))?;
            buffer.resize(length, 0);
        }
        Ok(())
    }

    fn read_range(&self, range: ByteRange, what: &str) -> Result<Vec<u8>> {
        self.will_need(range.start, range.bytes);
        let content = self.read(range.start, range.bytes)?;
        match XxHash3_64::oneshot(&content) == range.xxh3 {
            true => Ok(content),
            false => Err(self.damaged(what)),
        }
    }

    /// Returns the path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the number of documents, removed ones included.
    pub fn documents(&self) -> u32 {
        self.footer.documents
    }

    /// Returns the sections, by increasing length.
    pub fn sections(&self) -> &[SectionFooter] {
        &self.footer.sections
    }

    fn section(&self, length: usize) -> Option<usize> {
        self.footer.sections.iter().position(|section| section.length == length)
    }

    fn directory(&self, section: usize) -> Result<BlockDirectory<'_>> {
        let (footer, known) = (&self.footer.sections[section], &self.directories[section]);
        let directory = match known.get() {
            Some(directory) => directory,
            None => {
                // Two threads may read it at the same time; both read the same.
                let read = self.read_directory(footer.directory)?;
                known.get_or_init(|| read)
            }
        };
        Ok(BlockDirectory::new(directory, footer.bucket_bits))
    }

    fn read_directory(&self, range: ByteRange) -> Result<HugeBuffer> {
        self.check_inside(range.start, range.bytes)?;
        self.will_need(range.start, range.bytes);
        let failed = |error| Error::io("read", &self.path, error);
        let mut content = HugeBuffer::new(range.bytes as usize).map_err(failed)?;
        self.file.read_exact_at(&mut content, range.start).map_err(failed)?;
        match XxHash3_64::oneshot(&content) == range.xxh3 {
            true => Ok(content),
            false => Err(self.damaged("directory of blocks")),
        }
    }

    /// Reads the directory of a length. Lookups do so, too, but several threads would read it several times.
    pub fn load_directory(&self, length: usize) -> Result<()> {
        self.section(length).map_or(Ok(()), |section| self.directory(section).map(drop))
    }

    /// Returns a table that is read when it is first needed.
    fn cached<'t, T>(
        &self,
        table: &'t OnceLock<Vec<T>>,
        read: impl FnOnce() -> Result<Vec<T>>,
    ) -> Result<&'t [T]> {
        if table.get().is_none() {
            // Two threads may read it at the same time; both read the same.
            let _ = table.set(read()?);
        }
        Ok(table.get().map_or(&[], Vec::as_slice))
    }

    /// Calls `visit` with the position of each hash, in any order, and a document that holds it. The hashes increase.
    ///
    /// Blocks in the page cache are read first. The system is told of all others before the first of them is awaited, so that a disk works on
    /// many of them at once.
    pub fn lookup(
        &self,
        length: usize,
        hashes: &[u64],
        mut visit: impl FnMut(usize, u32),
    ) -> Result<()> {
        let Some(section) = self.section(length) else { return Ok(()) };
        let (form, directory) = (self.footer.sections[section].form(), self.directory(section)?);
        let is_same = |left: &u64, right: &u64| form.bucket(*left) == form.bucket(*right);
        let mut find = |block: &Block<'_>, first: usize, own: &[u64]| {
            for (at, hash) in own.iter().enumerate() {
                block.find(*hash, |document| visit(first + at, document));
            }
        };
        let (mut buffer, mut first, mut missing) = (Vec::new(), 0, Vec::new());
        for own in hashes.chunk_by(is_same) {
            let (start, bytes) = self.place(section, directory, form.bucket(own[0]));
            if bytes > 0 && self.read_cached(start, bytes, &mut buffer) {
                find(&self.block(section, &buffer, bytes)?, first, own);
            } else if bytes > 0 {
                self.will_need(start, bytes);
                missing.push((start, bytes, first, own));
            }
            first += own.len();
        }
        for (start, bytes, first, own) in missing {
            self.read_into(start, bytes, &mut buffer)?;
            find(&self.block(section, &buffer, bytes)?, first, own);
        }
        Ok(())
    }

    /// Returns start and size of a block in the file.
    fn place(&self, section: usize, directory: BlockDirectory<'_>, bucket: usize) -> (u64, u64) {
        let first = self.footer.sections[section].blocks.start;
        (first.saturating_add(directory.start(bucket)), directory.length(bucket))
    }

    /// Opens a block of `bytes` bytes in a buffer.
    fn block<'b>(&self, section: usize, buffer: &'b [u8], bytes: u64) -> Result<Block<'b>> {
        let form = self.footer.sections[section].form();
        let block = Block::open(form, &buffer[..bytes as usize + PADDING], bytes as usize);
        block.ok_or_else(|| self.damaged("block"))
    }

    /// Fills a buffer as [`Segment::read_into`] does, if the bytes are in the page cache. Returns whether they are; an error of the read comes
    /// again when it is repeated.
    #[cfg(target_os = "linux")]
    fn read_cached(&self, start: u64, bytes: u64, buffer: &mut Vec<u8>) -> bool {
        if self.reserve(start, bytes, buffer).is_err() {
            return false;
        }
        let own = &mut [IoSliceMut::new(&mut buffer[..bytes as usize])];
        preadv2(&self.file, own, start, ReadWriteFlags::NOWAIT) == Ok(bytes as usize)
    }

    #[cfg(not(target_os = "linux"))]
    fn read_cached(&self, _start: u64, _bytes: u64, _buffer: &mut Vec<u8>) -> bool {
        false
    }

    /// Tells the system that bytes are read soon, where it can be told. Advice only: an error would come again when they are read.
    fn will_need(&self, start: u64, bytes: u64) {
        #[cfg(target_os = "linux")]
        let _ = fadvise(&self.file, start, NonZeroU64::new(bytes), Advice::WillNeed);
        #[cfg(not(target_os = "linux"))]
        let _ = (start, bytes);
    }

    /// Calls `visit` with all postings of a length whose hashes lie between two, sorted.
    pub fn for_each_posting(
        &self,
        length: usize,
        hashes: std::ops::RangeInclusive<u64>,
        mut visit: impl FnMut(Posting),
    ) -> Result<()> {
        let Some(section) = self.section(length) else { return Ok(()) };
        let footer = self.footer.sections[section];
        let (form, directory) = (footer.form(), self.directory(section)?);
        let (mut bucket, last) = (form.bucket(*hashes.start()), form.bucket(*hashes.end()));
        if !directory.is_contiguous() {
            return Err(self.damaged("directory of blocks"));
        }
        let mut buffer = Vec::new();
        while bucket <= last {
            let start = footer.blocks.start.saturating_add(directory.start(bucket));
            let (mut next, mut bytes) = (bucket + 1, directory.length(bucket));
            while next <= last && bytes.saturating_add(directory.length(next)) <= SCAN_BYTES {
                bytes += directory.length(next);
                next += 1;
            }
            self.read_into(start, bytes, &mut buffer)?;
            let mut rest = &buffer[..];
            for own in bucket..next {
                let length = directory.length(own) as usize;
                if length == 0 {
                    continue;
                }
                let block = Block::open(form, rest, length);
                block.ok_or_else(|| self.damaged("block"))?.for_each(own, |posting| {
                    if hashes.contains(&posting.0) {
                        visit(posting);
                    }
                });
                rest = &rest[length..];
            }
            bucket = next;
        }
        Ok(())
    }

    /// Returns the entry of a document.
    pub fn entry(&self, document: u32) -> Result<CatalogueEntry> {
        let paths = self.cached(&self.paths, || {
            let content = self.read_range(self.footer.paths, "table of paths")?;
            PathTable::decode(&content).ok_or_else(|| self.damaged("table of paths"))
        })?;
        let starts = self.footer.record_starts.start.saturating_add(8 * u64::from(document));
        let starts = self.read(starts, 16)?;
        let (start, end) = (number_at(&starts, 0), number_at(&starts, 8));
        let bytes = end.checked_sub(start).ok_or_else(|| self.damaged("table of records"))?;
        let record = self.read(self.footer.records.start.saturating_add(start), bytes)?;
        catalogue::decode(&record, paths).ok_or_else(|| self.damaged("record of a document"))
    }

    /// Returns the hashes of all ids with their documents, sorted.
    pub fn id_hashes(&self) -> Result<Vec<IdEntry>> {
        let content = self.read_range(self.footer.ids, "table of ids")?;
        let pages = content.chunks(ids::PAGE).map(|page| self.id_page(page));
        Ok(pages.collect::<Result<Vec<_>>>()?.concat())
    }

    fn id_page(&self, page: &[u8]) -> Result<Vec<IdEntry>> {
        ids::decode(page).ok_or_else(|| self.damaged("table of ids"))
    }

    /// Returns the documents with an id; several if all but one are removed.
    pub fn find(&self, id: &str) -> Result<Vec<u32>> {
        let hash = catalogue::id_hash(id);
        let is_first = self.id_lookups.fetch_add(1, Ordering::Relaxed) < MAX_PAGED_LOOKUPS;
        let same_hash = match is_first {
            true => self.find_in_pages(hash)?,
            false => ids::with_hash(self.cached(&self.ids, || self.id_hashes())?, hash).collect(),
        };
        let mut found = Vec::new();
        for document in same_hash {
            if self.entry(document)?.id == id {
                found.push(document);
            }
        }
        Ok(found)
    }

    fn find_in_pages(&self, hash: u64) -> Result<Vec<u32>> {
        let (table, page_bytes) = (self.footer.ids, ids::PAGE as u64);
        ids::find(table.bytes.div_ceil(page_bytes), hash, |page| {
            let start = page * page_bytes;
            let bytes = page_bytes.min(table.bytes - start);
            self.id_page(&self.read(table.start.saturating_add(start), bytes)?)
        })
    }

    /// Reads everything and checks that postings, counts and ids agree.
    pub fn check(&self) -> Result<()> {
        let mut counts = vec![0u64; self.documents() as usize];
        for section in self.sections() {
            let (mut before, mut total, mut is_sorted) = (None, 0, true);
            self.for_each_posting(section.length, 0..=u64::MAX, |posting| {
                is_sorted &= before.replace(posting).is_none_or(|before| before < posting);
                total += 1;
                match counts.get_mut(posting.1 as usize) {
                    Some(count) => *count += 1,
                    None => is_sorted = false,
                }
            })?;
            if !is_sorted || total != section.postings {
                return Err(self.damaged("list of postings"));
            }
        }
        for document in 0..self.documents() {
            let entry = self.entry(document)?;
            let stated = entry.ngrams.iter().fold(0u64, |sum, own| sum.saturating_add(own.1));
            let is_found = self.find(&entry.id)?.contains(&document);
            if stated != counts[document as usize] || !is_found {
                return Err(self.damaged("catalogue"));
            }
        }
        Ok(())
    }

    /// Returns the CRC-32 of the file.
    pub fn crc32(&self) -> Result<u32> {
        let (mut crc, mut at) = (flate2::Crc::new(), 0);
        while at < self.bytes {
            let bytes = SCAN_BYTES.min(self.bytes - at);
            crc.update(&self.read(at, bytes)?);
            at += bytes;
        }
        Ok(crc.sum())
    }
}

fn number_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}
