//! Opening sources. Standard input and pipes can be opened once, or repeatedly if they are spooled to temporary files.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::inputs::{InputArgs, MAX_SKIPPED_RECORDS};
use super::source::{InputSource, SourceKind};
use crate::error::{Error, Result};
use crate::files::decompress::{Compression, decompressed};
use crate::files::input::{Reader, open_raw};
use crate::files::limits::{LineLimit, MAX_LINE_BYTES, MAX_LIST_BYTES};

/// Read buffer of compressed sources; large reads keep the number of system calls down.
pub(super) const BUFFER: usize = 1 << 18;

/// How standard input and pipes are read.
#[derive(Debug, Clone)]
pub struct Streams {
    /// Their spool files, if they can be read repeatedly.
    spools: Option<Arc<Mutex<Spools>>>,
}

type Spools = BTreeMap<PathBuf, Arc<File>>;

impl Streams {
    /// Streams are read once.
    pub fn once() -> Self {
        Streams { spools: None }
    }

    /// Streams are spooled to unnamed temporary files, which vanish with the last clone of this.
    pub fn spooled() -> Self {
        Streams { spools: Some(Arc::default()) }
    }

    /// Returns whether streams can be read repeatedly.
    pub fn can_repeat(&self) -> bool {
        self.spools.is_some()
    }

    /// Opens a source, decompressed, within the limits of the arguments.
    pub(super) fn open(&self, source: &InputSource, args: &InputArgs) -> Result<OpenSource> {
        self.open_ahead(source, args, BUFFER)
    }

    /// Like [`Streams::open`], but reads at most `buffer` bytes ahead of a decoder.
    pub(super) fn open_ahead(
        &self,
        source: &InputSource,
        args: &InputArgs,
        buffer: usize,
    ) -> Result<OpenSource> {
        let limit = SpoolLimit::of(source, args);
        let raw = match &source.member {
            Some(member) => member.open(),
            None => self.open_raw(&source.path, source.is_stream, limit)?,
        };
        OpenSource::new(raw, &source.path, buffer, Some(args.max_ratio))
    }

    /// Opens a list of files, decompressed. Reads at most `buffer` bytes ahead of a decoder.
    ///
    /// # Errors
    /// When read: a line longer than a list may have.
    pub(super) fn open_path(
        &self,
        path: &Path,
        is_stream: bool,
        buffer: usize,
    ) -> Result<OpenSource> {
        let raw = self.open_raw(path, is_stream, SpoolLimit::LIST)?;
        let OpenSource { reader, taken } = OpenSource::new(raw, path, buffer, None)?;
        Ok(OpenSource { reader: Box::new(LineLimit::new(reader)), taken })
    }

    fn open_raw(&self, path: &Path, is_stream: bool, limit: SpoolLimit) -> Result<Reader> {
        let Some(spools) = self.spools.as_ref().filter(|_| is_stream) else {
            return open_raw(path);
        };
        // One reader at a time: readers share a file position.
        let mut file = spool(spools, path, limit)?;
        file.rewind().map_err(|e| Error::io("read again", path, e))?;
        Ok(Box::new(file))
    }

    /// Returns the stored size of a source; `None` for a stream that is not spooled.
    pub(super) fn size(&self, source: &InputSource, args: &InputArgs) -> Option<u64> {
        let limit = SpoolLimit::of(source, args);
        if let Some(member) = &source.member {
            return Some(member.stored);
        }
        match &self.spools {
            _ if !source.is_stream => std::fs::metadata(&source.path).ok().map(|about| about.len()),
            Some(spools) => {
                spool(spools, &source.path, limit).ok()?.metadata().ok().map(|m| m.len())
            }
            None => None,
        }
    }
}

/// How much of a stream is spooled. Readers refuse the same records with or without it; it keeps endless ones from filling the disk.
#[derive(Debug, Clone, Copy)]
struct SpoolLimit {
    /// Bytes without a newline that are stored; more become a hole in the file, which takes no space.
    stored: u64,
    /// Bytes without a newline after which the copy ends.
    run: u64,
    /// Bytes after which the copy ends.
    total: u64,
}

