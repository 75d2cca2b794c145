//! Opening sources: files any number of times, standard input and pipes once, or as often as one likes if they are copied to a file first.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::source::Source;
use crate::error::{Error, Result};
use crate::files::input::{Reader, decompressed_by};
use crate::files::is_stream;

/// So many bytes are taken at once from what is compressed: large reads keep the number of system calls down.
const BUFFER: usize = 1 << 18;
/// So many where it matters how much is taken.
const SMALL_BUFFER: usize = 4 << 10;

/// How standard input and pipes are read.
#[derive(Debug, Clone)]
pub struct Streams {
    /// Their copies, if they may be read again.
    copies: Option<Arc<Mutex<Copies>>>,
}

type Copies = BTreeMap<PathBuf, Arc<File>>;

impl Streams {
    /// Once, as they come.
    pub fn once() -> Self {
        Streams { copies: None }
    }

    /// Any number of times: they are copied to files without names first, which vanish with the last of these.
    pub fn again_and_again() -> Self {
        Streams { copies: Some(Arc::default()) }
    }

    /// Whether they can be read again.
    pub fn can_repeat(&self) -> bool {
        self.copies.is_some()
    }

    /// Opens a source at its beginning, decompressed.
    pub(super) fn open(&self, source: &Source) -> Result<Opened> {
        self.open_path(&source.path, source.is_stream)
    }

    /// Opens a file, or a stream, at its beginning, decompressed.
    pub(super) fn open_path(&self, path: &Path, is_stream: bool) -> Result<Opened> {
        self.open_by(path, is_stream, BUFFER)
    }

    /// Opens a source to see how much it takes to get how much out of it.
    pub(super) fn open_to_look(&self, source: &Source) -> Result<Opened> {
        self.open_by(&source.path, source.is_stream, SMALL_BUFFER)
    }

    fn open_by(&self, path: &Path, is_stream: bool, buffer: usize) -> Result<Opened> {
        let raw: Reader = match &self.copies {
            Some(copies) if is_stream => Box::new(Copy::open(copies, path)?),
            _ => raw(path)?,
        };
        let taken = Arc::new(AtomicU64::new(0));
        let counted = Counted { reader: raw, taken: Arc::clone(&taken) };
        let reader = decompressed_by(Box::new(counted), buffer);
        Ok(Opened { reader: reader.map_err(|e| Error::io("read", path, e))?, taken })
    }

    /// The size of a source as it is stored; `None` for a stream that has no copy.
    pub(super) fn size(&self, source: &Source) -> Option<u64> {
        match &self.copies {
            _ if !source.is_stream => std::fs::metadata(&source.path).ok().map(|about| about.len()),
            Some(copies) => copy_of(copies, &source.path).ok()?.metadata().ok().map(|m| m.len()),
            None => None,
        }
    }
}

/// The copy of a stream, made if there is none yet.
fn copy_of(copies: &Mutex<Copies>, path: &Path) -> Result<Arc<File>> {
    let mut copies = copies.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(copy) = copies.get(path) {
        return Ok(Arc::clone(copy));
    }
    let failed = |e| Error::io("copy to a temporary file", path, e);
    let mut copy = tempfile::tempfile().map_err(failed)?;
    io::copy(&mut raw(path)?, &mut copy).map_err(failed)?;
    let copy = Arc::new(copy);
    copies.insert(path.to_path_buf(), Arc::clone(&copy));
    Ok(copy)
}

fn raw(path: &Path) -> Result<Reader> {
    if is_stream(path) {
        return Ok(Box::new(io::stdin()));
    }
    Ok(Box::new(File::open(path).map_err(|e| Error::io("open", path, e))?))
}

/// An open source.
pub(super) struct Opened {
    /// Its content, decompressed.
    pub reader: Reader,
    /// The bytes taken from where it is stored so far.
    pub taken: Arc<AtomicU64>,
}

/// A copy that is read from its beginning. One reader at a time: they share their place.
struct Copy(Arc<File>);

impl Copy {
    fn open(copies: &Mutex<Copies>, path: &Path) -> Result<Self> {
        let copy = copy_of(copies, path)?;
        (&*copy).rewind().map_err(|e| Error::io("read again", path, e))?;
        Ok(Copy(copy))
    }
}

impl Read for Copy {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (&*self.0).read(buffer)
    }
}

/// Counts what is taken.
struct Counted {
    reader: Reader,
    taken: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.taken.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}
