//! A collection in one file, one document a line, in pieces that fit into memory. It is read, not mapped: what is mapped counts as memory until
//! the end, and costs more to touch for the first time than a copy into memory that is used again and again.

use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::files::input::{self, Reader};

/// About so many bytes go in one chunk: enough that work on it is long against the overhead, little enough that no thread waits long for the
/// last one of a wave.
const CHUNK: usize = 256 << 10;
/// About so many bytes for each thread are read at once.
const WAVE_A_THREAD: usize = 1 << 20;
/// Room for so many bytes is made at first; there are many small files.
const FIRST_ROOM: usize = 64 << 10;
/// A file begins with it where an editor put it; it belongs to no line.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// How the file's lines are documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Whether lines of nothing but white space are no documents.
    pub skips_blank: bool,
    /// No chunk goes over a multiple of so many documents; at least 1.
    pub per_file: usize,
    /// Only the first so many documents.
    pub limit: usize,
}

/// How much is read at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// About so many bytes go in one chunk, at least one.
    pub chunk: usize,
    /// About so many bytes are read for one wave.
    pub wave: usize,
}

/// Some chunks, in memory that is used again for later ones.
#[derive(Default)]
pub struct Wave {
    content: Content,
    cuts: Vec<Cut>,
}

/// What was read, in memory that was used before.
#[derive(Default)]
struct Content {
    /// So many bytes of it were read.
    filled: usize,
    memory: Vec<u8>,
}

impl Content {
    fn bytes(&self) -> &[u8] {
        &self.memory[..self.filled]
    }

    fn set(&mut self, bytes: &[u8]) {
        self.memory.resize(self.memory.len().max(bytes.len()), 0);
        self.memory[..bytes.len()].copy_from_slice(bytes);
        self.filled = bytes.len();
    }

    /// Reads until there are so many bytes; whether it came to the end before. What was read before an error is there.
    fn read_from(&mut self, reader: &mut Reader, wanted: usize) -> std::io::Result<bool> {
        while self.filled < wanted {
            if self.filled == self.memory.len() {
                self.memory.resize((2 * self.filled).clamp(FIRST_ROOM.min(wanted), wanted), 0);
            }
            let room = wanted.min(self.memory.len());
            match reader.read(&mut self.memory[self.filled..room]) {
                Ok(0) => return Ok(true),
                Ok(count) => self.filled += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => (),
                Err(error) => return Err(error),
            }
        }
        Ok(false)
    }
}

impl Wave {
    /// Whether there is no chunk: the end of the file.
    pub fn is_empty(&self) -> bool {
        self.cuts.is_empty()
    }

    /// The chunks in their order.
    pub fn chunks(&self) -> Vec<Chunk<'_>> {
        let chunk = |cut: &Cut| Chunk {
            bytes: &self.content.bytes()[cut.start..cut.start + cut.bytes],
            first_line: cut.first_line,
            first: cut.first,
            documents: cut.documents,
            skips_blank: cut.skips_blank,
        };
        self.cuts.iter().map(chunk).collect()
    }
}

/// Some whole lines.
pub struct Chunk<'a> {
    bytes: &'a [u8],
    first_line: u64,
    /// The number of its first document, counted from 0.
    pub first: usize,
    /// How many documents it has.
    pub documents: usize,
    skips_blank: bool,
}

impl<'a> Chunk<'a> {
    /// How many bytes its lines have, with their newlines.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// The documents' lines without their newlines, each with its number, counted from 1.
    pub fn lines(&self) -> impl Iterator<Item = (u64, &'a [u8])> + use<'a> {
        let (mut rest, skips_blank) = (self.bytes, self.skips_blank);
        let next = move || {
            let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let line = (!rest.is_empty()).then(|| &rest[..end])?;
            rest = rest.get(end + 1..).unwrap_or_default();
            Some(line)
        };
        let lines = (self.first_line..).zip(std::iter::from_fn(next));
        lines.filter(move |(_, line)| is_document(line, skips_blank))
    }
}

fn is_document(line: &[u8], skips_blank: bool) -> bool {
    !skips_blank || !line.trim_ascii().is_empty()
}

/// A file that is read from its beginning to its end.
pub struct Chunks {
    path: PathBuf,
    reader: Reader,
    layout: Layout,
    sizes: Sizes,
    /// The number of the next line.
    line: u64,
    /// The number of the next document.
    document: usize,
    /// What was read behind the last chunk.
    rest: Vec<u8>,
    is_at_end: bool,
    /// What made this the end, if it is not the file's.
    damage: Option<Error>,
}

/// A cut: where it begins, and so many bytes, lines and documents.
#[derive(Debug, Clone, Copy)]
struct Cut {
    start: usize,
    bytes: usize,
    first_line: u64,
    lines: u64,
    first: usize,
    documents: usize,
    skips_blank: bool,
}

impl Chunks {
    /// Opens the file, plain or compressed, or standard input for `-`.
    pub fn open(path: &Path, layout: Layout) -> Result<Self> {
        let sizes = Sizes { chunk: CHUNK, wave: WAVE_A_THREAD * rayon::current_num_threads() };
        Chunks::over(path, input::open(path)?, layout, sizes)
    }

