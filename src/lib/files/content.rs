//! Data files split at line ends, so that several threads can parse them: a whole file in memory, or many files in bounded memory.

use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::blocks::{Block, BlockReader, ByteSource, count_lines, zeroed};
use super::input::{self, Line};
use super::limits::{self, InputFault, LineLimit};
use super::manifest::{DataFile, Digest};
use crate::error::{Error, Result};

/// The bytes of one file and their origin.
pub struct Content {
    file: DataFile,
    bytes: Vec<u8>,
    /// The error that ended reading early, if any.
    damage: Option<io::Error>,
}

impl Content {
    /// Reads the file. One with a damaged end is read, too; the error follows, with its line, where the readable part ends.
    ///
    /// # Errors
    /// A length other than in the file's manifest; no more than one byte after that length is read. Callers check the rest with
    /// [`Content::verify`].
    pub fn open(file: &DataFile) -> Result<Self> {
        let failed = |error| Error::io("read", &file.path, error);
        let (mut bytes, stated) = (Vec::new(), file.digest().map(|digest| digest.bytes));
        let damage = match ByteSource::open(&file.path)? {
            ByteSource::Stream(reader) => {
                let max = stated.unwrap_or(u64::MAX);
                limits::read_to_end(LineLimit::new(reader), max, &mut bytes).err()
            }
            #[cfg(unix)]
            mut source @ ByteSource::Plain { size, .. } => {
                if stated.is_some_and(|stated| stated != size) {
                    BlockReader::open(file)?;
                }
                // One byte more finds out whether the file has grown.
                bytes = zeroed(size.saturating_add(1)).map_err(failed)?;
                let (count, damage) = source.read(&mut bytes);
                bytes.truncate(count);
                damage
            }
        };
        let is_too_long =
            damage.as_ref().and_then(InputFault::of).is_some_and(|f| f.line.is_none());
        if is_too_long && stated == Some(bytes.len() as u64) {
            return Err(file.refused_length("more"));
        }
        if damage.is_none() {
            file.check_size(&bytes)?;
        }
        Ok(Content { file: file.clone(), bytes, damage })
    }

    /// Checks the checksum against the file's manifest, if there is one. Callers do this after they have read the content: an error with the
    /// number of a line says more than a checksum, and the bytes are in the cache.
    pub fn verify(&self) -> Result<()> {
        self.file.check(&self.bytes)
    }

    /// Returns length and checksum of the content.
    pub fn digest(&self) -> Digest {
        Digest::of(&self.bytes)
    }

    /// Returns all bytes that could be read.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns all lines.
    pub fn lines(&self) -> ContentLines<'_> {
        ContentLines::new(&self.file.path, &self.bytes, 0, self.damage.as_ref())
    }

    /// Returns the lines in at most `count` parts of similar size, in order.
    pub fn parts(&self, count: usize) -> Vec<ContentLines<'_>> {
        self.lines().split(count)
    }
}

/// Maximum size of the files open at the same time, unless a single one is larger, and of the blocks of a single file.
const MAX_OPEN_BYTES: u64 = 1 << 26;
const BLOCK_BYTES: usize = 1 << 25;
/// Maximum number of files open at the same time.
const MAX_OPEN_FILES: usize = 64;
/// Decompressed bytes of a block per stored byte, where several files are open: most files are one block.
const BYTES_PER_STORED: u64 = 8;
/// Minimum size of a block.
const MIN_BLOCK_BYTES: u64 = 1 << 20;
/// Number of parts in memory at the same time.
const PARTS_PER_BATCH: usize = 32;

