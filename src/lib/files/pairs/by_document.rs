//! Pairs of a table sorted by document, in bounded memory.
//!
//! Each pair becomes two entries of 16 bytes, one per document. Full runs of entries are sorted and written to a temporary file
//! without a name; a k-way merge reads them back. Documents come in the order in which the table names them first, their matches in
//! the order of the table. Memory: the documents' names, one run, and one buffer per run.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use super::form::TableForm;
use super::id::name_of_id;
use super::read::{FileStart, for_each_of_table};
use super::results::{DocumentGroup, ResultRow};
use crate::error::{Error, Result};
use crate::files::is_stream;

/// A document, one of its matches (32 bits each), and the bits of their similarity.
type Entry = [u64; 2];

/// Entries of a run: 8 MiB.
const ENTRIES_PER_RUN: usize = 1 << 19;
/// Entries read from a run at once: 64 KiB.
const ENTRIES_PER_READ: usize = 1 << 12;

fn document_of(entry: &Entry) -> u32 {
    (entry[0] >> 32) as u32
}

/// Pairs listed under both of their documents.
pub struct PairsByDocument {
    path: PathBuf,
    /// Names of the documents, and the line that names each first.
    documents: Vec<(Box<str>, u64)>,
    file: Option<File>,
    runs: Vec<Run>,
    /// The next document of each run that is not exhausted.
    next: BinaryHeap<Reverse<(u32, usize)>>,
}

impl PairsByDocument {
    /// Reads a table and sorts it. Full runs are written to a temporary file in the folder of `beside`.
    pub(super) fn read(
        path: &Path,
        form: TableForm,
        start: FileStart,
        beside: &Path,
    ) -> Result<Self> {
        Self::read_with(path, form, start, beside, ENTRIES_PER_RUN)
    }

    pub(super) fn read_with(
        path: &Path,
        form: TableForm,
        start: FileStart,
        beside: &Path,
        entries_per_run: usize,
    ) -> Result<Self> {
        let mut sorter = RunWriter::new(beside, entries_per_run);
        let mut numbers: FxHashMap<Box<str>, (u32, u64)> = FxHashMap::default();
        for_each_of_table(path, form, start, &mut |pair| {
            let [one, other] = pair.ids.map(|id| number_of(&mut numbers, id, pair.line));
            sorter.push(one, other, pair.similarity)?;
            sorter.push(other, one, pair.similarity)
        })?;
        let (file, runs) = sorter.finish();
        let mut pairs = PairsByDocument {
            path: path.to_path_buf(),
            documents: in_order(numbers),
            file,
            runs,
            next: BinaryHeap::new(),
        };
        for run in 0..pairs.runs.len() {
            pairs.queue(run)?;
        }
        Ok(pairs)
    }

    /// Returns the next document with its matches, or `None` at the end.
    pub(super) fn next_row(&mut self) -> Result<Option<ResultRow<'_>>> {
        let Some(Reverse((document, _))) = self.next.peek().copied() else { return Ok(None) };
        let mut entries = Vec::new();
        while let Some(Reverse((_, run))) =
            self.next.peek().copied().filter(|Reverse((next, _))| *next == document)
        {
            self.next.pop();
            while let Some(entry) = self.entry(run)?.filter(|entry| document_of(entry) == document)
            {
                entries.push(entry);
                self.runs[run].position += 1;
            }
            self.queue(run)?;
        }
        let name =
            |number: u32| DocumentGroup(vec![Cow::Borrowed(&*self.documents[number as usize].0)]);
        let matches = entries.iter().map(|[ids, bits]| (name(*ids as u32), f64::from_bits(*bits)));
        let number = self.documents[document as usize].1;
        Ok(Some(ResultRow { number, head: name(document), matches: matches.collect() }))
    }

    /// Queues the next document of a run.
    fn queue(&mut self, run: usize) -> Result<()> {
        if let Some(entry) = self.entry(run)? {
            self.next.push(Reverse((document_of(&entry), run)));
        }
        Ok(())
    }

    /// Returns the next entry of a run.
    fn entry(&mut self, run: usize) -> Result<Option<Entry>> {
        let outcome = self.runs[run].entry(self.file.as_mut());
        outcome.map_err(|error| Error::io("sort", &self.path, error))
    }
}

