//! Data files in blocks of whole lines, which several threads read and parse. Memory: some blocks, however large the files are.
//!
//! Files are read, not mapped: a map of a file that another process truncates ends the executable with SIGBUS, and one of a file that is
//! overwritten yields bytes other than those that were verified. The digest is that of the very bytes that are parsed.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use super::content::ContentLines;
use super::decompress::Compression;
use super::input::{self, Reader};
use super::is_stream;
use super::limits::{InputFault, MAX_LINE_BYTES};
use super::manifest::{DataFile, Hasher};
use crate::error::{Error, Result, fallibly};

/// Bytes per read of a plain file: several threads share a block.
const READ_BYTES: usize = 1 << 20;
/// Bytes from which on several threads share the work.
const SHARED_BYTES: usize = 4 * READ_BYTES;
/// Bytes per task of a parser: large enough to make its start cheap, small enough to share a block among threads.
const PART_BYTES: usize = 1 << 20;
/// A larger block is not kept for reuse: long lines are rare.
const MAX_REUSED_BYTES: usize = 1 << 26;

/// The bytes of a data file.
pub(super) enum ByteSource {
    /// A regular, uncompressed file.
    #[cfg(unix)]
    Plain {
        file: File,
        /// The size when it was opened.
        size: u64,
        offset: u64,
    },
    /// Any other file, decompressed.
    Stream(Reader),
}

impl ByteSource {
    /// Opens a file, or standard input for `-`.
    pub fn open(path: &Path) -> Result<Self> {
        #[cfg(unix)]
        if !is_stream(path) {
            let file = File::open(path).map_err(|e| Error::io("open", path, e))?;
            return Self::of_file(file).map_err(|e| Error::io("read", path, e));
        }
        input::open(path).map(ByteSource::Stream)
    }

    /// Reads an uncompressed file.
    pub fn of_plain(file: File) -> io::Result<Self> {
        #[cfg(unix)]
        return Ok(ByteSource::Plain { size: file.metadata()?.len(), file, offset: 0 });
        #[cfg(not(unix))]
        Ok(ByteSource::Stream(Box::new(file)))
    }

    #[cfg(unix)]
    fn of_file(file: File) -> io::Result<Self> {
        use std::os::unix::fs::FileExt;
        let about = file.metadata()?;
        // Files of the kernel state a size of 0.
        if !about.is_file() || about.len() == 0 {
            return input::decompressed_file(file).map(ByteSource::Stream);
        }
        let mut start = [0; 4];
        let length = file.read_at(&mut start, 0)?;
        if Compression::detect(&start[..length]) != Compression::Plain {
            return input::decompressed_file(file).map(ByteSource::Stream);
        }
        ByteSource::of_plain(file)
    }

    /// Returns the number of bytes left, if it is known.
    pub fn left(&self) -> Option<u64> {
        match self {
            #[cfg(unix)]
            ByteSource::Plain { size, offset, .. } => Some(size - offset),
            ByteSource::Stream(_) => None,
        }
    }

    /// Fills a buffer as far as there are bytes. Returns their number, which is smaller only at the end, and an error that follows them.
    pub fn read(&mut self, buffer: &mut [u8]) -> (usize, Option<io::Error>) {
        match self {
            #[cfg(unix)]
            ByteSource::Plain { file, size, offset } => {
                let count = (*size - *offset).min(buffer.len() as u64) as usize;
                let read = read_at(file, &mut buffer[..count], *offset);
                *offset += count as u64;
                let is_at_end = count < buffer.len();
                let read =
                    read.and_then(|()| if is_at_end { check_end(file, *size) } else { Ok(()) });
                // The bytes of a file that shrank are not known to be its own.
                read.map_or_else(|error| (0, Some(error)), |()| (count, None))
            }
            ByteSource::Stream(reader) => read_stream(reader, buffer),
        }
    }
}

