//! Opening sources. Standard input and pipes can be opened once, or repeatedly if they are spooled to temporary files.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::source::InputSource;
use crate::error::{Error, Result};
use crate::files::input::{Reader, decompressed_by, open_raw};

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

    /// Opens a source, decompressed.
    pub(super) fn open(&self, source: &InputSource) -> Result<OpenSource> {
        self.open_path(&source.path, source.is_stream, BUFFER)
    }

    /// Opens a file or stream, decompressed. Reads at most `buffer` bytes ahead of a decoder.
    pub(super) fn open_path(
        &self,
        path: &Path,
        is_stream: bool,
        buffer: usize,
    ) -> Result<OpenSource> {
        let raw: Reader = match &self.spools {
            Some(spools) if is_stream => {
                // One reader at a time: readers share a file position.
                let mut file = spool(spools, path)?;
                file.rewind().map_err(|e| Error::io("read again", path, e))?;
                Box::new(file)
            }
            _ => open_raw(path)?,
        };
        let taken = Arc::new(AtomicU64::new(0));
        let counted = CountingReader { reader: raw, taken: Arc::clone(&taken) };
        let reader = decompressed_by(Box::new(counted), buffer);
        Ok(OpenSource { reader: reader.map_err(|e| Error::io("read", path, e))?, taken })
    }

    /// Returns the stored size of a source; `None` for a stream that is not spooled.
    pub(super) fn size(&self, source: &InputSource) -> Option<u64> {
        match &self.spools {
            _ if !source.is_stream => std::fs::metadata(&source.path).ok().map(|about| about.len()),
            Some(spools) => spool(spools, &source.path).ok()?.metadata().ok().map(|m| m.len()),
            None => None,
        }
    }
}

/// Returns the spool file of a stream, creating it on first use.
fn spool(spools: &Mutex<Spools>, path: &Path) -> Result<Arc<File>> {
    let mut spools = spools.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(file) = spools.get(path) {
        return Ok(Arc::clone(file));
    }
    let failed = |e| Error::io("copy to a temporary file", path, e);
    let mut file = tempfile::tempfile().map_err(failed)?;
    io::copy(&mut open_raw(path)?, &mut file).map_err(failed)?;
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
