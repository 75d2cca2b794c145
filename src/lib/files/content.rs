//! A data file of the chain as a whole: mapped into memory where it is plain, decompressed where it is not, cut into parts at the
//! ends of lines so that several threads can read one file.

use std::io::Read;
use std::path::{Path, PathBuf};

use memmap2::Mmap;

use super::input::{self, Line};
use crate::error::{Error, Result, excerpt};

/// The bytes of one file, and where they come from.
pub struct Content {
    path: PathBuf,
    bytes: Bytes,
    /// What stopped decompression, if the bytes are not all there.
    damage: Option<String>,
}

enum Bytes {
    Mapped(Mmap),
    Read(Vec<u8>),
}

impl Content {
    /// Opens the file. A compressed one whose end is damaged still opens: the error comes, with its line, where the
    /// readable part ends.
    pub fn open(path: &Path) -> Result<Self> {
        let (bytes, damage) = match input::map_plain(path)? {
            Some(map) => (Bytes::Mapped(map), None),
            None => {
                let mut content = Vec::new();
                let damage = input::open(path)?.read_to_end(&mut content).err();
                (Bytes::Read(content), damage.map(|e| e.to_string()))
            }
        };
        Ok(Content { path: path.to_path_buf(), bytes, damage })
    }

    fn bytes(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Mapped(map) => map,
            Bytes::Read(content) => content,
        }
    }

    /// All lines.
    pub fn lines(&self) -> ContentLines<'_> {
        self.part(0, 0, self.bytes().len())
    }

    /// The lines in at most `count` parts of about the same size, in order.
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
        ContentLines { path: &self.path, rest: &bytes[start..end], number, damage }
    }
}

/// Lines of a [`Content`], each with its place. They may be kept as long as the content.
pub struct ContentLines<'a> {
    path: &'a Path,
    rest: &'a [u8],
    number: u64,
    damage: Option<&'a str>,
}

impl<'a> ContentLines<'a> {
    /// The next line without its newline, or `None` at the end. A last line that does not end in a newline was cut off: an
    /// error, because what is left of it may still look right.
    pub fn next_line(&mut self) -> Result<Option<Line<'a>>> {
        self.number += 1;
        let Some(end) = memchr::memchr(b'\n', self.rest) else {
            return if self.rest.is_empty() && self.damage.is_none() {
                Ok(None)
            } else {
                Err(self.cut_off())
            };
        };
        let line = &self.rest[..end];
        self.rest = &self.rest[end + 1..];
        let text = std::str::from_utf8(line)
            .map_err(|_| self.wrong("UTF-8", excerpt(&String::from_utf8_lossy(line))))?;
        Ok(Some(Line { text, path: self.path, number: self.number }))
    }

    /// The bytes that are left, to guess how much there is to come.
    pub fn bytes_left(&self) -> usize {
        self.rest.len()
    }

    fn cut_off(&self) -> Error {
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
        fn parts_hold_the_lines_of_the_whole(text in "([a-c]{0,5}\n){0,12}", count in 1usize..6) {
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), &text).unwrap();
            let content = Content::open(file.path()).unwrap();
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
