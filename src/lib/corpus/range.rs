//! Some lines of a file: those that begin in a range of its bytes. Ranges that cover a file part its lines: each line begins in one of them.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use super::lines::is_blank;
use super::stream::OpenSource;
use crate::error::{Error, Result};

/// Bytes read at once while looking for a newline.
const BUFFER: usize = 256 << 10;
/// Bytes whose lines one thread counts at a time.
const PIECE: u64 = if cfg!(test) { 1 << 18 } else { 16 << 20 };

/// A range of a file's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ByteRange {
    pub start: u64,
    pub end: u64,
    /// The number of the first line, if it was counted already.
    pub line: Option<u64>,
}

impl ByteRange {
    pub fn new(start: u64, end: u64) -> Self {
        ByteRange { start, end, line: None }
    }
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
    /// the range, to count their lines, unless they were counted.
    pub fn open(path: &Path, range: ByteRange, mark: u64) -> Result<Self> {
        let failed = |e| Error::io("read", path, e);
        let mut file = File::open(path).map_err(failed)?;
        let start = line_start(&mut file, range.start).map_err(failed)?.max(mark);
        let end = line_start(&mut file, range.end).map_err(failed)?.max(start);
        let line = match range.line {
            Some(line) => line,
            None => 1 + count_between(&mut file, mark..start).map_err(failed)?.lines,
        };
        file.seek(SeekFrom::Start(start)).map_err(failed)?;
        let reader = OpenSource::plain(Box::new(file.take(end - start)));
        Ok(LineRange { line, position: start - mark, reader })
    }
}

/// Numbers of lines that end with a newline.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct LineCount {
    /// All lines.
    pub lines: u64,
    /// Those that are not blank.
    pub with_text: u64,
}

/// Counts the lines that begin before `position`, behind the byte order mark of length `mark`, on all threads.
pub(super) fn count_before(path: &Path, position: u64, mark: u64) -> Result<LineCount> {
    let count = |number: u64| {
        let mut file = File::open(path)?;
        let mut start_of = |number: u64| line_start(&mut file, position.min(number * PIECE));
        let (start, end) = (start_of(number)?.max(mark), start_of(number + 1)?);
        count_between(&mut file, start..end)
    };
    let counts = (0..position.div_ceil(PIECE)).into_par_iter().map(count);
    let counts = counts.collect::<io::Result<Vec<_>>>();
    let counts = counts.map_err(|e| Error::io("read", path, e))?;
    let sum = |field: fn(&LineCount) -> u64| counts.iter().map(field).sum();
    Ok(LineCount { lines: sum(|count| count.lines), with_text: sum(|count| count.with_text) })
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

/// Counts the lines that begin and end in some bytes, which begin with a line.
fn count_between(file: &mut File, bytes: Range<u64>) -> io::Result<LineCount> {
    file.seek(SeekFrom::Start(bytes.start))?;
    let (mut buffer, mut rest) = (vec![0; BUFFER], bytes.end.saturating_sub(bytes.start));
    let mut count = LineCount::default();
    // Whether the beginning of a line in the bytes before is not blank.
    let mut has_text = false;
    while rest > 0 {
        let wanted = usize::try_from(rest).map_or(BUFFER, |rest| rest.min(BUFFER));
        let length = read(file, &mut buffer[..wanted])?;
        if length == 0 {
            break;
        }
        let (bytes, mut start) = (&buffer[..length], 0);
        for end in memchr::memchr_iter(b'\n', bytes) {
            count.lines += 1;
            count.with_text += u64::from(has_text || !is_blank(&bytes[start..end]));
            (start, has_text) = (end + 1, false);
        }
        has_text |= !is_blank(&bytes[start..]);
        rest -= length as u64;
    }
    Ok(count)
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
                let mut opened = LineRange::open(&path, ByteRange::new(two[0], two[1]), mark).unwrap();
                let mut lines = String::new();
                opened.reader.reader.read_to_string(&mut lines).unwrap();
                prop_assert_eq!(opened.position, all.len() as u64);
                prop_assert_eq!(opened.line, line);
                line += lines.matches('\n').count() as u64;
                all += &lines;
            }
            prop_assert_eq!(all, text);
        }

        /// Lines are counted as by splitting the text, wherever reads and pieces end.
        #[test]
        fn counts_are_those_of_the_split_text(
            text in "([ \t]{0,2}(x{0,3}|x{300000})\r?\n){0,8}",
            marked in any::<bool>(),
            cut in any::<prop::sample::Index>(),
        ) {
            let mark = if marked { "\u{feff}" } else { "" };
            let content = format!("{mark}{text}");
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("lines");
            std::fs::write(&path, &content).unwrap();
            let position = cut.index(content.len() + 1);
            // The mark belongs to the first line.
            let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| mark.len() + at + 1));
            let before = text.lines().zip(starts).filter(|(_, start)| *start < position);
            let expected = before.fold(LineCount::default(), |count, (line, _)| LineCount {
                lines: count.lines + 1,
                with_text: count.with_text + u64::from(!line.trim().is_empty()),
            });
            let found = count_before(&path, position as u64, mark.len() as u64).unwrap();
            prop_assert_eq!(found, expected);
        }
    }
}
