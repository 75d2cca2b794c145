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
    let (mut records, mut files) = (Sample::default(), Sample::default());
    let (mut bytes, mut record_files, mut whole_files) = (0, Vec::new(), Vec::new());
    for (number, source) in sources.iter().enumerate() {
        let size = size(&inputs.streams, source)?;
        bytes += size;
        let group = if source.kind == Kind::Whole { &mut whole_files } else { &mut record_files };
        group.push((number, size));
    }
    for (number, size) in spread(&record_files, RECORD_FILES) {
        records.look_at_records(inputs, &maker, &sources[number], number, size);
    }
    for (number, size) in spread(&whole_files, WHOLE_FILES).filter(|(_, size)| *size <= LARGEST) {
        files.look_at_file(&maker, number, size);
    }
    let stored = |files: &[(usize, u64)]| files.iter().map(|(_, size)| size).sum::<u64>();
    let parts = [records.whole(stored(&record_files)), files.whole(stored(&whole_files))];
    let documents = parts[0].0 + parts[1].0;
    let text = parts[0].1 + parts[1].1;
    let exact = records.has_seen(record_files.len()) && files.has_seen(whole_files.len());
    Ok(Survey {
        files: sources.len() as u64,
        bytes,
        documents: documents.round() as u64,
        mean_text_bytes: if documents > 0.0 { text / documents } else { 0.0 },
        exact,
    })
}

fn size(streams: &Streams, source: &Source) -> Result<u64> {
    if source.is_stream && !streams.can_repeat() {
        let path = source.path.display();
        return Err(Error::Usage(format!("{path}: cannot be looked at before it is read")));
    }
    Ok(streams.size(source).unwrap_or(0))
}

/// At most so many of the files, from all over them.
fn spread(files: &[(usize, u64)], most: usize) -> impl Iterator<Item = (usize, u64)> {
    let count = files.len().min(most);
    (0..count).map(move |at| files[at * files.len() / count])
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
    /// The documents and text of so many stored bytes, if they are like the sample.
    fn whole(&self, stored: u64) -> (f64, f64) {
        if self.bytes == 0 {
            return (self.documents as f64, self.text as f64);
        }
        let factor = stored as f64 / self.bytes as f64;
        (self.documents as f64 * factor, self.text as f64 * factor)
    }

    fn has_seen(&self, files: usize) -> bool {
        self.whole_files == files
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
        let Ok(opened) = inputs.streams.open(source) else { return };
        let Ok((kind, reader)) = look(source, opened.reader) else { return };
        let mut start = Vec::new();
        let is_damaged = reader.take(LOOKED_AT).read_to_end(&mut start).is_err();
        let is_whole = (start.len() as u64) < LOOKED_AT && !is_damaged;
        self.whole_files += usize::from(is_whole);
        if !is_whole {
            // The last line may go on. A line that is longer than all this counts as if it ended here.
            let end = memchr::memrchr(b'\n', &start).map_or(start.len(), |end| end + 1);
            start.truncate(end);
        }
        self.bytes += if is_whole { size } else { opened.taken.load(Ordering::Relaxed).min(size) };
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
        let Ok(columns) = super::columns::Columns::open(inputs, source) else { return };
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
