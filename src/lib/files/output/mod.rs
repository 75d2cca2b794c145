//! Outputs as one transaction.
//!
//! A [`Publisher`] creates the outputs of a run, before its work begins: each is written to `NAME.part` next to its target. When all are
//! complete, [`Publisher::publish`] gives them their names:
//!
//! 1. All parts are synced to disk. Nothing has changed yet under a final name.
//! 2. Parts get their names in a fixed order. An older file gets the temporary name in the same step, so that a failure restores it.
//! 3. The folders are synced, and the older files removed.
//!
//! A run that fails leaves all old files. A run that is killed leaves old or new files, each of them whole; where one file describes others
//! (a list, an index), it gets its name last, and it is never the one that describes another version of them. What a killed run leaves under
//! temporary names, the next run takes over.
//!
//! Parts are locked, so that a second run that would write the same file at the same time is refused. No output may replace a file that the
//! run reads ([`Reads`]). Devices, named pipes and standard output (`-`) are written directly.

mod folder;
mod part;
mod publish;
mod reads;

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use bzip2::write::BzEncoder;
use flate2::Compression;
use flate2::write::GzEncoder;
use lzma_rust2::{XzOptions, XzWriter};

use crate::error::{Error, Result};
use crate::files::manifest::{Digest, Hasher};
use crate::files::streams::StandardStream;
use crate::files::{disk, is_stream};
use crate::session::Session;

pub use folder::OutputFolder;
pub use part::Part;
pub(crate) use part::{is_same_file, remove_leftovers};
pub use publish::Publisher;
pub use reads::Reads;

/// Bytes per write: 256 kB make system calls cheap.
const BUFFER: usize = 1 << 18;

/// A file being written.
pub struct Output {
    sink: Sink,
    /// Bytes to compress. Encoders get blocks of one size, so that the compressed bytes follow from the content alone, not from how it was written.
    block: Vec<u8>,
    path: PathBuf,
    part: Part,
    hasher: Option<Hasher>,
    session: Session,
}

/// A buffered file, device or standard output.
type Target = BufWriter<Box<dyn Write + Send + Sync>>;

enum Sink {
    Plain(Target),
    Gzip(Box<GzEncoder<Target>>),
    Zstandard(Box<zstd::Encoder<'static, Target>>),
    Bzip2(Box<BzEncoder<Target>>),
    Xz(Box<XzWriter<Target>>),
}

/// The preset of xz: the default of its program.
const XZ_PRESET: u32 = 6;

impl Sink {
    /// Writes to a target, compressed as the end of a name says.
    fn new(target: Target, ending: Option<&str>) -> io::Result<Self> {
        Ok(match ending {
            Some("gz") => Sink::Gzip(Box::new(GzEncoder::new(target, Compression::default()))),
            Some("zst") => {
                let encoder = zstd::Encoder::new(target, zstd::DEFAULT_COMPRESSION_LEVEL)?;
                Sink::Zstandard(Box::new(encoder))
            }
            Some("bz2") => {
                Sink::Bzip2(Box::new(BzEncoder::new(target, bzip2::Compression::default())))
            }
            Some("xz") => {
                Sink::Xz(Box::new(XzWriter::new(target, XzOptions::with_preset(XZ_PRESET))?))
            }
            _ => Sink::Plain(target),
        })
    }

    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Sink::Plain(writer) => writer,
            Sink::Gzip(writer) => writer,
            Sink::Zstandard(writer) => writer,
            Sink::Bzip2(writer) => writer,
            Sink::Xz(writer) => writer,
        }
    }

    /// Completes the content.
    fn finish(self) -> io::Result<()> {
        let mut target = match self {
            Sink::Plain(writer) => writer,
            Sink::Gzip(writer) => writer.finish()?,
            Sink::Zstandard(writer) => writer.finish()?,
            Sink::Bzip2(writer) => writer.finish()?,
            Sink::Xz(writer) => writer.finish()?,
        };
        target.flush()
    }
}

