//! A whole data file in memory: mapped if it is plain, decompressed otherwise, and split at line ends so that several threads can parse it.

use std::io::Read;
use std::path::Path;

use memmap2::Mmap;
use rayon::prelude::*;

use super::input::{self, Line};
use super::manifest::{DataFile, Digest};
use crate::error::{Error, Result, excerpt};

/// The bytes of one file and their origin.
pub struct Content {
    file: DataFile,
    bytes: Bytes,
    /// The error that ended decompression early, if any.
    damage: Option<String>,
}

enum Bytes {
    Mapped(Mmap),
    Read(Vec<u8>),
}

impl Content {
    /// Opens the file. A compressed file with a damaged end still opens; the error follows, with its line, where the readable part ends.
    ///
    /// # Errors
    /// A length other than in the file's manifest. Callers check the rest with [`Content::verify`].
    pub fn open(file: &DataFile) -> Result<Self> {
        let (bytes, damage) = match input::map_plain(&file.path)? {
            Some(map) => (Bytes::Mapped(map), None),
            None => {
                let mut content = Vec::new();
                let damage = input::open(&file.path)?.read_to_end(&mut content).err();
                (Bytes::Read(content), damage.map(|e| e.to_string()))
            }
        };
        let content = Content { file: file.clone(), bytes, damage };
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
        match &self.bytes {
            Bytes::Mapped(map) => map,
            Bytes::Read(content) => content,
        }
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
        let damage = self.damage.as_deref().filter(|_| end == bytes.len());
        ContentLines { path: &self.file.path, rest: &bytes[start..end], number, damage }
    }
}

/// Verifies several files in parallel. The first one that differs from its manifest is the error.
pub fn verify_all(contents: &[Content]) -> Result<()> {
    let outcomes: Vec<Result<()>> = contents.par_iter().map(Content::verify).collect();
    outcomes.into_iter().collect()
}

/// Lines of a [`Content`], each with its place. They live as long as the content.
pub struct ContentLines<'a> {
    path: &'a Path,
    rest: &'a [u8],
    number: u64,
    damage: Option<&'a str>,
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
        let text = std::str::from_utf8(line)
            .map_err(|_| self.wrong("UTF-8", excerpt(&String::from_utf8_lossy(line))))?;
        Ok(Some(Line { text, path: self.path, number: self.number }))
    }

    /// Returns the number of bytes left, an estimate of the records to come.
    pub fn bytes_left(&self) -> usize {
        self.rest.len()
    }

    fn truncated(&self) -> Error {
        match self.damage {
            Some(damage) => self.wrong("readable data", input::damaged(damage)),
            None => self.wrong("a newline at the end of the line", input::TRUNCATED.into()),
        }
    }

    fn wrong(&self, expected: &str, found: String) -> Error {
        Error::Parse {
            path: self.path.to_path_buf(),
            line: self.number,
            expected: expected.into(),
            found,
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
