//! Some lines of a file: those that begin in a range of its bytes. Ranges that cover a file part its lines: each line begins in one of them.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::stream::OpenSource;
use crate::error::{Error, Result};

/// Bytes read at once while looking for a newline.
const BUFFER: usize = 256 << 10;

/// A range of a file's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ByteRange {
    pub start: u64,
    pub end: u64,
}

/// The lines that begin in a range, ready to be read.
pub(super) struct LineRange {
    /// The number of the first line.
    pub line: u64,
    /// The bytes before it, without the mark.
    pub position: u64,
    /// The lines.
    pub reader: OpenSource,
}

impl LineRange {
    /// Opens a file at the first line that begins in the range. `mark` is the length of the byte order mark before the first line. Reads all bytes before
    /// the range, to count their lines.
    pub fn open(path: &Path, range: ByteRange, mark: u64) -> Result<Self> {
        let failed = |e| Error::io("read", path, e);
        let mut file = File::open(path).map_err(failed)?;
        let start = line_start(&mut file, range.start).map_err(failed)?.max(mark);
        let end = line_start(&mut file, range.end).map_err(failed)?.max(start);
        let lines = newlines(&mut file, start).map_err(failed)?;
        file.seek(SeekFrom::Start(start)).map_err(failed)?;
        let reader = OpenSource::plain(Box::new(file.take(end - start)));
        Ok(LineRange { line: lines + 1, position: start - mark, reader })
    }
}

/// Returns where the first line begins that does not begin before `position`, or the end of the file.
fn line_start(file: &mut File, position: u64) -> io::Result<u64> {
    if position == 0 {
        return Ok(0);
    }
    // A line begins at `position` if the byte before it is a newline.
    let mut at = position - 1;
    file.seek(SeekFrom::Start(at))?;
    let mut buffer = vec![0; BUFFER];
    loop {
        let count = read(file, &mut buffer)?;
        if count == 0 {
            return Ok(at);
        }
        if let Some(end) = memchr::memchr(b'\n', &buffer[..count]) {
            return Ok(at + end as u64 + 1);
        }
        at += count as u64;
    }
}

/// Returns the number of newlines in the first `bytes` bytes.
fn newlines(file: &mut File, bytes: u64) -> io::Result<u64> {
    file.seek(SeekFrom::Start(0))?;
    let (mut buffer, mut rest, mut lines) = (vec![0; BUFFER], bytes, 0);
    while rest > 0 {
        let wanted = usize::try_from(rest).map_or(BUFFER, |rest| rest.min(BUFFER));
        let count = read(file, &mut buffer[..wanted])?;
        if count == 0 {
            break;
        }
        lines += memchr::memchr_iter(b'\n', &buffer[..count]).count() as u64;
        rest -= count as u64;
    }
    Ok(lines)
}

fn read(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match file.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
            outcome => return outcome,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Any cuts part the lines of a file: together the ranges have every line once, with its number and position.
        #[test]
        fn ranges_part_the_lines(
            text in "(a{0,3}\n){0,12}b{0,2}",
            marked in any::<bool>(),
            mut cuts in prop::collection::vec(0u64..40, 0..6),
        ) {
            let mark = if marked { "\u{feff}" } else { "" };
            let content = format!("{mark}{text}");
            let (mark, size) = (mark.len() as u64, content.len() as u64);
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("lines");
            std::fs::write(&path, &content).unwrap();
            cuts.iter_mut().for_each(|cut| *cut = (*cut).min(size));
            cuts.extend([0, size]);
            cuts.sort_unstable();
            let (mut all, mut line) = (String::new(), 1);
            for two in cuts.windows(2) {
                let mut opened = LineRange::open(&path, ByteRange { start: two[0], end: two[1] }, mark).unwrap();
                let mut lines = String::new();
                opened.reader.reader.read_to_string(&mut lines).unwrap();
                prop_assert_eq!(opened.position, all.len() as u64);
                prop_assert_eq!(opened.line, line);
                line += lines.matches('\n').count() as u64;
                all += &lines;
            }
            prop_assert_eq!(all, text);
        }
    }
}
