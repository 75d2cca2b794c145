//! External sort: records of any length in bounded memory.
//!
//! Full runs of records are sorted and written to a temporary file without a name; a k-way merge reads them back.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::temporary::{temporary_error, temporary_file};
use crate::error::{Error, Result};
use crate::session::Session;

/// Bytes of the records of a run.
pub const RUN_BYTES: usize = 256 << 20;
/// Bytes read from a run at once.
const READ_BYTES: usize = 256 << 10;
/// Bytes before a record in a run: the lengths of its key and its value.
const HEAD: usize = 8;

/// Takes records of a key and a value, to return them by ascending keys. Memory: the bytes of a run, and 16 bytes per record in it.
pub struct Sorter<'s> {
    beside: PathBuf,
    run_bytes: usize,
    run: MemoryRun,
    file: Option<File>,
    /// The ranges of the file that are runs.
    runs: Vec<Range<u64>>,
    session: &'s Session,
}

/// Records in memory.
#[derive(Default)]
struct MemoryRun {
    /// The records, one after the other as they were added.
    bytes: Vec<u8>,
    /// The first bytes of each key, which decide most comparisons, and where its record begins.
    starts: Vec<(u64, usize)>,
}

impl MemoryRun {
    fn push(&mut self, lengths: [u32; 2], key: &[u8], value: &[u8]) {
        self.starts.push((prefix(key), self.bytes.len()));
        lengths.iter().for_each(|length| self.bytes.extend_from_slice(&length.to_le_bytes()));
        self.bytes.extend_from_slice(key);
        self.bytes.extend_from_slice(value);
    }

    /// Orders the records by key, equal ones as they were added.
    fn sort(&mut self, session: &Session) {
        let bytes = &self.bytes;
        let key = |start: usize| key_of(&bytes[start..]);
        session.install(|| {
            self.starts.par_sort_unstable_by(|one, other| {
                let by_key = one.0.cmp(&other.0).then_with(|| key(one.1).cmp(key(other.1)));
                by_key.then(one.1.cmp(&other.1))
            });
        });
    }

    /// Returns the record of this rank, if there is one.
    fn get(&self, rank: usize) -> Option<&[u8]> {
        let record = &self.bytes[self.starts.get(rank)?.1..];
        Some(&record[..record_length(record)])
    }
}

/// Returns the first bytes of a key as a number of the same order.
fn prefix(key: &[u8]) -> u64 {
    let mut first = [0; size_of::<u64>()];
    first.iter_mut().zip(key).for_each(|(own, byte)| *own = *byte);
    u64::from_be_bytes(first)
}

impl<'s> Sorter<'s> {
    /// Creates a sorter whose temporary file is in the folder of `beside`.
    pub fn new(beside: &Path, run_bytes: usize, session: &'s Session) -> Self {
        let (beside, run) = (beside.to_path_buf(), MemoryRun::default());
        Sorter { beside, run_bytes, run, file: None, runs: Vec::new(), session }
    }

    /// Adds a record.
    pub fn push(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        let length = |bytes: &[u8]| {
            let long = || Error::in_file(&self.beside, "a record to sort has more than 4 GB");
            u32::try_from(bytes.len()).map_err(|_| long())
        };
        let lengths = [length(key)?, length(value)?];
        if self.run.bytes.len() + HEAD + key.len() + value.len() > self.run_bytes
            && !self.run.starts.is_empty()
        {
            self.write_run()?;
        }
        self.run.push(lengths, key, value);
        Ok(())
    }

    /// Returns the records in order; those of equal keys in the order in which they were added.
    pub fn finish(mut self) -> Result<SortedRecords> {
        self.run.sort(self.session);
        let Sorter { beside, run, file, runs, .. } = self;
        let on_disk = runs.into_iter().map(SortedRun::on_disk);
        let mut records = SortedRecords {
            beside,
            file,
            runs: on_disk.chain([SortedRun::Memory { run, rank: 0 }]).collect(),
            next: BinaryHeap::new(),
            current: Record::default(),
        };
        for run in 0..records.runs.len() {
            records.advance(run, Record::default())?;
        }
        Ok(records)
    }