/// Parses files in parallel, in parts, so that all threads have work whatever the file sizes. Calls `visit` with some parts at a time, in
/// order, and the position of the file of each. Verifies the files. The first error in file order is reported. Memory: some blocks, however
/// large the files are.
pub fn for_each_batch<T: Send>(
    files: &[DataFile],
    parse: impl Fn(ContentLines<'_>) -> Result<T> + Sync,
    mut visit: impl FnMut(&[usize], Vec<T>) -> Result<()>,
) -> Result<()> {
    let pool = BlockPool::default();
    let mut first = 0;
    while first < files.len() {
        let sizes = open_together(&files[first..]);
        let open = |(at, bytes): (usize, &usize)| OpenFile::open(&pool, files, first + at, *bytes);
        let mut queue: VecDeque<Result<OpenFile>> =
            sizes.par_iter().enumerate().map(open).collect::<Vec<_>>().into();
        while !queue.is_empty() {
            let mut ready = take_ready(&mut queue)?;
            parse_all(&ready, &parse, &mut visit)?;
            let last = ready.pop();
            ready.into_iter().try_for_each(|file| file.close(&pool))?;
            if let Some(mut file) = last {
                if file.block.is_last {
                    file.close(&pool)?;
                } else {
                    file.reader.read(&mut file.block, BLOCK_BYTES)?;
                    queue.push_front(Ok(file));
                }
            }
        }
        first += sizes.len();
    }
    Ok(())
}

/// Takes the files whose blocks follow each other: up to the first that is longer than its block, or to an error, which is returned if it
/// comes first.
fn take_ready(queue: &mut VecDeque<Result<OpenFile>>) -> Result<Vec<OpenFile>> {
    let mut ready: Vec<OpenFile> = Vec::new();
    while let Some(file) = queue.pop_front() {
        match file {
            Ok(file) => ready.push(file),
            Err(error) if ready.is_empty() => return Err(error),
            error => {
                queue.push_front(error);
                break;
            }
        }
        if ready.last().is_some_and(|file| !file.block.is_last) {
            break;
        }
    }
    Ok(ready)
}

/// Parses the blocks of files.
fn parse_all<T: Send>(
    files: &[OpenFile],
    parse: &(impl Fn(ContentLines<'_>) -> Result<T> + Sync),
    visit: &mut impl FnMut(&[usize], Vec<T>) -> Result<()>,
) -> Result<()> {
    let mut parts = files.iter().flat_map(|file| {
        let parts = file.block.parts(&file.reader.file.path);
        parts.into_iter().map(move |part| (file.number, part))
    });
    loop {
        let (numbers, batch): (Vec<usize>, Vec<_>) = parts.by_ref().take(PARTS_PER_BATCH).unzip();
        if batch.is_empty() {
            return Ok(());
        }
        let parsed: Vec<Result<T>> = batch.into_par_iter().map(parse).collect();
        // In file order, so that the first error is reported.
        visit(&numbers, parsed.into_iter().collect::<Result<_>>()?)?;
    }
}

/// Returns the sizes of the first blocks of the files to open together: at least one, as many as fit [`MAX_OPEN_BYTES`].
fn open_together(files: &[DataFile]) -> Vec<usize> {
    let mut bytes = 0;
    let stored = |file: &DataFile| file.path.metadata().map_or(0, |about| about.len());
    let fits = |stored: &u64| {
        bytes += stored;
        bytes <= MAX_OPEN_BYTES
    };
    let sizes: Vec<u64> = files.iter().take(MAX_OPEN_FILES).map(stored).take_while(fits).collect();
    match &sizes[..] {
        [] | [_] => vec![BLOCK_BYTES],
        sizes => {
            let block = |stored: &u64| (BYTES_PER_STORED * stored).max(MIN_BLOCK_BYTES) as usize;
            sizes.iter().map(block).collect()
        }
    }
}

/// Blocks for reuse.
#[derive(Default)]
struct BlockPool(Mutex<Vec<Block>>);

impl BlockPool {
    fn take(&self) -> Block {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    fn put(&self, block: Block) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(block.emptied());
    }
}

/// A file that is being read, and its current block.
struct OpenFile {
    number: usize,
    reader: BlockReader,
    block: Block,
}

impl OpenFile {
    /// Opens a file and reads its first block.
    fn open(pool: &BlockPool, files: &[DataFile], number: usize, bytes: usize) -> Result<Self> {
        let (mut reader, mut block) = (BlockReader::open(&files[number])?, pool.take());
        reader.read(&mut block, bytes)?;
        Ok(OpenFile { number, reader, block })
    }

    /// Verifies a file that was read to its end.
    fn close(self, pool: &BlockPool) -> Result<()> {
        pool.put(self.block);
        self.reader.verify()
    }
}

/// Lines of a data file, each with its place. They live as long as its bytes.
pub struct ContentLines<'a> {
    path: &'a Path,
    rest: &'a [u8],
    number: u64,
    damage: Option<&'a io::Error>,
}

impl<'a> ContentLines<'a> {
    /// Returns the lines in some bytes, after `number` others; `damage` follows them.
    pub(super) fn new(
        path: &'a Path,
        rest: &'a [u8],
        number: u64,
        damage: Option<&'a io::Error>,
    ) -> Self {
        ContentLines { path, rest, number, damage }
    }

    /// Splits the lines into at most `count` parts of similar size, in order.
    pub(super) fn split(self, count: usize) -> Vec<Self> {
        let (bytes, damage) = (self.rest, self.damage);
        let size = bytes.len().div_ceil(count.max(1)).max(1);
        let (mut parts, mut start, mut number) = (Vec::new(), 0, self.number);
        while start < bytes.len() || parts.is_empty() {
            let from = (start + size).min(bytes.len());
            let end = memchr::memchr(b'\n', &bytes[from..]).map_or(bytes.len(), |at| from + at + 1);
            let damage = damage.filter(|_| end == bytes.len());
            parts.push(ContentLines::new(self.path, &bytes[start..end], 0, damage));
            start = end;
        }
        let lines: Vec<u64> = parts.par_iter().map(|part| count_lines(part.rest)).collect();
        for (part, lines) in parts.iter_mut().zip(lines) {
            part.number = number;
            number += lines;
        }
        parts
    }

    /// Returns the next line without its newline, or `None` at the end. A last line without a newline is an error: the file was
    /// truncated, and the rest of the line may still look valid.
    pub fn next_line(&mut self) -> Result<Option<Line<'a>>> {
        self.number += 1;
        let Some(end) = memchr::memchr(b'\n', self.rest) else {
            return if self.rest.is_empty() && self.damage.is_none() {
                Ok(None)
            } else {
                Err(self.truncated())
            };
        };
        let line = &self.rest[..end];
        self.rest = &self.rest[end + 1..];
        Line::new(line, self.path, self.number).map(Some)
    }

    /// Returns the number of bytes left, an estimate of the records to come.
    pub fn bytes_left(&self) -> usize {
        self.rest.len()
    }

    fn truncated(&self) -> Error {
        match self.damage {
            Some(damage) => input::line_error(self.path, self.number, damage),
            None => Error::parse(self.path, self.number, input::NEWLINE, input::TRUNCATED),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn collect(mut lines: ContentLines<'_>) -> Vec<(u64, String)> {
        let mut all = Vec::new();
        while let Some(line) = lines.next_line().unwrap() {
            all.push((line.number, line.text.to_string()));
        }
        all
    }

    proptest! {
        #[test]
        fn parts_concatenate_to_the_whole(text in "([a-c]{0,5}\n){0,12}", count in 1usize..6) {
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), &text).unwrap();
            let content = Content::open(&DataFile::unverified(file.path().into())).unwrap();
            let whole = collect(content.lines());
            let expected: Vec<_> =
                (1..).zip(text.lines()).map(|(n, line)| (n, line.to_string())).collect();
            prop_assert_eq!(&whole, &expected);
            let parts = content.parts(count);
            prop_assert!(parts.len() <= count);
            prop_assert_eq!(whole, parts.into_iter().flat_map(collect).collect::<Vec<_>>());
        }
    }
}
