//! Data files of a stage with equal numbers of lines, one line per document.

use crate::corpus::DeferredWork;
use crate::error::Result;
use crate::files::decimal::append_number;
use crate::files::output::Output;
use crate::files::stage::Stage;

/// Bytes of a compressed file that wait to be compressed in parallel with other files.
const MAX_PENDING: usize = 8 << 20;

/// Lines of a batch of documents.
#[derive(Default)]
pub(super) struct BatchLines {
    /// The lines, without names if documents are numbered.
    pub text: Vec<u8>,
    /// The end of each line.
    pub ends: Vec<usize>,
}

impl BatchLines {
    /// Returns the lines of consecutive documents.
    fn get(&self, first: usize, count: usize) -> &[u8] {
        let end = |documents: usize| if documents == 0 { 0 } else { self.ends[documents - 1] };
        &self.text[end(first)..end(first + count)]
    }
}

/// Writes lines to data files of equal numbers of lines. Files are compressed and closed outside the ordered sink.
pub(super) struct DataFileWriter<'s> {
    stage: &'s Stage,
    per_file: usize,
    is_compressed: bool,
    /// The number that the first file's first line begins with in place of a name, if lines do; the others follow.
    first_number: Option<u64>,
    /// Number of lines written, and of those that the files of other parts have in place of the first file's first lines.
    written: usize,
    /// The current file, if it was begun.
    open: Option<Output>,
    /// Lines of the current file that are not written yet.
    pending: Vec<u8>,
}

impl<'s> DataFileWriter<'s> {
    /// Begins the files of a part with `before` lines before it: files end where those of the whole output end. `is_numbered` lines begin with their number.
    pub fn new(
        stage: &'s Stage,
        per_file: usize,
        is_compressed: bool,
        is_numbered: bool,
        before: u64,
    ) -> Self {
        let missing = before % per_file as u64;
        DataFileWriter {
            stage,
            per_file,
            is_compressed,
            first_number: is_numbered.then_some(before - missing + 1),
            written: missing as usize,
            open: None,
            pending: Vec::new(),
        }
    }

    /// Adds the first `count` lines of a batch.
    pub fn add(&mut self, batch: &BatchLines, count: usize) -> Result<Vec<DeferredWork<'s>>> {
        let (mut deferred, mut first) = (Vec::new(), 0);
        while first < count {
            let capacity = self.per_file - self.written % self.per_file;
            let taken = capacity.min(count - first);
            self.append(batch, first, taken);
            (self.written, first) = (self.written + taken, first + taken);
            if self.written.is_multiple_of(self.per_file) {
                deferred.push(self.complete());
            }
        }
        if !self.is_compressed || self.pending.len() > MAX_PENDING {
            self.flush()?;
        }
        Ok(deferred)
    }

    fn append(&mut self, batch: &BatchLines, first: usize, count: usize) {
        let Some(first_number) = self.first_number else {
            return self.pending.extend_from_slice(batch.get(first, count));
        };
        for number in 0..count {
            append_number(&mut self.pending, first_number + (self.written + number) as u64);
            self.pending.extend_from_slice(batch.get(first + number, 1));
        }
    }

    /// Writes pending lines to the current file.
    fn flush(&mut self) -> Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let file = match &mut self.open {
            Some(file) => file,
            open => open.insert(self.stage.create(self.written / self.per_file)?),
        };
        file.write(&self.pending)?;
        self.pending.clear();
        Ok(())
    }

    /// Returns the work that completes the file of the last line.
    fn complete(&mut self) -> DeferredWork<'s> {
        let (stage, number) = (self.stage, (self.written - 1) / self.per_file);
        let (open, pending) = (self.open.take(), std::mem::take(&mut self.pending));
        Box::new(move || {
            let mut file = open.map_or_else(|| stage.create(number), Ok)?;
            file.write(&pending)?;
            stage.keep(number, file)
        })
    }

    /// Completes the last file.
    pub fn finish(mut self) -> Result<()> {
        if self.open.is_none() && self.pending.is_empty() {
            return Ok(());
        }
        self.complete()()
    }
}