    /// Reads from the beginning of a file that is open already; `path` is for messages.
    pub fn over(path: &Path, mut reader: Reader, layout: Layout, sizes: Sizes) -> Result<Self> {
        let (path, mut rest) = (path.to_path_buf(), Vec::new());
        let begin = reader.by_ref().take(BYTE_ORDER_MARK.len() as u64).read_to_end(&mut rest);
        begin.map_err(|error| damaged(&path, 1, &error))?;
        if rest == BYTE_ORDER_MARK {
            rest.clear();
        }
        let (line, document, is_at_end, damage) = (1, 0, false, None);
        Ok(Chunks { path, reader, layout, sizes, line, document, rest, is_at_end, damage })
    }

    /// Reads the next chunks. Where one chunk ends and the next begins depends on the file and its layout alone. A file that can be read only
    /// in part is an error.
    pub fn read(&mut self, wave: &mut Wave) -> Result<()> {
        self.read_readable(wave);
        self.damage.take().map_or(Ok(()), Err)
    }

    /// Why the chunks came to an end before the file did, if they have.
    pub fn damage(&mut self) -> Option<Error> {
        self.damage.take()
    }

    /// Reads the next chunks, up to the last whole line that can be read.
    pub fn read_readable(&mut self, wave: &mut Wave) {
        let Wave { content, cuts } = wave;
        cuts.clear();
        content.set(&self.rest);
        let (mut at, mut wanted) = (0, self.sizes.wave);
        while cuts.is_empty() && !self.is_at_end && self.document < self.layout.limit {
            self.is_at_end = match content.read_from(&mut self.reader, wanted) {
                Ok(is_at_end) => is_at_end,
                Err(error) => {
                    let bytes = content.bytes();
                    let whole = memchr::memrchr(b'\n', bytes).map_or(0, |end| end + 1);
                    self.damage = Some(damaged(&self.path, self.last_line(&bytes[at..]), &error));
                    content.filled = whole.max(at);
                    true
                }
            };
            while let Some(cut) = self.cut(&content.bytes()[at..], at) {
                at += cut.bytes;
                self.line += cut.lines;
                self.document += cut.documents;
                if cut.documents > 0 {
                    cuts.push(cut);
                }
            }
            // A long line, or many blank ones. Doubling keeps the looking again linear.
            wanted = 2 * content.filled;
        }
        self.rest.clear();
        self.rest.extend_from_slice(&content.bytes()[at..]);
    }

    /// The number of the last of the next lines that is whole, or of the first.
    fn last_line(&self, bytes: &[u8]) -> u64 {
        let lines = memchr::memchr_iter(b'\n', bytes).count() as u64;
        self.line + lines.saturating_sub(1)
    }