impl Output {
    /// Begins a file, compressed if its name ends in `.gz`, `.zst`, `.bz2` or `.xz`. `-` is standard output.
    fn create(path: &Path, reads: &Reads<'_>, session: &Session) -> Result<Self> {
        let (file, part): (Box<dyn Write + Send + Sync>, Part) = if is_stream(path) {
            StandardStream::Output.check()?;
            (Box::new(io::stdout()), Part::default())
        } else {
            begin_file(path, reads)?
        };
        Output::to_file(path, file, part, session)
    }

    /// Begins to write to an open file, compressed if its name ends in `.gz` or `.zst`.
    fn to_file(
        path: &Path,
        file: Box<dyn Write + Send + Sync>,
        part: Part,
        session: &Session,
    ) -> Result<Self> {
        let buffered = BufWriter::with_capacity(BUFFER, file);
        let ending = path.extension().and_then(|ending| ending.to_str());
        let sink = Sink::new(buffered, ending).map_err(|e| Error::io("create", path, e))?;
        let (path, session) = (path.to_path_buf(), session.clone());
        Ok(Output { sink, block: Vec::new(), path, part, hasher: None, session })
    }

    /// Returns the path under which the file is published.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Begins to write to standard output.
    pub fn stdout() -> Result<Self> {
        Output::create(Path::new("-"), &Reads::default(), &Session::silent())
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
        let written = match &mut self.sink {
            Sink::Plain(writer) => writer.write_all(bytes),
            _ => self.encode(bytes),
        };
        written.map_err(|e| write_error(&self.path, e))
    }

    /// Compresses full blocks.
    fn encode(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while self.block.len() + bytes.len() >= BUFFER {
            let (taken, rest) = bytes.split_at(BUFFER - self.block.len());
            self.block.extend_from_slice(taken);
            self.sink.writer().write_all(&self.block)?;
            self.block.clear();
            bytes = rest;
        }
        self.block.extend_from_slice(bytes);
        Ok(())
    }

    /// Completes the content, but leaves it under its temporary name.
    pub fn close(self) -> Result<Part> {
        let Output { mut sink, block, path, part, .. } = self;
        let written = sink.writer().write_all(&block).and_then(|()| sink.finish());
        written.map_err(|e| write_error(&path, e))?;
        Ok(part)
    }

    /// Completes the file and publishes it.
    pub fn finish(self) -> Result<()> {
        let session = self.session.clone();
        publish::publish(vec![vec![self.close()?]], &session, || ())
    }
}

fn write_error(path: &Path, error: io::Error) -> Error {
    if is_stream(path) && error.kind() == io::ErrorKind::BrokenPipe {
        return Error::ClosedPipe;
    }
    Error::io("write", path, error)
}

fn begin_file(path: &Path, reads: &Reads<'_>) -> Result<(Box<dyn Write + Send + Sync>, Part)> {
    let create = |e| Error::io("create", path, e);
    let target = follow_links(path);
    if fs::metadata(&target).is_ok_and(|m| !m.is_file() && !m.is_dir()) {
        let device = disk::open_device(&target).map_err(create)?;
        return Ok((Box::new(device), Part::default()));
    }
    if target.is_dir() {
        return Err(create(io::Error::from(io::ErrorKind::IsADirectory)));
    }
    reads.check(&target, path)?;
    // A file of the user that has the temporary name.
    reads.check(&with_suffix(&target, PART), path)?;
    let (file, part) = Part::begin(target).map_err(create)?;
    Ok((Box::new(file), part))
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

/// Returns the temporary names of an output, be it a file or a folder.
pub fn temporary_names(path: &Path) -> [PathBuf; 2] {
    let target: PathBuf = follow_links(path).components().collect();
    [PART, FOLDER_MARK].map(|suffix| with_suffix(&target, suffix))
}

/// End of the temporary name of a file or folder.
const PART: &str = ".part";
/// End of the name of the file that marks a folder as an output.
const FOLDER_MARK: &str = ".lock.part";

/// Appends a suffix to a path, also to one that is not UTF-8.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(suffix);
    PathBuf::from(name)
}