impl SpoolLimit {
    /// The limit of lists of files.
    const LIST: SpoolLimit =
        SpoolLimit { stored: 2 * MAX_LINE_BYTES, run: 2 * MAX_LINE_BYTES, total: MAX_LIST_BYTES };
    /// A record that is stored in more than this many bytes per byte of the limit is longer than the limit in any encoding.
    const STORED_PER_BYTE: u64 = 4;

    fn of(source: &InputSource, args: &InputArgs) -> Self {
        let stored = args.max_record.0.saturating_mul(Self::STORED_PER_BYTE).max(BUFFER as u64);
        match source.kind {
            SourceKind::Whole => SpoolLimit { stored, run: stored, total: stored },
            _ => {
                let run = stored.saturating_mul(MAX_SKIPPED_RECORDS);
                SpoolLimit { stored, run, total: u64::MAX }
            }
        }
    }

    /// Copies a stream. Bytes of compressed streams are no lines and are all copied.
    fn copy(self, mut stream: Reader, file: &mut File) -> io::Result<()> {
        let (compression, start) = Compression::detect_in(&mut stream)?;
        let is_plain = compression == Compression::Plain;
        let mut stream = io::Cursor::new(start).chain(stream);
        let (mut buffer, mut total, mut run) = (vec![0; BUFFER], 0, 0);
        while total <= self.total && run <= self.run {
            let piece = match stream.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => &buffer[..count],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            total += piece.len() as u64;
            let end = memchr::memrchr(b'\n', piece).filter(|_| is_plain);
            if is_plain && end.is_none() && run > self.stored {
                file.seek(SeekFrom::Current(piece.len() as i64))?;
            } else {
                file.write_all(piece)?;
            }
            run = match end {
                Some(end) => (piece.len() - end - 1) as u64,
                None if is_plain => run + piece.len() as u64,
                None => 0,
            };
        }
        // The file may end with a hole.
        file.set_len(total)
    }
}

/// Returns the spool file of a stream, creating it on first use.
fn spool(spools: &Mutex<Spools>, path: &Path, limit: SpoolLimit) -> Result<Arc<File>> {
    let mut spools = spools.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(file) = spools.get(path) {
        return Ok(Arc::clone(file));
    }
    let failed = |e| Error::io("copy to a temporary file", path, e);
    let mut file = tempfile::tempfile().map_err(failed)?;
    limit.copy(open_raw(path)?, &mut file).map_err(failed)?;
    let file = Arc::new(file);
    spools.insert(path.to_path_buf(), Arc::clone(&file));
    Ok(file)
}

/// An open source.
pub(super) struct OpenSource {
    /// The decompressed content.
    pub reader: Reader,
    /// Stored bytes read so far.
    pub taken: Arc<AtomicU64>,
}

impl OpenSource {
    /// Returns a source that is read as it is stored.
    pub fn plain(raw: Reader) -> Self {
        let taken = Arc::new(AtomicU64::new(0));
        let reader = CountingReader { reader: raw, taken: Arc::clone(&taken) };
        OpenSource { reader: Box::new(reader), taken }
    }

    fn new(raw: Reader, path: &Path, buffer: usize, max_ratio: Option<u64>) -> Result<Self> {
        let taken = Arc::new(AtomicU64::new(0));
        let counted = CountingReader { reader: raw, taken: Arc::clone(&taken) };
        let reader = decompressed(Box::new(counted), buffer, max_ratio);
        Ok(OpenSource { reader: reader.map_err(|e| Error::io("read", path, e))?, taken })
    }
}

/// Counts bytes read.
struct CountingReader {
    reader: Reader,
    taken: Arc<AtomicU64>,
}

impl Read for CountingReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.taken.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}
