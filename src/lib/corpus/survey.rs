//! Estimates of how much there is to read.

use std::io::Read;
use std::sync::atomic::Ordering;

use super::batch::{Batch, DocumentParser, LineContext, Spot};
use super::inputs::Inputs;
use super::sniff::{LineSource, sniff};
use super::source::{self, InputSource, SourceKind};
use super::stream::Streams;
use crate::error::{Error, Result};

/// Bytes examined of a file with records.
const SAMPLE_BYTES: u64 = 4 << 20;
/// Number of files with records to examine.
const RECORD_FILES: usize = 8;
/// Number of whole files to examine.
const WHOLE_FILES: usize = 64;
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

/// Counts files, examines some of them and extrapolates. Standard input and pipes must be spooled.
pub fn survey(inputs: &Inputs) -> Result<Survey> {
    let sources = source::find(inputs)?.sources;
    let parser = DocumentParser::new(inputs, &sources);
    let mut bytes = 0;
    let (mut record_files, mut whole_files) = (Files::default(), Files::default());
    for (number, source) in sources.iter().enumerate() {
        let size = size(&inputs.streams, source)?;
        bytes += size;
        let files =
            if source.kind == SourceKind::Whole { &mut whole_files } else { &mut record_files };
        files.0.push((number, size));
    }
    let (mut records, mut files) = (Sample::default(), Sample::default());
    for (number, size) in record_files.spread(RECORD_FILES) {
        records.examine_records(inputs, &parser, &sources[number], number, size);
    }
    for (number, size) in
        whole_files.spread(WHOLE_FILES).filter(|(_, size)| *size <= MAX_WHOLE_BYTES)
    {
        files.examine_file(&parser, number, size);
    }
    let counted = [records.of_records(&record_files), files.of_files(&whole_files)];
    let (documents, text) = (counted[0].0 + counted[1].0, counted[0].1 + counted[1].1);
    Ok(Survey {
        files: sources.len() as u64,
        bytes,
        documents: documents.round() as u64,
        mean_text_bytes: if documents > 0.0 { text / documents } else { 0.0 },
        exact: records.has_seen(&record_files) && files.has_seen(&whole_files),
    })
}

fn size(streams: &Streams, source: &InputSource) -> Result<u64> {
    if source.is_stream && !streams.can_repeat() {
        let path = source.path.display();
        return Err(Error::Usage(format!("{path}: cannot be examined before it is read")));
    }
    Ok(streams.size(source).unwrap_or(0))
}

/// Files by number, with their stored sizes.
#[derive(Default)]
struct Files(Vec<(usize, u64)>);

impl Files {
    /// Returns at most `max` of them, evenly spread.
    fn spread(&self, max: usize) -> impl Iterator<Item = (usize, u64)> {
        let count = self.0.len().min(max);
        (0..count).map(move |at| self.0[at * self.0.len() / count])
    }

    /// Returns their total size.
    fn stored(&self) -> u64 {
        self.0.iter().map(|(_, size)| size).sum()
    }
}

/// Examined files.
#[derive(Default)]
struct Sample {
    /// Number of files examined to their end.
    whole_files: usize,
    /// Stored bytes, their documents, and the bytes of the texts.
    bytes: u64,
    documents: u64,
    text: u64,
}

impl Sample {
    /// Extrapolates the documents and text bytes of files with records.
    fn of_records(&self, files: &Files) -> (f64, f64) {
        let factor = files.stored() as f64 / self.bytes.max(1) as f64;
        (self.documents as f64 * factor, self.text as f64 * factor)
    }

    /// Extrapolates the documents and text bytes of whole files. Without a sample each is a document and all of it text.
    fn of_files(&self, files: &Files) -> (f64, f64) {
        let share =
            |part: u64, whole: u64| if whole > 0 { part as f64 / whole as f64 } else { 1.0 };
        let documents = files.0.len() as f64 * share(self.documents, self.whole_files as u64);
        (documents, files.stored() as f64 * share(self.text, self.bytes))
    }

    fn has_seen(&self, files: &Files) -> bool {
        self.whole_files == files.0.len()
    }

    fn examine_file(&mut self, parser: &DocumentParser<'_>, number: usize, size: u64) {
        self.whole_files += 1;
        self.bytes += size;
        if let Ok(text) = parser.whole(number, &mut 0) {
            self.documents += 1;
            self.text += text.text.len() as u64;
        }
    }

    /// Examines the beginning of a file with records. An unreadable file has none.
    fn examine_records(
        &mut self,
        inputs: &Inputs,
        parser: &DocumentParser<'_>,
        source: &InputSource,
        number: usize,
        size: u64,
    ) {
        if source.kind == SourceKind::Parquet {
            return self.examine_columns(inputs, source, size);
        }
        let Ok(opened) = inputs.streams.open_for_survey(source) else { return };
        let sniffed = sniff(source.kind, inputs.args.encoding, opened.reader);
        let Ok(mut lines) = sniffed else { return };
        let mut start = Vec::new();
        let is_damaged = lines.reader.by_ref().take(SAMPLE_BYTES).read_to_end(&mut start).is_err();
        if !is_damaged && (start.len() as u64) < SAMPLE_BYTES {
            self.whole_files += 1;
            self.bytes += size;
        } else if let Some(end) = memchr::memrchr(b'\n', &start) {
            // The last line may go on.
            start.truncate(end);
            self.bytes += opened.taken.load(Ordering::Relaxed).min(size);
        } else {
            // A line longer than the sample is most likely the only one.
            self.bytes += size;
            self.documents += 1;
            self.text += size;
            return;
        }
        self.count(parser, number, &lines, &start);
    }

    fn count(
        &mut self,
        parser: &DocumentParser<'_>,
        source: usize,
        content: &LineSource,
        lines: &[u8],
    ) {
        let mut batch = Batch::default();
        let (kind, encoding) = (content.kind, content.encoding);
        for (line, text) in (1..).zip(lines.split(|byte| *byte == b'\n')) {
            if !text.trim_ascii().is_empty() {
                let spot = Spot { source, line };
                parser.add_line(
                    &mut batch,
                    &LineContext { spot, kind, encoding, prefix: b"" },
                    text,
                );
            }
        }
        self.documents += batch.documents.len() as u64;
        self.text += batch.documents.iter().map(|document| document.text.len() as u64).sum::<u64>();
    }

    #[cfg(feature = "parquet")]
    fn examine_columns(&mut self, inputs: &Inputs, source: &InputSource, size: u64) {
        let Ok(rows) = super::parquet::ParquetReader::open(inputs, source) else { return };
        self.bytes += size;
        self.documents += rows.rows();
        self.text += rows.text_bytes();
    }

    #[cfg(not(feature = "parquet"))]
    fn examine_columns(&mut self, _: &Inputs, _: &InputSource, size: u64) {
        self.bytes += size;
        self.whole_files += 1;
    }
}
