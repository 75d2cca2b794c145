//! Atomic output. An [`Output`] writes to `NAME.part` next to its target and renames it when complete; dropped before that, it removes
//! the part. A killed run leaves the old file or none, and perhaps a `.part`, which the next run overwrites.
//!
//! The part is locked, so that a second run that would write the same file at the same time is refused. Devices, named pipes and standard
//! output (`-`) are written directly.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::error::{Error, Result};
use crate::files::is_stream;
use crate::files::manifest::{Digest, Hasher};

/// Bytes per write: 256 kB make system calls cheap.
const BUFFER: usize = 1 << 18;

/// A file being written.
pub struct Output {
    sink: Sink,
    path: PathBuf,
    part: Part,
    hasher: Option<Hasher>,
}

enum Sink {
    Plain(BufWriter<Box<dyn Write + Send + Sync>>),
    Gzip(Box<GzEncoder<BufWriter<Box<dyn Write + Send + Sync>>>>),
    Zstandard(Box<zstd::Encoder<'static, BufWriter<Box<dyn Write + Send + Sync>>>>),
}

impl Output {
    /// Begins a file, compressed if its name ends in `.gz` or `.zst`. `-` is standard output.
    pub fn create(path: &Path) -> Result<Self> {
        let (file, part): (Box<dyn Write + Send + Sync>, Part) = if is_stream(path) {
            (Box::new(io::stdout()), Part::default())
        } else {
            begin_file(path)?
        };
        let buffered = BufWriter::with_capacity(BUFFER, file);
        let ending = path.extension().and_then(|ending| ending.to_str());
        let sink = match ending {
            Some("gz") => Sink::Gzip(Box::new(GzEncoder::new(buffered, Compression::default()))),
            Some("zst") => {
                let encoder = zstd::Encoder::new(buffered, zstd::DEFAULT_COMPRESSION_LEVEL);
                Sink::Zstandard(Box::new(encoder.map_err(|e| Error::io("create", path, e))?))
            }
            _ => Sink::Plain(buffered),
        };
        Ok(Output { sink, path: path.to_path_buf(), part, hasher: None })
    }

    /// Computes the digest of the uncompressed content while it is written.
    pub fn with_digest(mut self) -> Self {
        self.hasher = Some(Hasher::default());
        self
    }

    /// Returns the digest of the bytes written so far.
    pub fn digest(&self) -> Option<Digest> {
        self.hasher.as_ref().map(Hasher::digest)
    }

    /// Writes some bytes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        if let Some(hasher) = &mut self.hasher {
            hasher.update(bytes);
        }
        let outcome = match &mut self.sink {
            Sink::Plain(writer) => writer.write_all(bytes),
            Sink::Gzip(writer) => writer.write_all(bytes),
            Sink::Zstandard(writer) => writer.write_all(bytes),
        };
        outcome.map_err(|e| write_error(&self.path, e))
    }

    /// Completes the content, but leaves it under its temporary name.
    pub fn close(self) -> Result<Part> {
        let Output { sink, path, part, .. } = self;
        let outcome = match sink {
            Sink::Plain(mut writer) => writer.flush(),
            Sink::Gzip(writer) => writer.finish().and_then(|mut inner| inner.flush()),
            Sink::Zstandard(writer) => writer.finish().and_then(|mut inner| inner.flush()),
        };
        outcome.map_err(|e| write_error(&path, e))?;
        Ok(part)
    }

    /// Completes the file and renames it to its target.
    pub fn finish(self) -> Result<()> {
        self.close()?.publish()
    }
}

fn write_error(path: &Path, error: io::Error) -> Error {
    if is_stream(path) && error.kind() == io::ErrorKind::BrokenPipe {
        return Error::ClosedPipe;
    }
    Error::io("write", path, error)
}