    fn write_run(&mut self) -> Result<()> {
        self.run.sort(self.session);
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(temporary_file(&self.beside)?),
        };
        let failed = |error| temporary_error(&self.beside, error);
        let start = self.runs.last().map_or(0, |run| run.end);
        let mut out = io::BufWriter::with_capacity(READ_BYTES, file);
        for rank in 0..self.run.starts.len() {
            out.write_all(self.run.get(rank).unwrap_or_default()).map_err(failed)?;
        }
        out.flush().map_err(failed)?;
        drop(out);
        self.runs.push(start..start + self.run.bytes.len() as u64);
        self.run.bytes.clear();
        self.run.starts.clear();
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

/// A sorted run.
enum SortedRun {
    /// Of records in memory, the next one of which has this rank.
    Memory { run: MemoryRun, rank: usize },
    /// On disk: bytes in memory from a position on, and a range of the file for those that follow.
    Disk { buffer: Vec<u8>, position: usize, rest: Range<u64> },
}

impl SortedRun {
    fn on_disk(rest: Range<u64>) -> Self {
        SortedRun::Disk { buffer: Vec::new(), position: 0, rest }
    }

    /// Moves the next record to `into`. Returns whether there is one.
    fn next(&mut self, file: Option<&mut File>, into: &mut Record) -> io::Result<bool> {
        match self {
            SortedRun::Memory { run, rank } => {
                run.get(*rank).inspect(|record| into.fill(record));
                *rank += 1;
                Ok(*rank <= run.starts.len())
            }
            SortedRun::Disk { buffer, position, rest } => {
                let file = file.ok_or(io::ErrorKind::NotFound)?;
                read_until(HEAD, buffer, position, rest, file)?;
                if *position == buffer.len() {
                    return Ok(false);
                }
                let length = record_length(&buffer[*position..]);
                read_until(length, buffer, position, rest, file)?;
                into.fill(&buffer[*position..][..length]);
                *position += length;
                Ok(true)
            }
        }
    }
}

/// Reads until `wanted` bytes from `position` on are in the buffer, or the end of the run.
fn read_until(
    wanted: usize,
    buffer: &mut Vec<u8>,
    position: &mut usize,
    rest: &mut Range<u64>,
    file: &mut File,
) -> io::Result<()> {
    let there = buffer.len() - *position;
    if there < wanted && !rest.is_empty() {
        buffer.drain(..*position);
        *position = 0;
        let more = (wanted.max(READ_BYTES) - there) as u64;
        let count = more.min(rest.end - rest.start);
        buffer.resize(there + count as usize, 0);
        file.seek(SeekFrom::Start(rest.start))?;
        file.read_exact(&mut buffer[there..])?;
        rest.start += count;
    }
    Ok(())
}

impl Record {
    /// Replaces the record by one of a run.
    fn fill(&mut self, record: &[u8]) {
        let (key, value) = record[HEAD..].split_at(lengths(record)[0]);
        self.key.clear();
        self.key.extend_from_slice(key);
        self.value.clear();
        self.value.extend_from_slice(value);
    }
}

impl SortedRecords {
    /// Returns the next record, or `None` at the end.
    pub fn next_record(&mut self) -> Result<Option<&Record>> {
        let Some(Reverse((key, run, value))) = self.next.pop() else { return Ok(None) };
        let spare = std::mem::replace(&mut self.current, Record { key, value });
        self.advance(run, spare)?;
        Ok(Some(&self.current))
    }

    /// Puts the next record of a run in line. `spare` provides its memory.
    fn advance(&mut self, run: usize, mut spare: Record) -> Result<()> {
        let is_there = self.runs[run].next(self.file.as_mut(), &mut spare);
        if is_there
            .map_err(|error| Error::io("read a temporary file beside it", &self.beside, error))?
        {
            self.next.push(Reverse((spare.key, run, spare.value)));
        }
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
            let (folder, session) = (tempfile::tempdir().unwrap(), Session::silent());
            let mut sorter = Sorter::new(&folder.path().join("out"), run_bytes, &session);
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
