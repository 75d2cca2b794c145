//! Estimates of how much there is to read.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::atomic::Ordering;

use super::batch::{Batch, DocumentParser};
use super::find::find;
use super::inputs::Inputs;
use super::lines::LineChunk;
use super::sniff::sniff;
use super::source::{InputSource, SourceKind};
use super::stream::{BUFFER, OpenSource};
use crate::error::{Error, Result};

/// Bytes examined of a file with records.
const SAMPLE_BYTES: u64 = 4 << 20;
/// Stored bytes read ahead of a decoder; more would distort the estimate.
const READ_AHEAD: usize = 4 << 10;
/// Lines to examine of a plain file, and bytes to find them in.
const LINES: usize = 1024;
const SCANNED_BYTES: u64 = 1 << 30;
/// Bytes of the examined lines; longer ones are left out.
const LINES_BYTES: usize = 64 << 20;
/// Number of files with records to examine.
const RECORD_FILES: usize = 8;
/// Number of whole files to examine.
const WHOLE_FILES: usize = 1024;
/// Larger whole files are judged by others.
const MAX_WHOLE_BYTES: u64 = 4 << 20;

/// Amount of input. Numbers of documents and their lengths are estimates unless `exact`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Survey {
    /// Number of files.
    pub files: u64,
    /// Stored bytes.
    pub bytes: u64,
    /// Number of documents.
    pub documents: u64,
    /// Mean bytes of a document's text.
    pub mean_text_bytes: f64,
    /// Whether everything was examined.
    pub exact: bool,
}

/// Counts files, examines some of them and extrapolates. Calls `sample` with the text of each examined document. Standard input and pipes must
/// be spooled.
pub fn survey(inputs: &Inputs, sample: &mut dyn FnMut(&str)) -> Result<Survey> {
    let sources = find(inputs)?.sources;
    let parser = DocumentParser::new(inputs, &sources);
    let (mut records, mut whole) = (Sample::default(), Sample::default());
    for (number, source) in sources.iter().enumerate() {
        let part = if source.kind == SourceKind::Whole { &mut whole } else { &mut records };
        part.files.push((number, size(inputs, source)?));
    }
    for (number, size) in records.spread(RECORD_FILES) {
        records.examine_records(inputs, &parser, &sources[number], number, size, sample);
    }
    for (number, size) in whole.spread(WHOLE_FILES) {
        if size <= MAX_WHOLE_BYTES {
            whole.examine_file(&parser, &sources[number], size, sample);
        }
    }
    let ((records_read, records_text), (files_read, files_text)) =
        (records.of_records(), whole.of_files());
    let (documents, text) = (records_read + files_read, records_text + files_text);
    Ok(Survey {
        files: sources.len() as u64,
        bytes: records.stored() + whole.stored(),
        documents: documents.round() as u64,
        mean_text_bytes: if documents > 0.0 { text / documents } else { 0.0 },
        exact: records.has_seen_all() && whole.has_seen_all(),
    })
}

fn size(inputs: &Inputs, source: &InputSource) -> Result<u64> {
    if source.is_stream && !inputs.streams.can_repeat() {
        let path = source.path.display();
        return Err(Error::Usage(format!("{path}: cannot be examined before it is read")));
    }
    Ok(inputs.streams.size(source, &inputs.args).unwrap_or(0))
}

/// Files, and what was found in those examined.
#[derive(Default)]
struct Sample {
    /// All files by number, with their stored sizes.
    files: Vec<(usize, u64)>,
    /// Number of files examined to their end.
    whole_files: usize,
    /// Stored bytes examined, their documents, and the bytes of the texts.
    bytes: u64,
    documents: u64,
    text: u64,
}

impl Sample {
    /// Returns at most `max` files, spread over all.
    fn spread(&self, max: usize) -> Vec<(usize, u64)> {
        let step = self.files.len().div_ceil(max).max(1);
        let sampled = (0..self.files.len()).filter(|at| is_sampled(*at, step));
        sampled.map(|at| self.files[at]).collect()
    }

    /// Returns the total size of the files.
    fn stored(&self) -> u64 {
        self.files.iter().map(|(_, size)| size).sum()
    }

    fn has_seen_all(&self) -> bool {
        self.whole_files == self.files.len()
    }

    /// Extrapolates the documents and text bytes of files with records.
    fn of_records(&self) -> (f64, f64) {
        let factor = self.stored() as f64 / self.bytes.max(1) as f64;
        (self.documents as f64 * factor, self.text as f64 * factor)
    }

    /// Extrapolates the documents and text bytes of whole files. Without a sample each is a document and all of it text.
    fn of_files(&self) -> (f64, f64) {
        let share =
            |part: u64, whole: u64| if whole > 0 { part as f64 / whole as f64 } else { 1.0 };
        let documents = self.files.len() as f64 * share(self.documents, self.whole_files as u64);
        (documents, self.stored() as f64 * share(self.text, self.bytes))
    }

    fn examine_file(
        &mut self,
        parser: &DocumentParser<'_>,
        source: &InputSource,
        size: u64,
        sample: &mut dyn FnMut(&str),
    ) {
        self.whole_files += 1;
        self.bytes += size;
        if let Ok(text) = parser.whole(source) {
            self.documents += 1;
            self.text += text.text.len() as u64;
            sample(&text.text);
        }
    }