/// Reads a part of a file, in parallel.
#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    use std::os::unix::fs::FileExt;
    let read = |(number, piece): (usize, &mut [u8])| {
        file.read_exact_at(piece, offset + (number * READ_BYTES) as u64)
    };
    let read = match buffer.len() {
        // Not worth a task.
        ..SHARED_BYTES => file.read_exact_at(buffer, offset),
        _ => buffer.par_chunks_mut(READ_BYTES).enumerate().map(read).collect(),
    };
    read.map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => InputFault::changed().into(),
        _ => error,
    })
}

/// Checks that a file still ends where it did.
#[cfg(unix)]
fn check_end(file: &File, size: u64) -> io::Result<()> {
    use std::os::unix::fs::FileExt;
    match file.read_at(&mut [0], size)? {
        0 => Ok(()),
        _ => Err(InputFault::changed().into()),
    }
}

fn read_stream(reader: &mut Reader, buffer: &mut [u8]) -> (usize, Option<io::Error>) {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
            Err(error) => return (filled, Some(error)),
        }
    }
    (filled, None)
}

/// Returns zeroed memory from the system, which zeroes it once.
pub(super) fn zeroed(size: u64) -> io::Result<Vec<u8>> {
    let size = usize::try_from(size).map_err(|_| io::ErrorKind::OutOfMemory)?;
    let memory = fallibly(|| bytemuck::allocation::try_zeroed_slice_box(size));
    memory.map(<[u8]>::into_vec).map_err(|()| io::ErrorKind::OutOfMemory.into())
}

/// Whole lines of a data file, in reusable memory.
#[derive(Default)]
pub(super) struct Block {
    /// Initialized memory, of which the first `length` bytes are the lines.
    memory: Vec<u8>,
    length: usize,
    lines_before: u64,
    /// Whether the file ends with it.
    pub is_last: bool,
    /// The error that ends the file early.
    damage: Option<io::Error>,
}

impl Block {
    /// Returns all lines.
    pub fn lines<'a>(&'a self, path: &'a Path) -> ContentLines<'a> {
        let bytes = &self.memory[..self.length];
        ContentLines::new(path, bytes, self.lines_before, self.damage.as_ref())
    }

    /// Returns the lines in parts for one task each, in order.
    pub fn parts<'a>(&'a self, path: &'a Path) -> Vec<ContentLines<'a>> {
        self.lines(path).split(self.length.div_ceil(PART_BYTES))
    }

    /// Returns the block for reuse, without the memory of a long line.
    pub fn emptied(mut self) -> Self {
        if self.memory.len() > MAX_REUSED_BYTES {
            self.memory = Vec::new();
        }
        self
    }

    /// Makes room for `size` bytes and keeps the first `filled`.
    fn reserve(&mut self, filled: usize, size: usize) -> io::Result<()> {
        if self.memory.len() < size {
            let mut memory = zeroed(size as u64)?;
            memory[..filled].copy_from_slice(&self.memory[..filled]);
            self.memory = memory;
        }
        Ok(())
    }
}

/// Reads a data file block by block and verifies it.
pub(super) struct BlockReader {
    pub file: DataFile,
    source: ByteSource,
    hasher: Hasher,
    /// Lines before the next block.
    lines: u64,
    /// The beginning of a line, read with the last block.
    rest: Vec<u8>,
}

impl BlockReader {
    /// Opens a file.
    ///
    /// # Errors
    /// A size other than in the file's manifest.
    pub fn open(file: &DataFile) -> Result<Self> {
        let (source, hasher) = (ByteSource::open(&file.path)?, Hasher::default());
        let mut reader =
            BlockReader { file: file.clone(), source, hasher, lines: 0, rest: Vec::new() };
        match (file.digest(), reader.source.left()) {
            (Some(stated), Some(size)) if size != stated.bytes => {
                Err(reader.refused(&size.to_string()))
            }
            _ => Ok(reader),
        }
    }