    /// Cuts whole lines off the beginning of what stands at `start`: until a file's documents are complete, or a chunk is full and has one. What
    /// is less, and a last line without a newline, counts only at the end. `None` if there is nothing to cut off.
    fn cut(&self, bytes: &[u8], start: usize) -> Option<Cut> {
        let Layout { skips_blank, per_file, limit } = self.layout;
        let most = (per_file - self.document % per_file).min(limit - self.document);
        let (first_line, first) = (self.line, self.document);
        let mut cut =
            Cut { start, bytes: 0, first_line, lines: 0, first, documents: 0, skips_blank };
        while cut.documents < most && (cut.bytes < self.sizes.chunk || cut.documents == 0) {
            let rest = &bytes[cut.bytes..];
            let length = match memchr::memchr(b'\n', rest) {
                Some(end) => end + 1,
                None if !self.is_at_end => return None,
                None if rest.is_empty() => break,
                None => rest.len(),
            };
            cut.documents += usize::from(is_document(&rest[..length], skips_blank));
            cut.bytes += length;
            cut.lines += 1;
        }
        (cut.bytes > 0).then_some(cut)
    }
}

/// The error of a file that can be read up to a line, but not further.
fn damaged(path: &Path, line: u64, error: &std::io::Error) -> Error {
    Error::Parse {
        path: path.to_path_buf(),
        line,
        expected: "readable data".into(),
        found: input::damaged(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// All documents: their lines' numbers and texts; and the cuts between chunks.
    fn read(path: &Path, layout: Layout) -> (Vec<(u64, Vec<u8>)>, Vec<usize>) {
        let mut chunks = Chunks::open(path, layout).unwrap();
        let (mut wave, mut all, mut cuts) = (Wave::default(), Vec::new(), Vec::new());
        loop {
            chunks.read(&mut wave).unwrap();
            if wave.is_empty() {
                return (all, cuts);
            }
            for chunk in wave.chunks() {
                assert_eq!(chunk.first, all.len());
                all.extend(chunk.lines().map(|(number, line)| (number, line.to_vec())));
                assert_eq!(chunk.first + chunk.documents, all.len());
                cuts.push(all.len());
            }
        }
    }

    fn gzip(content: &[u8]) -> Vec<u8> {
        use std::io::Write;
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }

    fn check(content: &[u8], layout: Layout) {
        let file = tempfile::NamedTempFile::new().unwrap();
        let text = content.strip_prefix(BYTE_ORDER_MARK).unwrap_or(content);
        let mut lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
        if lines.last().is_some_and(|last| last.is_empty()) {
            lines.pop();
        }
        let expected: Vec<(u64, Vec<u8>)> = (1..)
            .zip(lines.iter().map(|line| line.to_vec()))
            .filter(|(_, line)| is_document(line, layout.skips_blank))
            .take(layout.limit)
            .collect();
        let zstandard = zstd::encode_all(content, 1).unwrap();
        for stored in [content.to_vec(), gzip(content), zstandard] {
            std::fs::write(file.path(), stored).unwrap();
            let (all, cuts) = read(file.path(), layout);
            assert!(all == expected);
            let whole_files = (1..).map(|n| n * layout.per_file).take_while(|n| *n < all.len());
            assert!(whole_files.into_iter().all(|end| cuts.contains(&end)), "{cuts:?}");
        }
    }

    #[test]
    fn lines_longer_than_a_chunk_and_blank_ones_are_read() {
        let wave = WAVE_A_THREAD * rayon::current_num_threads();
        let (word, blank) = (vec![b'x'; wave * 3], vec![b'\n'; wave / 2]);
        let long = [word, b"\ny\n".to_vec(), blank, b"z".to_vec()];
        for skips_blank in [true, false] {
            check(&long.concat(), Layout { skips_blank, per_file: 1 << 24, limit: usize::MAX });
        }
        let many = b"ab cd\n".repeat(4 << 20);
        check(&many, Layout { skips_blank: true, per_file: 1 << 21, limit: 3_000_000 });
    }

    #[test]
    fn a_damaged_file_is_told_with_its_last_whole_line() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let whole = gzip(b"a\nb\nc\n");
        // Without its trailer all lines are still there.
        std::fs::write(file.path(), &whole[..whole.len() - 8]).unwrap();
        let layout = Layout { skips_blank: true, per_file: 2, limit: usize::MAX };
        let mut chunks = Chunks::open(file.path(), layout).unwrap();
        let error = chunks.read(&mut Wave::default()).unwrap_err().to_string();
        assert!(error.contains(":3: expected readable data"), "{error}");
    }

    #[test]
    fn what_can_be_read_of_a_damaged_file_are_its_whole_lines() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let whole = gzip(b"a\nb\ncut off");
        std::fs::write(file.path(), &whole[..whole.len() - 8]).unwrap();
        let layout = Layout { skips_blank: true, per_file: 2, limit: usize::MAX };
        let mut chunks = Chunks::open(file.path(), layout).unwrap();
        let (mut wave, mut lines) = (Wave::default(), Vec::new());
        loop {
            chunks.read_readable(&mut wave);
            if wave.is_empty() {
                break;
            }
            wave.chunks().iter().for_each(|chunk| lines.extend(chunk.lines().map(|(n, _)| n)));
        }
        assert_eq!(lines, [1, 2]);
        assert!(chunks.damage().unwrap().to_string().contains(":2: expected readable data"));
        assert!(chunks.damage().is_none());
    }

    proptest! {
        #[test]
        fn documents_are_the_lines(
            text in "\u{feff}?([ab]{0,3}[ \r]?\n){0,20}[ab]{0,2}",
            skips_blank: bool, per_file in 1usize..5, limit in 1usize..30,
        ) {
            check(text.as_bytes(), Layout { skips_blank, per_file, limit });
        }
    }
}