/// A complete file under its temporary name, locked against other runs. Dropping it removes the file. Empty for outputs written directly.
#[must_use = "an unpublished part is removed"]
#[derive(Default)]
pub struct Part {
    /// The temporary name and the target.
    unpublished: Option<(PathBuf, PathBuf)>,
    /// The open file, which holds the lock.
    lock: Option<File>,
}

impl Part {
    /// Returns the temporary name, or `None` if the output was written directly.
    pub fn path(&self) -> Option<&Path> {
        self.unpublished.as_ref().map(|(part, _)| &**part)
    }

    /// Releases the lock where another lock covers the file: the number of open files is limited.
    pub fn unlocked(mut self) -> Self {
        self.lock = None;
        self
    }

    /// Removes the older file that this one will replace, if any.
    pub fn remove_old(&self) -> Result<()> {
        match &self.unpublished {
            Some((_, target)) if target.exists() => {
                fs::remove_file(target).map_err(|e| Error::io("replace", target, e))
            }
            _ => Ok(()),
        }
    }

    /// Renames the file to its target, replacing an older one.
    pub fn publish(mut self) -> Result<()> {
        let Some((part, target)) = self.unpublished.take() else { return Ok(()) };
        fs::rename(&part, &target).map_err(|e| {
            self.unpublished = Some((part, target.clone()));
            Error::io("write", target, e)
        })
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if let Some((part, _)) = &self.unpublished {
            // A failure to remove the part is ignored: the error that led here is the one to report.
            let _ = fs::remove_file(part);
        }
    }
}

fn begin_file(path: &Path) -> Result<(Box<dyn Write + Send + Sync>, Part)> {
    let create = |e| Error::io("create", path, e);
    let target = follow_links(path);
    if fs::metadata(&target).is_ok_and(|m| !m.is_file() && !m.is_dir()) {
        let device = OpenOptions::new().write(true).open(&target).map_err(create)?;
        return Ok((Box::new(device), Part::default()));
    }
    if target.is_dir() {
        return Err(create(io::Error::from(io::ErrorKind::IsADirectory)));
    }
    let part = with_suffix(&target, ".part");
    let file = lock_part(&part).map_err(create)?;
    let lock = Some(file.try_clone().map_err(create)?);
    Ok((Box::new(file), Part { unpublished: Some((part, target)), lock }))
}

/// Maximum number of symbolic links to follow, as in Linux.
const MAX_LINKS: usize = 40;

/// Follows symbolic links, also to a file that does not exist yet: links stay, their targets are replaced.
pub(super) fn follow_links(path: &Path) -> PathBuf {
    let mut target = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        let Ok(next) = fs::read_link(&target) else { break };
        target = target.parent().unwrap_or(Path::new("")).join(next);
    }
    target
}

/// Appends a suffix to a path, also to one that is not UTF-8.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(suffix);
    PathBuf::from(name)
}

/// Opens a part, locks it for this run and empties it. The lock lives as long as the file is open.
fn lock_part(part: &Path) -> io::Result<File> {
    let file = OpenOptions::new().create(true).write(true).truncate(false).open(part)?;
    let name = part.display();
    let busy =
        || io::Error::other(format!("another run is writing {name}, or this one writes it twice"));
    match file.try_lock() {
        Ok(()) => {}
        // A file system without locks.
        Err(TryLockError::Error(e)) if e.kind() == io::ErrorKind::Unsupported => {}
        Err(TryLockError::Error(e)) => return Err(e),
        Err(TryLockError::WouldBlock) => return Err(busy()),
    }
    // Another run may have renamed the part to its target between open and lock.
    if !is_same_file(&file, part) {
        return Err(busy());
    }
    file.set_len(0)?;
    Ok(file)
}

#[cfg(unix)]
fn is_same_file(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::metadata(path)) {
        (Ok(open), Ok(named)) => (open.dev(), open.ino()) == (named.dev(), named.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_same_file(_file: &File, path: &Path) -> bool {
    path.exists()
}
