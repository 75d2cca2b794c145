//! Writing without half files. An [`Output`] writes to `NAME.part` beside its target and takes the target's name only
//! when it is complete; dropped before that, it removes the part. A killed run leaves the old file or none, and perhaps
//! a `.part`, which the next run takes over.
//!
//! Two runs that write the same file at once would ruin it: the part is locked, and the second run is refused.
//! Targets that are not regular files (`/dev/null`, a named pipe) and standard output (`-`) are written directly.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::error::{Error, Result};
use crate::files::is_stream;

/// Large writes keep the number of system calls down.
const BUFFER: usize = 1 << 18;

/// A file being written.
pub struct Output {
    sink: Sink,
    path: PathBuf,
    part: Part,
}

enum Sink {
    Plain(BufWriter<Box<dyn Write + Send + Sync>>),
    Gzip(Box<GzEncoder<BufWriter<Box<dyn Write + Send + Sync>>>>),
    Zstandard(Box<zstd::Encoder<'static, BufWriter<Box<dyn Write + Send + Sync>>>>),
}

impl Output {
    /// Begins the file; compressed if its name ends in `.gz` or `.zst`. `-` is standard output.
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
        Ok(Output { sink, path: path.to_path_buf(), part })
    }

    /// Writes some bytes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let outcome = match &mut self.sink {
            Sink::Plain(writer) => writer.write_all(bytes),
            Sink::Gzip(writer) => writer.write_all(bytes),
            Sink::Zstandard(writer) => writer.write_all(bytes),
        };
        outcome.map_err(|e| write_error(&self.path, e))
    }

    /// Completes the content, but leaves it under its temporary name.
    pub fn close(self) -> Result<Part> {
        let Output { sink, path, part } = self;
        let outcome = match sink {
            Sink::Plain(mut writer) => writer.flush(),
            Sink::Gzip(writer) => writer.finish().and_then(|mut inner| inner.flush()),
            Sink::Zstandard(writer) => writer.finish().and_then(|mut inner| inner.flush()),
        };
        outcome.map_err(|e| write_error(&path, e))?;
        Ok(part)
    }

    /// Completes the file and gives it its name.
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

/// Complete content that still waits for its name (what was written directly waits for none). Dropped, it is removed. It stays
/// locked against other runs until then.
#[must_use = "an unpublished part is removed"]
#[derive(Default)]
pub struct Part {
    /// Where the content stands, and where it belongs.
    waiting: Option<(PathBuf, PathBuf)>,
    /// The open file, whose lock keeps other runs away.
    lock: Option<File>,
}

impl Part {
    /// Where the content stands while it has no name, or `None` if it was written directly.
    pub fn path(&self) -> Option<&Path> {
        self.waiting.as_ref().map(|(part, _)| &**part)
    }

    /// The same without the lock, where something else keeps other runs away: a system has only so many open files.
    pub fn unlocked(mut self) -> Self {
        self.lock = None;
        self
    }

    /// Removes the older file that this one will replace, if there is one.
    pub fn remove_old(&self) -> Result<()> {
        match &self.waiting {
            Some((_, target)) if target.exists() => {
                fs::remove_file(target).map_err(|e| Error::io("replace", target, e))
            }
            _ => Ok(()),
        }
    }

    /// Gives the content its name, replacing an older file of that name.
    pub fn publish(mut self) -> Result<()> {
        let Some((part, target)) = self.waiting.take() else { return Ok(()) };
        fs::rename(&part, &target).map_err(|e| {
            self.waiting = Some((part, target.clone()));
            Error::io("write", target, e)
        })
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if let Some((part, _)) = &self.waiting {
            // Nothing can be done about a part that cannot be removed; the error that led here is the one to tell.
            let _ = fs::remove_file(part);
        }
    }
}

fn begin_file(path: &Path) -> Result<(Box<dyn Write + Send + Sync>, Part)> {
    let create = |e| Error::io("create", path, e);
    let target = behind_links(path);
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
    Ok((Box::new(file), Part { waiting: Some((part, target)), lock }))
}

/// Links that are followed before they count as a circle.
const MOST_LINKS: usize = 40;

/// The file that a path means when it is a symbolic link, also if that file is yet to be made: links stay, their targets are replaced.
fn behind_links(path: &Path) -> PathBuf {
    let mut target = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        let Ok(next) = fs::read_link(&target) else { break };
        target = target.parent().unwrap_or(Path::new("")).join(next);
    }
    target
}

/// `NAME` + suffix, also for names that are not UTF-8.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(suffix);
    PathBuf::from(name)
}

/// Opens a part for this run alone and empties it. The lock lives as long as the file is open.
fn lock_part(part: &Path) -> io::Result<File> {
    let file = OpenOptions::new().create(true).write(true).truncate(false).open(part)?;
    match file.try_lock() {
        Ok(()) => {}
        // A file system without locks: go on without.
        Err(TryLockError::Error(e)) if e.kind() == io::ErrorKind::Unsupported => {}
        Err(TryLockError::Error(e)) => return Err(e),
        Err(TryLockError::WouldBlock) => return Err(busy(part)),
    }
    // The other run may have renamed the part to its target between our open and our lock.
    if !is_same_file(&file, part) {
        return Err(busy(part));
    }
    file.set_len(0)?;
    Ok(file)
}

fn busy(part: &Path) -> io::Error {
    io::Error::other(format!(
        "another run is writing {}, or this one writes it twice",
        part.display()
    ))
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