    /// Examines the beginning of a file with records, or spread lines if it is plain. An unreadable file has none.
    fn examine_records(
        &mut self,
        inputs: &Inputs,
        parser: &DocumentParser<'_>,
        source: &InputSource,
        number: usize,
        size: u64,
        sample: &mut dyn FnMut(&str),
    ) {
        if source.kind == SourceKind::Parquet {
            return self.examine_columns(inputs, source, size);
        }
        let opened = inputs.streams.open_ahead(source, &inputs.args, READ_AHEAD);
        let Ok(OpenSource { reader, taken }) = opened else { return };
        let Ok((format, mut reader)) = sniff(source, inputs, reader) else { return };
        if format.kind == SourceKind::Whole {
            return self.examine_file(parser, source, size, sample);
        }
        let mut start = Vec::new();
        let is_damaged = reader.by_ref().take(SAMPLE_BYTES).read_to_end(&mut start).is_err();
        if !is_damaged && (start.len() as u64) < SAMPLE_BYTES {
            self.whole_files += 1;
            self.bytes += size;
        } else if let Some(lines) = spread_lines(source, format.kind, &start) {
            self.bytes += lines.len() as u64;
            start = lines;
        } else if let Some(end) = memchr::memrchr(b'\n', &start) {
            // The last line may go on.
            start.truncate(end);
            self.bytes += taken.load(Ordering::Relaxed).min(size);
        } else {
            // A line longer than the sample is most likely the only one.
            self.bytes += size;
            self.documents += 1;
            self.text += size;
            return;
        }
        let mut batch = Batch::default();
        let chunk = LineChunk::of_start(&start);
        parser.add_lines(&mut batch, number, format, &chunk);
        self.documents += batch.documents.len() as u64;
        for document in &batch.documents {
            self.text += document.text.len() as u64;
            sample(&document.text);
        }
    }

    fn examine_columns(&mut self, inputs: &Inputs, source: &InputSource, size: u64) {
        let Ok(rows) = super::parquet::ParquetReader::open(inputs, source) else { return };
        self.bytes += size;
        self.documents += rows.rows;
        self.text += rows.text_bytes;
    }
}

/// Returns whether a number is the one sampled of `step` consecutive ones. Its place follows no period: every nth chapter of one translation
/// and every nth of the next may have none in common.
fn is_sampled(number: usize, step: usize) -> bool {
    const GOLDEN_RATIO: u64 = 0x9e37_79b9_7f4a_7c15;
    let place = ((number / step) as u64).wrapping_mul(GOLDEN_RATIO) >> 32;
    number % step == place as usize % step
}

/// Returns lines spread over a file whose content begins with `start`: neighbors are often more similar than other documents. `None` if the
/// stored bytes of the file are not the content. Memory: the lines.
fn spread_lines(source: &InputSource, kind: SourceKind, start: &[u8]) -> Option<Vec<u8>> {
    let has_lines = matches!(kind, SourceKind::Json | SourceKind::Lines);
    if source.is_stream || !has_lines || !begins_with(&source.path, start) {
        return None;
    }
    let mut count = 0usize;
    for_each_line_piece(&source.path, |_, is_end| count += usize::from(is_end)).ok()?;
    let step = count.div_ceil(LINES).max(1);
    let (mut lines, mut number, mut end, mut fits) = (Vec::new(), 0, 0, true);
    for_each_line_piece(&source.path, |piece, is_end| {
        fits &= is_sampled(number, step) && lines.len() + piece.len() <= LINES_BYTES;
        if fits {
            lines.extend_from_slice(piece);
        }
        if is_end {
            end = if fits { lines.len() } else { end };
            lines.truncate(end);
            (fits, number) = (true, number + 1);
        }
    })
    .ok()?;
    // The file, or its examined part, may end inside a line.
    lines.truncate(end);
    Some(lines).filter(|lines| !lines.is_empty())
}

/// Returns whether the stored bytes of a file begin with `start`.
fn begins_with(path: &Path, start: &[u8]) -> bool {
    let mut stored = Vec::with_capacity(start.len());
    let file =
        File::open(path).and_then(|file| file.take(start.len() as u64).read_to_end(&mut stored));
    file.is_ok() && stored == start
}

/// Calls `visit` with the first bytes of a file, up to [`SCANNED_BYTES`], in pieces that end with a line or before. A flag says whether one does.
fn for_each_line_piece(path: &Path, mut visit: impl FnMut(&[u8], bool)) -> io::Result<()> {
    let mut reader = BufReader::with_capacity(BUFFER, File::open(path)?.take(SCANNED_BYTES));
    loop {
        let bytes = reader.fill_buf()?;
        if bytes.is_empty() {
            return Ok(());
        }
        let mut first = 0;
        for end in memchr::memchr_iter(b'\n', bytes) {
            visit(&bytes[first..=end], true);
            first = end + 1;
        }
        visit(&bytes[first..], false);
        let count = bytes.len();
        reader.consume(count);
    }
}
