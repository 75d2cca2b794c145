//! Lines of the parts' data files in those of the whole stage.

use rayon::prelude::*;

use crate::error::Result;
use crate::files::content::Content;
use crate::files::manifest::DataFile;
use crate::files::output::Output;
use crate::files::stage::Stage;

/// Bytes of the files that are read at the same time, unless a single one is larger.
const MAX_READ_BYTES: u64 = 1 << 25;

/// A data file, and its content, which is verified.
pub(super) struct ReadFile<'f> {
    file: &'f DataFile,
    /// Its content.
    pub content: Content,
}

/// Calls `visit` with each file in order, its position and whether it is the last. The next files are read meanwhile.
pub(super) fn for_each_file(
    files: &[DataFile],
    mut visit: impl FnMut(&ReadFile<'_>, usize, bool) -> Result<()> + Send,
) -> Result<()> {
    let (mut number, (mut next, mut rest)) = (0, read_some(files)?);
    while !next.is_empty() {
        let (visited, read) = rayon::join(
            || {
                next.iter().try_for_each(|file| {
                    number += 1;
                    visit(file, number - 1, number == files.len())
                })
            },
            || read_some(rest),
        );
        visited?;
        (next, rest) = read?;
    }
    Ok(())
}

/// Reads the first files on all threads. Returns them and the others.
fn read_some(files: &[DataFile]) -> Result<(Vec<ReadFile<'_>>, &[DataFile])> {
    let mut bytes = 0;
    let fits = |file: &&DataFile| {
        bytes += file.digest().map_or(MAX_READ_BYTES, |digest| digest.bytes);
        bytes <= MAX_READ_BYTES
    };
    let count = files.iter().take_while(fits).count().max(1).min(files.len());
    let (first, others) = files.split_at(count);
    let read = |file| {
        let content = Content::open(file)?;
        content.verify()?;
        Ok(ReadFile { file, content })
    };
    Ok((first.par_iter().map(read).collect::<Result<_>>()?, others))
}

/// Copies the lines of data files to those of a stage. A file that is one of the stage's as it is gets a second name in place of a copy.
pub(super) struct LineCopy<'s> {
    stage: &'s Stage,
    /// Lines per file; `None` keeps the files as they are.
    per_file: Option<u64>,
    open: Option<Output>,
    /// Number of the current file, from 0, and of its lines.
    number: usize,
    lines: u64,
    copied: u64,
}

impl<'s> LineCopy<'s> {
    /// Starts with the first file of a stage.
    pub fn new(stage: &'s Stage, per_file: Option<u64>) -> Self {
        LineCopy { stage, per_file, open: None, number: 0, lines: 0, copied: 0 }
    }

    /// Adds the lines of a file, which may be the last.
    pub fn add(&mut self, file: &ReadFile<'_>, is_last: bool) -> Result<()> {
        let bytes = file.content.bytes();
        let (_, lines) = first_lines(bytes, u64::MAX);
        let is_whole = self.lines == 0
            && lines > 0
            && self
                .per_file
                .is_none_or(|per_file| lines == per_file || (is_last && lines < per_file));
        if is_whole && self.stage.link(self.number, file.file)? {
            (self.number, self.copied) = (self.number + 1, self.copied + lines);
            return Ok(());
        }
        self.add_lines(bytes)
    }

    /// Adds lines.
    pub fn add_lines(&mut self, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            let (length, lines) = match self.per_file {
                Some(per_file) => first_lines(bytes, per_file - self.lines),
                None => first_lines(bytes, u64::MAX),
            };
            let file = match &mut self.open {
                Some(file) => file,
                open => open.insert(self.stage.create(self.number)?),
            };
            file.write(&bytes[..length])?;
            (self.lines, self.copied) = (self.lines + lines, self.copied + lines);
            bytes = &bytes[length..];
            if self.per_file.is_none_or(|per_file| self.lines == per_file) {
                self.close()?;
            }
        }
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        if let Some(file) = self.open.take() {
            self.stage.keep(self.number, file)?;
            (self.number, self.lines) = (self.number + 1, 0);
        }
        Ok(())
    }

    /// Completes the last file and returns the number of lines.
    pub fn finish(mut self) -> Result<u64> {
        self.close()?;
        Ok(self.copied)
    }
}

/// Returns the length of the first lines, at most `count`, and their number.
fn first_lines(bytes: &[u8], count: u64) -> (usize, u64) {
    let mut ends =
        memchr::memchr_iter(b'\n', bytes).take(usize::try_from(count).unwrap_or(usize::MAX));
    let (mut length, mut lines) = (0, 0);
    for end in ends.by_ref() {
        (length, lines) = (end + 1, lines + 1);
    }
    (length, lines)
}
