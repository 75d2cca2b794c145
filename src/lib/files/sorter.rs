//! External sort: records of any length in bounded memory.
//!
//! Full runs of records are sorted and written to a temporary file without a name; a k-way merge reads them back.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::temporary::{temporary_error, temporary_file};
use crate::error::{Error, Result};

/// Bytes of the records of a run.
pub const RUN_BYTES: usize = 256 << 20;
/// Bytes read from a run at once.
const READ_BYTES: usize = 256 << 10;
/// Bytes before a record in a run: the lengths of its key and its value.
const HEAD: usize = 8;

/// Takes records of a key and a value, to return them by ascending keys. Memory: the bytes of a run, and 16 bytes per record in it.
pub struct Sorter {
    beside: PathBuf,
    run_bytes: usize,
    /// The records of the current run, one after the other.
    bytes: Vec<u8>,
    /// Where they begin.
    starts: Vec<usize>,
    file: Option<File>,
    /// The ranges of the file that are runs.
    runs: Vec<Range<u64>>,
}

impl Sorter {
    /// Creates a sorter whose temporary file is in the folder of `beside`.
    pub fn new(beside: &Path, run_bytes: usize) -> Self {
        let (beside, bytes, starts) = (beside.to_path_buf(), Vec::new(), Vec::new());
        Sorter { beside, run_bytes, bytes, starts, file: None, runs: Vec::new() }
    }

    /// Adds a record.
    pub fn push(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        let length = |bytes: &[u8]| {
            let long = || Error::in_file(&self.beside, "a record to sort has more than 4 GB");
            u32::try_from(bytes.len()).map_err(|_| long())
        };
        let lengths = [length(key)?, length(value)?];
        if self.bytes.len() + HEAD + key.len() + value.len() > self.run_bytes
            && !self.starts.is_empty()
        {
            self.write_run()?;
        }
        self.starts.push(self.bytes.len());
        lengths.iter().for_each(|length| self.bytes.extend_from_slice(&length.to_le_bytes()));
        self.bytes.extend_from_slice(key);
        self.bytes.extend_from_slice(value);
        Ok(())
    }

    /// Returns the records in order; those of equal keys in the order in which they were added.
    pub fn finish(mut self) -> Result<SortedRecords> {
        self.sort();
        let Sorter { beside, bytes, starts, file, runs, .. } = self;
        let mut records = SortedRecords {
            beside,
            file,
            runs: runs.into_iter().map(SortedRun::on_disk).collect(),
            next: BinaryHeap::new(),
            current: Record::default(),
        };
        let ordered =
            starts.iter().flat_map(|start| &bytes[*start..][..record_length(&bytes[*start..])]);
        let last: Vec<u8> = ordered.copied().collect();
        records.runs.push(SortedRun { buffer: last, position: 0, rest: 0..0 });
        for run in 0..records.runs.len() {
            records.advance(run)?;
        }
        Ok(records)
    }

    fn sort(&mut self) {
        let bytes = &self.bytes;
        self.starts.sort_by(|one, other| key_of(&bytes[*one..]).cmp(key_of(&bytes[*other..])));
    }

    fn write_run(&mut self) -> Result<()> {
        self.sort();
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(temporary_file(&self.beside)?),
        };
        let failed = |error| temporary_error(&self.beside, error);
        let start = self.runs.last().map_or(0, |run| run.end);
        let mut out = io::BufWriter::with_capacity(READ_BYTES, file);
        for start in &self.starts {
            let record = &self.bytes[*start..];
            out.write_all(&record[..record_length(record)]).map_err(failed)?;
        }
        out.flush().map_err(failed)?;
        drop(out);
        self.runs.push(start..start + self.bytes.len() as u64);
        self.bytes.clear();
        self.starts.clear();
        Ok(())
    }
}

/// Returns the lengths of the key and the value of the record at the beginning of some bytes.
fn lengths(bytes: &[u8]) -> [usize; 2] {
    let length = |at: usize| {
        let four: [u8; 4] = bytes[at..at + 4].try_into().expect("four bytes are four");
        u32::from_le_bytes(four) as usize
    };
    [length(0), length(4)]
}

