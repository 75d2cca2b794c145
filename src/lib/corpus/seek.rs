//! Single records of a file with one per line, read at their positions.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use super::batch::{DocumentParser, Spot};
use super::inputs::{InputArgs, InputFormat, Inputs};
use super::sniff::{LineFormat, sniff};
use super::source::{InputSource, SourceKind};
use crate::files::decompress::Compression;

/// Bytes by which compression is detected.
const START_BYTES: u64 = 64;

/// A file whose lines are stored as they are read: neither compressed nor converted.
pub(super) struct StoredLines {
    file: BufReader<File>,
    format: LineFormat,
    /// Bytes before the first line.
    start: u64,
    sources: Vec<InputSource>,
    inputs: Inputs,
}

impl StoredLines {
    /// Opens a file. Returns `None` if its lines are not stored as they are read, or it cannot be read.
    pub fn open(path: &Path, args: &InputArgs) -> Option<Self> {
        let inputs = Inputs::new(args.clone());
        let source = InputSource::of_file(path, SourceKind::of(InputFormat::Auto, path));
        let mut file = File::open(path).ok().filter(|_| source.kind != SourceKind::Parquet)?;
        let mut start = Vec::new();
        file.by_ref().take(START_BYTES).read_to_end(&mut start).ok()?;
        if Compression::detect(&start) != Compression::Plain {
            return None;
        }
        let beginning = File::open(path).ok()?;
        let (format, _) = sniff(&source, &inputs, Box::new(beginning)).ok()?;
        let start = format.start?;
        Some(StoredLines {
            file: BufReader::new(file),
            format,
            start,
            sources: vec![source],
            inputs,
        })
    }

    /// Returns the text of the record at a position, or `None` if there is none.
    pub fn text_at(&mut self, position: u64) -> Option<String> {
        self.file.seek(SeekFrom::Start(self.start.checked_add(position)?)).ok()?;
        let mut line = Vec::new();
        let max = self.inputs.args.max_record.0.saturating_add(1);
        self.file.by_ref().take(max).read_until(b'\n', &mut line).ok()?;
        let line = line.strip_suffix(b"\n").unwrap_or(&line);
        if line.len() as u64 > self.inputs.args.max_record.0 {
            return None;
        }
        let parser = DocumentParser::new(&self.inputs, &self.sources);
        let (record, _) = parser.parse_line(self.format, line).ok()?;
        // The place only names the document.
        let spot = Spot { source: 0, line: 0 };
        let document = parser.document(spot, self.format.kind, &[], record);
        Some(document.text.into_owned())
    }
}
