//! Pairs of a table sorted by document, in bounded memory.
//!
//! Each pair becomes two entries of 16 bytes, one per document. Full runs of entries are sorted and written to a temporary file
//! without a name; a k-way merge reads them back. Documents come in the order in which the table names them first, their matches in
//! the order of the table. Memory: the documents' names, one run, and one buffer per run.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use super::form::TableForm;
use super::read::{FileStart, for_each_of_table};
use super::results::ResultRow;
use crate::error::{Error, Result};
use crate::files::name::name_of_id;
use crate::files::temporary::{temporary_error, temporary_file};

/// A document, one of its matches (32 bits each), and the bits of their similarity.
type Entry = [u64; 2];

/// Entries of a run: 8 MiB.
pub(super) const ENTRIES_PER_RUN: usize = 1 << 19;
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
    runs: Runs,
    /// The next entry of each run that is not exhausted, by document and run.
    next: BinaryHeap<Reverse<(u32, usize, Entry)>>,
}

impl PairsByDocument {
    /// Reads a table and sorts it. Full runs are written to a temporary file in the folder of `beside`.
    pub(super) fn read(
        start: FileStart,
        form: TableForm,
        beside: &Path,
        entries_per_run: usize,
    ) -> Result<Self> {
        let path = start.path.clone();
        let mut runs = Runs::default();
        let mut numbers: FxHashMap<Box<str>, (u32, u64)> = FxHashMap::default();
        for_each_of_table(start, form, &mut |pair| {
            let [one, other] = pair.ids.map(|id| number_of(&mut numbers, id, pair.line));
            for (document, other) in [(one, other), (other, one)] {
                if runs.last.len() == entries_per_run {
                    runs.write(beside)?;
                }
                let ids = u64::from(document) << 32 | u64::from(other);
                runs.last.push([ids, pair.similarity.to_bits()]);
            }
            Ok(())
        })?;
        runs.finish();
        let mut documents = vec![Default::default(); numbers.len()];
        for (name, (number, line)) in numbers {
            documents[number as usize] = (name, line);
        }
        let mut next = BinaryHeap::new();
        for run in 0..runs.runs.len() {
            let entry = runs.next(run).map_err(|error| Error::io("sort", &path, error))?;
            next.extend(entry.map(|entry| Reverse((document_of(&entry), run, entry))));
        }
        Ok(PairsByDocument { path, documents, runs, next })
    }

    /// Returns the next document with its matches, or `None` at the end.
    pub(super) fn next_row(&mut self) -> Result<Option<ResultRow<'_>>> {
        let Some(Reverse((document, ..))) = self.next.peek().copied() else { return Ok(None) };
        let mut entries = Vec::new();
        while let Some(mut top) = self.next.peek_mut() {
            let Reverse((next, run, entry)) = *top;
            if next != document {
                break;
            }
            entries.push(entry);
            let following = self.runs.next(run);
            match following.map_err(|error| Error::io("sort", &self.path, error))? {
                Some(entry) => *top = Reverse((document_of(&entry), run, entry)),
                None => drop(PeekMut::pop(top)),
            }
        }
        let name = |number: u32| vec![Cow::Borrowed(&*self.documents[number as usize].0)];
        let matches = entries.iter().map(|[ids, bits]| (name(*ids as u32), f64::from_bits(*bits)));
        let number = self.documents[document as usize].1;
        Ok(Some(ResultRow { number, head: name(document), matches: matches.collect() }))
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

/// Sorted runs: the last one in memory, the others in one temporary file.
#[derive(Default)]
struct Runs {
    last: Vec<Entry>,
    file: Option<File>,
    runs: Vec<Run>,
}

/// A sorted run: entries in memory, and a range of the file for those that follow.
struct Run {
    buffer: Vec<Entry>,
    position: usize,
    rest: std::ops::Range<u64>,
}

impl Runs {
    /// Sorts the entries in memory and appends them to the file.
    fn write(&mut self, beside: &Path) -> Result<()> {
        self.last.sort_by_key(document_of);
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(temporary_file(beside)?),
        };
        let written = file.write_all(bytemuck::cast_slice(&self.last));
        written.map_err(|error| temporary_error(beside, error))?;
        let start = self.runs.last().map_or(0, |run| run.rest.end);
        let rest = start..start + self.last.len() as u64;
        self.runs.push(Run { buffer: Vec::new(), position: 0, rest });
        self.last.clear();
        Ok(())
    }

    /// Sorts the entries in memory: they are the last run.
    fn finish(&mut self) {
        self.last.sort_by_key(document_of);
        let buffer = std::mem::take(&mut self.last);
        self.runs.push(Run { buffer, position: 0, rest: 0..0 });
    }

    /// Returns the next entry of a run.
    fn next(&mut self, run: usize) -> io::Result<Option<Entry>> {
        let run = &mut self.runs[run];
        if run.position == run.buffer.len() && !run.rest.is_empty() {
            let count = (ENTRIES_PER_READ as u64).min(run.rest.end - run.rest.start);
            run.buffer.resize(count as usize, Entry::default());
            run.position = 0;
            let file = self.file.as_mut().ok_or(io::ErrorKind::NotFound)?;
            file.seek(SeekFrom::Start(run.rest.start * size_of::<Entry>() as u64))?;
            file.read_exact(bytemuck::cast_slice_mut(&mut run.buffer))?;
            run.rest.start += count;
        }
        run.position += 1;
        Ok(run.buffer.get(run.position - 1).copied())
    }
}
