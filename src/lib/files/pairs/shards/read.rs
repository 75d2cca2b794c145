//! The lines of a part, verified at its end, and the merge of several.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::io::{self, BufReader, Read};

use crate::error::{Error, Result};
use crate::files::decompress::decompressed;
use crate::files::input::{self, Reader, line_error, open_raw};
use crate::files::manifest::{DataFile, Hasher};
use crate::files::parts::Parts;

/// Bytes per read: small, because all parts are open.
const BUFFER: usize = 1 << 15;

/// Lines of a part.
pub(super) struct PartLines {
    file: DataFile,
    reader: BufReader<DigestReader>,
    /// The number of lines read.
    pub number: u64,
}

/// Reader that computes the digest of the bytes read.
struct DigestReader {
    reader: Reader,
    hasher: Hasher,
}

impl Read for DigestReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.hasher.update(&buffer[..count]);
        Ok(count)
    }
}

impl PartLines {
    /// Opens the part at a position.
    pub fn open(parts: &Parts, position: usize) -> Result<Self> {
        let path = &parts.paths[position];
        let file = parts.manifests[position].only_file(path);
        let reader = decompressed(open_raw(path)?, BUFFER, None);
        let reader = reader.map_err(|error| Error::io("read", path, error))?;
        let reader = DigestReader { reader, hasher: Hasher::default() };
        Ok(PartLines { file, reader: BufReader::with_capacity(BUFFER, reader), number: 0 })
    }

    /// Appends the next line without its newline to `line`, or returns `false` at the end.
    ///
    /// # Errors
    /// At the end, a part that differs from its manifest.
    pub fn read(&mut self, line: &mut String) -> Result<bool> {
        let mut bytes = Vec::new();
        self.number += 1;
        let read = input::read_line(&mut self.reader, &mut bytes);
        if read.map_err(|error| line_error(&self.file.path, self.number, &error))? == 0 {
            self.file.check_digest(self.reader.get_ref().hasher.digest())?;
            return Ok(false);
        }
        line.push_str(input::whole_line(&mut bytes, &self.file.path, self.number)?.text);
        Ok(true)
    }

    /// Returns an error at the last line.
    pub fn expected(&self, expected: &str, found: &str) -> Error {
        Error::parse(&self.file.path, self.number, expected, crate::error::excerpt(found))
    }
}

/// A part read record by record, in ascending order of keys.
pub(super) trait PartRecords: Sized {
    /// What records are ordered by.
    type Key: Ord + Copy;
    /// A record.
    type Record;

    /// Returns the next record and its key, or `None` at the end.
    fn next_record(&mut self) -> Result<Option<(Self::Key, Self::Record)>>;

    /// Returns an error at the last record.
    fn unsorted(&self) -> Error;
}

/// Calls `visit` with each key, in ascending order, and the records of all parts that have it, each with the position of its part.
pub(super) fn merge_records<P: PartRecords>(
    mut parts: Vec<P>,
    mut visit: impl FnMut(P::Key, &[(usize, P::Record)]) -> Result<()>,
) -> Result<()> {
    let mut next: Vec<Option<P::Record>> = Vec::new();
    let mut heap = BinaryHeap::new();
    for (position, part) in parts.iter_mut().enumerate() {
        let (key, record) = part.next_record()?.unzip();
        heap.extend(key.map(|key| Reverse((key, position))));
        next.push(record);
    }
    let mut records = Vec::new();
    while let Some(Reverse((key, _))) = heap.peek().copied() {
        records.clear();
        while let Some(mut top) = heap.peek_mut().filter(|top| top.0.0 == key) {
            let position = top.0.1;
            records.extend(next[position].take().map(|record| (position, record)));
            match parts[position].next_record()? {
                Some((later, record)) if later > key => {
                    next[position] = Some(record);
                    *top = Reverse((later, position));
                }
                Some(_) => return Err(parts[position].unsorted()),
                None => drop(PeekMut::pop(top)),
            }
        }
        visit(key, &records)?;
    }
    Ok(())
}