fn number_of(numbers: &mut FxHashMap<Box<str>, (u32, u64)>, id: &str, line: u64) -> u32 {
    let name = name_of_id(id);
    if let Some((number, _)) = numbers.get(&*name) {
        return *number;
    }
    let number = numbers.len() as u32;
    numbers.insert(name.into(), (number, line));
    number
}

fn in_order(numbers: FxHashMap<Box<str>, (u32, u64)>) -> Vec<(Box<str>, u64)> {
    let mut documents: Vec<(Box<str>, u64)> = vec![Default::default(); numbers.len()];
    for (name, (number, line)) in numbers {
        documents[number as usize] = (name, line);
    }
    documents
}

/// A sorted run: entries in memory, and a range of the file for those that follow.
struct Run {
    buffer: Vec<Entry>,
    position: usize,
    rest: std::ops::Range<u64>,
}

impl Run {
    fn entry(&mut self, file: Option<&mut File>) -> io::Result<Option<Entry>> {
        if self.position == self.buffer.len() && !self.rest.is_empty() {
            let count = (ENTRIES_PER_READ as u64).min(self.rest.end - self.rest.start);
            self.buffer.resize(count as usize, Entry::default());
            self.position = 0;
            let file = file.ok_or(io::ErrorKind::NotFound)?;
            file.seek(SeekFrom::Start(self.rest.start * size_of::<Entry>() as u64))?;
            file.read_exact(bytemuck::cast_slice_mut(&mut self.buffer))?;
            self.rest.start += count;
        }
        Ok(self.buffer.get(self.position).copied())
    }
}

/// Writes sorted runs. The last one stays in memory.
struct RunWriter<'a> {
    beside: &'a Path,
    entries_per_run: usize,
    entries: Vec<Entry>,
    file: Option<File>,
    runs: Vec<Run>,
}

impl<'a> RunWriter<'a> {
    fn new(beside: &'a Path, entries_per_run: usize) -> Self {
        RunWriter { beside, entries_per_run, entries: Vec::new(), file: None, runs: Vec::new() }
    }

    fn push(&mut self, document: u32, other: u32, similarity: f64) -> Result<()> {
        if self.entries.len() == self.entries_per_run {
            self.write_run()?;
        }
        self.entries.push([u64::from(document) << 32 | u64::from(other), similarity.to_bits()]);
        Ok(())
    }

    fn write_run(&mut self) -> Result<()> {
        self.entries.sort_by_key(document_of);
        if self.file.is_none() {
            self.file = Some(temporary_file(self.beside)?);
        }
        if let Some(file) = &mut self.file {
            let written = file.write_all(bytemuck::cast_slice(&self.entries));
            written.map_err(|error| {
                Error::io("write a temporary file beside it", self.beside, error)
            })?;
        }
        let start = self.runs.last().map_or(0, |run| run.rest.end);
        let rest = start..start + self.entries.len() as u64;
        self.runs.push(Run { buffer: Vec::new(), position: 0, rest });
        self.entries.clear();
        Ok(())
    }

    fn finish(mut self) -> (Option<File>, Vec<Run>) {
        self.entries.sort_by_key(document_of);
        self.runs.push(Run { buffer: self.entries, position: 0, rest: 0..0 });
        (self.file, self.runs)
    }
}

/// Creates a file without a name next to `beside`; next to standard output or a device, in the system's folder for temporary files.
pub(super) fn temporary_file(beside: &Path) -> Result<File> {
    let is_special = fs::metadata(beside).is_ok_and(|about| !about.is_file());
    let file = if is_stream(beside) || is_special {
        tempfile::tempfile()
    } else {
        let folder = beside.parent().filter(|folder| !folder.as_os_str().is_empty());
        tempfile::tempfile_in(folder.unwrap_or(Path::new(".")))
    };
    file.map_err(|error| Error::io("create a temporary file beside it", beside, error))
}