    /// Reads about `wanted` bytes, more if a line is longer. A file with a damaged end ends with a block that has the error in its last line.
    ///
    /// # Errors
    /// More or, at the end, fewer bytes than the file's manifest states.
    pub fn read(&mut self, block: &mut Block, wanted: usize) -> Result<()> {
        let mut filled = self.rest.len();
        // One byte more than there are finds the end.
        let left = self.source.left().map_or(usize::MAX, |left| left.saturating_add(1) as usize);
        let mut room = filled + wanted.min(left);
        self.reserve(block, 0, room)?;
        block.memory[..filled].copy_from_slice(&self.rest);
        let length = loop {
            let before = filled;
            filled += self.read_into(block, filled..room)?;
            match memchr::memrchr(b'\n', &block.memory[before..filled]) {
                _ if block.is_last => break filled,
                Some(end) => break before + end + 1,
                None => room = 2 * filled,
            }
            if filled as u64 > MAX_LINE_BYTES {
                (block.is_last, block.damage) = (true, Some(InputFault::line(None).into()));
                break filled;
            }
            self.reserve(block, filled, room)?;
        };
        self.rest.clear();
        self.rest.extend_from_slice(&block.memory[length..filled]);
        (block.length, block.lines_before) = (length, self.lines);
        self.lines += count_lines(&block.memory[..length]);
        self.check_size(block)
    }

    fn reserve(&self, block: &mut Block, filled: usize, size: usize) -> Result<()> {
        block.reserve(filled, size).map_err(|error| Error::io("read", &self.file.path, error))
    }

    /// Reads bytes to a range of a block and returns their number. Reads no more than one byte after those that the manifest states, and
    /// fails if there is one.
    fn read_into(&mut self, block: &mut Block, range: Range<usize>) -> Result<usize> {
        let stated = self.file.digest();
        let allowed =
            stated.map_or(u64::MAX, |stated| stated.bytes.saturating_add(1) - self.hasher.bytes());
        let end = range.start + allowed.min(range.len() as u64) as usize;
        let memory = &mut block.memory[range.start..end];
        let (count, error) = self.source.read(memory);
        (block.is_last, block.damage) = (count < memory.len() || error.is_some(), error);
        if stated.is_some() {
            self.hasher.update(&memory[..count]);
        }
        match stated {
            Some(stated) if self.hasher.bytes() > stated.bytes => Err(self.refused("more")),
            _ => Ok(count),
        }
    }

    /// Checks the size of a file that ends with this block: that says more than an error in a line.
    fn check_size(&self, block: &Block) -> Result<()> {
        let stated = self.file.digest().filter(|_| block.is_last && block.damage.is_none());
        match stated {
            Some(stated) if stated.bytes != self.hasher.bytes() => self.verify(),
            _ => Ok(()),
        }
    }

    /// Checks the checksum of a file that was read to its end. Callers do this after they have parsed it: an error with the number of a line
    /// says more.
    pub fn verify(&self) -> Result<()> {
        self.file.digest().map_or(Ok(()), |_| self.file.check_digest(self.hasher.digest()))
    }

    /// Says in what a file of another length differs. To compare it with those of other lists, the rest is read, up to [`MAX_LINE_BYTES`].
    #[cold]
    fn refused(&mut self, found: &str) -> Error {
        let mut scratch = vec![0; READ_BYTES];
        while self.hasher.bytes() <= MAX_LINE_BYTES {
            let (count, error) = self.source.read(&mut scratch);
            self.hasher.update(&scratch[..count]);
            if error.is_none() && count < scratch.len() {
                let refused = self.verify().err();
                return refused.unwrap_or_else(|| self.file.refused_length(found));
            }
            if error.is_some() {
                break;
            }
        }
        self.file.refused_length(found)
    }
}

/// Counts newlines, in parallel.
pub(super) fn count_lines(bytes: &[u8]) -> u64 {
    let count = |piece: &[u8]| memchr::memchr_iter(b'\n', piece).count() as u64;
    match bytes.len() {
        ..SHARED_BYTES => count(bytes),
        _ => bytes.par_chunks(PART_BYTES).map(count).sum(),
    }
}

#[cfg(test)]
mod tests;