fn record_length(bytes: &[u8]) -> usize {
    HEAD + lengths(bytes).iter().sum::<usize>()
}

fn key_of(bytes: &[u8]) -> &[u8] {
    &bytes[HEAD..HEAD + lengths(bytes)[0]]
}

/// A record.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Record {
    /// What it is sorted by.
    pub key: Vec<u8>,
    /// What belongs to it.
    pub value: Vec<u8>,
}

/// Key, run and value of a record, the lowest first.
type NextRecord = Reverse<(Vec<u8>, usize, Vec<u8>)>;

/// Records in the order of their keys.
pub struct SortedRecords {
    beside: PathBuf,
    file: Option<File>,
    runs: Vec<SortedRun>,
    /// The next record of each run that is not exhausted, by key and run.
    next: BinaryHeap<NextRecord>,
    current: Record,
}

/// A sorted run: bytes in memory, and a range of the file for those that follow.
struct SortedRun {
    buffer: Vec<u8>,
    position: usize,
    rest: Range<u64>,
}

impl SortedRun {
    fn on_disk(rest: Range<u64>) -> Self {
        SortedRun { buffer: Vec::new(), position: 0, rest }
    }

    /// Reads until `wanted` bytes are in memory, or the end of the run.
    fn fill(&mut self, file: Option<&mut File>, wanted: usize) -> io::Result<()> {
        let there = self.buffer.len() - self.position;
        if there >= wanted || self.rest.is_empty() {
            return Ok(());
        }
        self.buffer.drain(..self.position);
        self.position = 0;
        let more = (wanted.max(READ_BYTES) - there) as u64;
        let count = more.min(self.rest.end - self.rest.start);
        self.buffer.resize(there + count as usize, 0);
        let file = file.ok_or(io::ErrorKind::NotFound)?;
        file.seek(SeekFrom::Start(self.rest.start))?;
        file.read_exact(&mut self.buffer[there..])?;
        self.rest.start += count;
        Ok(())
    }

    /// Returns the next record.
    fn next(&mut self, mut file: Option<&mut File>) -> io::Result<Option<(Vec<u8>, Vec<u8>)>> {
        self.fill(file.as_deref_mut(), HEAD)?;
        if self.position == self.buffer.len() {
            return Ok(None);
        }
        let length = record_length(&self.buffer[self.position..]);
        self.fill(file, length)?;
        let record = &self.buffer[self.position..][..length];
        let (key, value) = record[HEAD..].split_at(lengths(record)[0]);
        let pair = (key.to_vec(), value.to_vec());
        self.position += length;
        Ok(Some(pair))
    }
}

impl SortedRecords {
    /// Returns the next record, or `None` at the end.
    pub fn next_record(&mut self) -> Result<Option<&Record>> {
        let Some(Reverse((key, run, value))) = self.next.pop() else { return Ok(None) };
        self.advance(run)?;
        self.current = Record { key, value };
        Ok(Some(&self.current))
    }

    /// Puts the next record of a run in line.
    fn advance(&mut self, run: usize) -> Result<()> {
        let read = self.runs[run].next(self.file.as_mut());
        let record = read
            .map_err(|error| Error::io("read a temporary file beside it", &self.beside, error))?;
        self.next.extend(record.map(|(key, value)| Reverse((key, run, value))));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn records_come_back_by_key_and_then_as_they_were_added(
            records in prop::collection::vec((prop::collection::vec(0u8..3, 0..4), prop::collection::vec(any::<u8>(), 0..9)), 0..60),
            run_bytes in 0usize..400,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let mut sorter = Sorter::new(&folder.path().join("out"), run_bytes);
            for (key, value) in &records {
                sorter.push(key, value).unwrap();
            }
            let (mut sorted, mut found) = (sorter.finish().unwrap(), Vec::new());
            while let Some(record) = sorted.next_record().unwrap() {
                found.push((record.key.clone(), record.value.clone()));
            }
            let mut expected = records;
            expected.sort_by(|one, other| one.0.cmp(&other.0));
            prop_assert_eq!(found, expected);
            prop_assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        }
    }
}
