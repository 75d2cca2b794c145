//! A whole data file in memory: mapped if it is plain, decompressed otherwise, and split at line ends so that several threads can parse it.

use std::io::{self, Read};
use std::path::Path;

use rayon::prelude::*;

use super::input::{self, Line};
use super::manifest::{DataFile, Digest};
use crate::error::{Error, Result};

/// The bytes of one file and their origin.
pub struct Content {
    file: DataFile,
    /// A memory map, or decompressed bytes.
    bytes: Box<dyn AsRef<[u8]> + Send + Sync>,
    /// The error that ended decompression early, if any.
    damage: Option<io::Error>,
}

impl Content {
    /// Opens the file. A compressed file with a damaged end still opens; the error follows, with its line, where the readable part ends.
    ///
    /// # Errors
    /// A length other than in the file's manifest. Callers check the rest with [`Content::verify`].
    pub fn open(file: &DataFile) -> Result<Self> {
        let mut content = Content { file: file.clone(), bytes: Box::new([]), damage: None };
        if let Some(map) = input::map_plain(&file.path)? {
            content.bytes = Box::new(map);
        } else {
            let mut bytes = Vec::new();
            content.damage = input::open(&file.path)?.read_to_end(&mut bytes).err();
            content.bytes = Box::new(bytes);
        }
        if content.damage.is_none() {
            file.check_size(content.bytes())?;
        }
        Ok(content)
    }

    /// Checks the checksum against the file's manifest, if there is one. Callers do this after they have read the content: an error with the
    /// number of a line says more than a checksum, and the bytes are in the cache.
    pub fn verify(&self) -> Result<()> {
        self.file.check(self.bytes())
    }

    /// Returns length and checksum of the content.
    pub fn digest(&self) -> Digest {
        Digest::of(self.bytes())
    }

    fn bytes(&self) -> &[u8] {
        (*self.bytes).as_ref()
    }

    /// Returns all lines.
    pub fn lines(&self) -> ContentLines<'_> {
        self.part(0, 0, self.bytes().len())
    }

    /// Returns the lines in at most `count` parts of similar size, in order.
    pub fn parts(&self, count: usize) -> Vec<ContentLines<'_>> {
        let bytes = self.bytes();
        let size = bytes.len().div_ceil(count.max(1)).max(1);
        let (mut parts, mut start, mut lines_before) = (Vec::new(), 0, 0);
        while start < bytes.len() || parts.is_empty() {
            let from = (start + size).min(bytes.len());
            let end = memchr::memchr(b'\n', &bytes[from..]).map_or(bytes.len(), |at| from + at + 1);
            parts.push(self.part(lines_before, start, end));
            lines_before += memchr::memchr_iter(b'\n', &bytes[start..end]).count() as u64;
            start = end;
        }
        parts
    }

    fn part(&self, number: u64, start: usize, end: usize) -> ContentLines<'_> {
        let bytes = self.bytes();
        let damage = self.damage.as_ref().filter(|_| end == bytes.len());
        ContentLines { path: &self.file.path, rest: &bytes[start..end], number, damage }
    }
}

/// Bytes per task: large enough to make its start cheap, small enough to share a file among threads.
const PART_BYTES: usize = 1 << 20;
/// Maximum size of the files open at the same time, unless a single one is larger.
const MAX_OPEN_BYTES: u64 = 1 << 26;
/// Number of parts in memory at the same time.
const PARTS_PER_BATCH: usize = 32;

/// Parses files in parallel, in parts, so that all threads have work whatever the file sizes. Calls `visit` with some parts at a time, in
/// order, and the position of the file of each. Verifies the files. The first error in file order is reported.
pub fn for_each_batch<T: Send>(
    files: &[DataFile],
    parse: impl Fn(ContentLines<'_>) -> Result<T> + Sync,
    mut visit: impl FnMut(&[usize], Vec<T>) -> Result<()>,
) -> Result<()> {
    let mut first = 0;
    while first < files.len() {
        let together = &files[first..first + open_together(&files[first..])];
        let contents = in_order(together.par_iter().map(Content::open).collect())?;
        let mut parts = contents.iter().enumerate().flat_map(|(file, content)| {
            let parts = content.parts(content.bytes().len().div_ceil(PART_BYTES));
            parts.into_iter().map(move |part| (first + file, part))
        });
        loop {
            let (numbers, batch): (Vec<usize>, Vec<_>) =
                parts.by_ref().take(PARTS_PER_BATCH).unzip();
            if batch.is_empty() {
                break;
            }
            visit(&numbers, in_order(batch.into_par_iter().map(&parse).collect())?)?;
        }
        in_order(contents.par_iter().map(Content::verify).collect())?;
        first += together.len();
    }
    Ok(())
}

/// Returns how many files to open together: at least one, as many as fit [`MAX_OPEN_BYTES`].
fn open_together(files: &[DataFile]) -> usize {
    let mut bytes = 0;
    let fits = |file: &&DataFile| {
        bytes += file.path.metadata().map_or(0, |about| about.len());
        bytes <= MAX_OPEN_BYTES
    };
    files.iter().take_while(fits).count().max(1)
}

/// Returns all results, or the first error.
fn in_order<T>(results: Vec<Result<T>>) -> Result<Vec<T>> {
    results.into_iter().collect()
}

/// Lines of a [`Content`], each with its place. They live as long as the content.
pub struct ContentLines<'a> {
    path: &'a Path,
    rest: &'a [u8],
    number: u64,
    damage: Option<&'a io::Error>,
}

impl<'a> ContentLines<'a> {
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
            Some(damage) => {
                Error::parse(self.path, self.number, "readable data", input::damaged(damage))
            }
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
