//! Members of archives (ZIP, tar). Each is a source like a file, named `archive.zip!path`, and can be read independently of the others.
//!
//! Nothing is unpacked to disk under a member's name. A compressed tar archive is decompressed to an unnamed temporary file, because its
//! members cannot be found otherwise. Archives in archives are unreadable input, so that no depth of nesting needs memory.

mod tar;
mod zip;

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::CrcReader;
use flate2::bufread::DeflateDecoder;

use super::inputs::InputArgs;
use crate::files::extension;
use crate::files::input::Reader;
use crate::files::limits::InputFault;

/// Read buffer of a compressed member.
const BUFFER: usize = 64 << 10;
/// Members of an archive, at most: each takes about a hundred bytes.
const MAX_MEMBERS: usize = 10_000_000;
/// Extensions of compressed tar archives that are one word.
const SHORT_TAR: [&str; 5] = ["tgz", "tbz2", "tbz", "txz", "tzst"];

/// Kind of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArchiveKind {
    Zip,
    Tar,
}

impl ArchiveKind {
    /// Returns the kind of an archive by its name.
    pub fn of(path: &Path) -> Option<Self> {
        match &*extension(path) {
            "zip" => Some(ArchiveKind::Zip),
            "tar" => Some(ArchiveKind::Tar),
            short if SHORT_TAR.contains(&short) => Some(ArchiveKind::Tar),
            _ => None,
        }
    }
}

/// An open archive: the file, or its decompressed content.
#[derive(Debug)]
pub(super) struct ArchiveFile {
    path: PathBuf,
    content: File,
    bytes: u64,
}

/// A file in an archive.
#[derive(Debug, Clone)]
pub(super) struct Member {
    archive: Arc<ArchiveFile>,
    start: u64,
    /// Bytes in the archive.
    pub stored: u64,
    form: MemberForm,
}

/// How the bytes of a member are stored.
#[derive(Debug, Clone, Copy)]
enum MemberForm {
    /// As they are, without a checksum.
    Plain,
    /// As they are.
    Stored { checksum: u32 },
    /// Deflated.
    Deflated { size: u64, checksum: u32 },
}

/// An entry of an archive's directory: a member, or the reason why it is unreadable.
pub(super) struct Entry {
    /// The path of the member as bytes.
    pub name: Vec<u8>,
    pub member: Result<Member, String>,
}

/// The directory of an archive.
#[derive(Default)]
pub(super) struct Directory {
    /// The files, in the order of the archive.
    pub entries: Vec<Entry>,
    /// Number of links, which are not followed.
    pub links: u64,
    /// Why the rest of the archive is unreadable, if it is.
    pub damage: Option<String>,
}

impl Directory {
    /// Adds a file; one archive more than can be listed is damage.
    fn push(&mut self, name: Vec<u8>, member: Result<Member, String>) -> Result<(), String> {
        if self.entries.len() == MAX_MEMBERS {
            return Err(format!("expected at most {MAX_MEMBERS} members, found more"));
        }
        let is_archive = ArchiveKind::of(Path::new(&*String::from_utf8_lossy(&name))).is_some();
        let member = if is_archive { Err("an archive in an archive".into()) } else { member };
        self.entries.push(Entry { name, member });
        Ok(())
    }
}

/// Lists the files of an archive.
pub(super) fn list(path: &Path, kind: ArchiveKind, args: &InputArgs) -> Result<Directory, String> {
    let content = File::open(path).map_err(|e| format!("cannot open: {e}"))?;
    match kind {
        ArchiveKind::Zip => zip::list(ArchiveFile::new(path, content)?, args),
        ArchiveKind::Tar => tar::list(path, content, args),
    }
}

impl ArchiveFile {
    fn new(path: &Path, content: File) -> Result<Arc<Self>, String> {
        let bytes = content.metadata().map_err(|e| format!("cannot read: {e}"))?.len();
        Ok(Arc::new(ArchiveFile { path: path.to_path_buf(), content, bytes }))
    }
}

impl Member {
    /// Returns the path of the archive.
    pub fn archive_path(&self) -> &Path {
        &self.archive.path
    }

    /// Opens the member.
    ///
    /// # Errors
    /// When read: a size or checksum other than the archive states.
    pub fn open(&self) -> Reader {
        let raw = ArchiveReader {
            archive: Arc::clone(&self.archive),
            at: self.start,
            end: self.start.saturating_add(self.stored),
        };
        match self.form {
            MemberForm::Plain => Box::new(SizedReader::new(raw, self.stored, None)),
            MemberForm::Stored { checksum } => {
                Box::new(SizedReader::new(raw, self.stored, Some(checksum)))
            }
            MemberForm::Deflated { size, checksum } => {
                let decoder = DeflateDecoder::new(io::BufReader::with_capacity(BUFFER, raw));
                Box::new(SizedReader::new(decoder, size, Some(checksum)))
            }
        }
    }
}

/// Reads a range of an archive. Readers share the file, not a position.
struct ArchiveReader {
    archive: Arc<ArchiveFile>,
    at: u64,
    end: u64,
}

impl Read for ArchiveReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.end.saturating_sub(self.at).min(buffer.len() as u64) as usize;
        let count = self.archive.content.read_at(&mut buffer[..count], self.at)?;
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for ArchiveReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => self.end.checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

/// Reads a member that has a known size, and perhaps a checksum.
struct SizedReader<R> {
    reader: CrcReader<R>,
    left: u64,
    checksum: Option<u32>,
}

impl<R: Read> SizedReader<R> {
    fn new(reader: R, size: u64, checksum: Option<u32>) -> Self {
        SizedReader { reader: CrcReader::new(reader), left: size, checksum }
    }
}

impl<R: Read> Read for SizedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        let damaged = |found: &str| {
            let expected = "a member as the archive describes it".into();
            Err(InputFault { expected, found: found.into(), line: None }.into())
        };
        match self.left.checked_sub(count as u64) {
            None => return damaged("a longer one"),
            Some(left) => self.left = left,
        }
        if count == 0 && !buffer.is_empty() {
            let is_wrong = self.checksum.is_some_and(|sum| sum != self.reader.crc().sum());
            match self.left {
                0 if is_wrong => return damaged("another checksum"),
                0 => (),
                _ => return damaged("a shorter one (truncated archive?)"),
            }
        }
        Ok(count)
    }
}
