//! How much there is to read, without reading it all.

use std::io::Read;
use std::sync::atomic::Ordering;

use super::batch::{Batch, Maker, Spot};
use super::feed::look;
use super::find;
use super::source::{Kind, Source};
use super::{Inputs, Streams};
use crate::error::{Error, Result};

/// So many bytes of a file with records are looked at.
const LOOKED_AT: u64 = 4 << 20;
/// So many files with records are looked at, and so many files of their own.
const RECORD_FILES: usize = 8;
const WHOLE_FILES: usize = 64;
/// Larger files of their own are judged by others.
const LARGEST: u64 = 4 << 20;

/// How much there is to read. Numbers of documents and their lengths are estimates unless all was seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Survey {
    /// Files.
    pub files: u64,
    /// Their bytes as they are stored.
    pub bytes: u64,
    /// Documents.
    pub documents: u64,
    /// Bytes of a document's text.
    pub mean_text_bytes: f64,
    /// Whether all was seen.
    pub exact: bool,
}

/// Counts files, looks into some of them and concludes on the others. Standard input and pipes must be readable again.
pub fn survey(inputs: &Inputs) -> Result<Survey> {
    let sources = find::sources(inputs)?.sources;
    let maker = Maker::new(inputs, &sources);
    let mut bytes = 0;
    let (mut record_files, mut whole_files) = (Files::default(), Files::default());
    for (number, source) in sources.iter().enumerate() {
        let size = size(&inputs.streams, source)?;
        bytes += size;
        let files = if source.kind == Kind::Whole { &mut whole_files } else { &mut record_files };
        files.0.push((number, size));
    }
    let (mut records, mut files) = (Sample::default(), Sample::default());
    for (number, size) in record_files.spread(RECORD_FILES) {
        records.look_at_records(inputs, &maker, &sources[number], number, size);
    }
    for (number, size) in whole_files.spread(WHOLE_FILES).filter(|(_, size)| *size <= LARGEST) {
        files.look_at_file(&maker, number, size);
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

fn size(streams: &Streams, source: &Source) -> Result<u64> {
    if source.is_stream && !streams.can_repeat() {
        let path = source.path.display();
        return Err(Error::Usage(format!("{path}: cannot be looked at before it is read")));
    }
    Ok(streams.size(source).unwrap_or(0))
}

/// Files by their numbers, with their sizes as they are stored.
#[derive(Default)]
struct Files(Vec<(usize, u64)>);

impl Files {
    /// At most so many of them, from all over.
    fn spread(&self, most: usize) -> impl Iterator<Item = (usize, u64)> {
        let count = self.0.len().min(most);
        (0..count).map(move |at| self.0[at * self.0.len() / count])
    }

    /// Their sizes together.
    fn stored(&self) -> u64 {
        self.0.iter().map(|(_, size)| size).sum()
    }
}

/// What was seen.
#[derive(Default)]
struct Sample {
    /// Files that were seen whole.
    whole_files: usize,
    /// Stored bytes that were looked at, the documents in them, and the bytes of their texts.
    bytes: u64,
    documents: u64,
    text: u64,
}

impl Sample {
    /// The documents and text of files with records, if they are like the sample.
    fn of_records(&self, files: &Files) -> (f64, f64) {
        let factor = files.stored() as f64 / self.bytes.max(1) as f64;
        (self.documents as f64 * factor, self.text as f64 * factor)
    }

    /// The documents and text of files of their own. Without a sample each is a document and all of it text.
    fn of_files(&self, files: &Files) -> (f64, f64) {
        let share =
            |part: u64, whole: u64| if whole > 0 { part as f64 / whole as f64 } else { 1.0 };
        let documents = files.0.len() as f64 * share(self.documents, self.whole_files as u64);
        (documents, files.stored() as f64 * share(self.text, self.bytes))
    }

    fn has_seen(&self, files: &Files) -> bool {
        self.whole_files == files.0.len()
    }

    fn look_at_file(&mut self, maker: &Maker<'_>, number: usize, size: u64) {
        self.whole_files += 1;
        self.bytes += size;
        if let Ok(text) = maker.whole(number, &mut 0) {
            self.documents += 1;
            self.text += text.text.len() as u64;
        }
    }

    /// Looks at the beginning of a file with records. What cannot be read has none.
    fn look_at_records(
        &mut self,
        inputs: &Inputs,
        maker: &Maker<'_>,
        source: &Source,
        number: usize,
        size: u64,
    ) {
        if source.kind == Kind::Parquet {
            return self.look_at_columns(inputs, source, size);
        }
        let Ok(opened) = inputs.streams.open_to_look(source) else { return };
        let Ok((kind, reader)) = look(source, opened.reader) else { return };
        let mut start = Vec::new();
        let is_damaged = reader.take(LOOKED_AT).read_to_end(&mut start).is_err();
        if !is_damaged && (start.len() as u64) < LOOKED_AT {
            self.whole_files += 1;
            self.bytes += size;
        } else if let Some(end) = memchr::memrchr(b'\n', &start) {
            // The last line may go on.
            start.truncate(end);
            self.bytes += opened.taken.load(Ordering::Relaxed).min(size);
        } else {
            // A line that is longer than all this is most likely the only one.
            self.bytes += size;
            self.documents += 1;
            self.text += size;
            return;
        }
        self.count(maker, number, kind, &start);
    }

    fn count(&mut self, maker: &Maker<'_>, source: usize, kind: Kind, lines: &[u8]) {
        let mut batch = Batch::default();
        let lines = lines.strip_prefix("\u{feff}".as_bytes()).unwrap_or(lines);
        for (line, text) in (1..).zip(lines.split(|byte| *byte == b'\n')) {
            if !text.trim_ascii().is_empty() {
                maker.add_line(&mut batch, Spot { source, line }, kind, "", text);
            }
        }
        self.documents += batch.documents.len() as u64;
        self.text += batch.documents.iter().map(|document| document.text.len() as u64).sum::<u64>();
    }

    #[cfg(feature = "parquet")]
    fn look_at_columns(&mut self, inputs: &Inputs, source: &Source, size: u64) {
        let Ok(columns) = super::parquet::Columns::open(inputs, source) else { return };
        self.bytes += size;
        self.documents += columns.rows();
        self.text += columns.text_bytes();
    }

    #[cfg(not(feature = "parquet"))]
    fn look_at_columns(&mut self, _: &Inputs, _: &Source, size: u64) {
        self.bytes += size;
        self.whole_files += 1;
    }
}
