//! Batches of documents, made of lines, files or rows.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read, Write};
use std::ops::Range;

use encoding_rs::Encoding;

use super::decode::{DecodedText, TextEncoding, without_mark};
use super::extract::{DocumentFormat, Heading, WholeText};
use super::inputs::{InputFormat, Inputs, MarkupMode, ReadPolicy};
use super::lines::LineChunk;
use super::record::{Record, RecordFields, SortKey};
use super::records::{is_extract, rejection};
use super::skip::SkippedInput;
use super::sniff::{LineFormat, sniff};
use super::source::{InputSource, SourceKind};
use super::stream::BUFFER;
use crate::error::fallibly;
use crate::files::decompress::{self, Compression};
use crate::files::extension;
use crate::files::input::Reader;
use crate::files::limits::InputFault;
use crate::files::name::{self, id_of_bytes};
use crate::text::markup;

/// A document as it was read.
#[derive(Debug, Clone)]
pub struct InputDocument<'a> {
    /// The id.
    pub id: Cow<'a, str>,
    /// The id as bytes, if these are not UTF-8.
    raw_id: Option<Vec<u8>>,
    /// The text.
    pub text: Cow<'a, str>,
    /// The headings of HTML whose markup was stripped, or of an office document (DOCX, ODT, EPUB, RTF), in the order of the text; none for other
    /// formats.
    pub headings: Vec<Heading>,
    /// The value to sort by, if it was requested and exists.
    pub sort_key: Option<SortKey>,
    /// Where it comes from.
    pub origin: DocumentOrigin,
}

/// Where a document comes from, and who named it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DocumentOrigin {
    /// The number of its file among [`InputFiles`](super::InputFiles).
    pub source: usize,
    /// The record's line or row, counted from 1; 0 if the file is the document.
    pub line: u64,
    /// Bytes of the decompressed file before the record, without a byte order mark; known of JSON Lines and lines of text.
    pub position: Option<u64>,
    /// Whether the record has an id of its own.
    pub is_named: bool,
    /// Whether the id is the URL of a Wikipedia extract or web page.
    pub is_url: bool,
}

impl InputDocument<'_> {
    /// Returns the id as files of the pipeline write it. Different ids have different names.
    pub fn encoded_name(&self) -> String {
        name::encode(self.raw_id.as_deref().unwrap_or(self.id.as_bytes()))
    }
}

/// Documents, and the unreadable records and files between them.
#[derive(Default)]
pub(super) struct Batch<'a> {
    pub documents: Vec<InputDocument<'a>>,
    /// The documents' lines as stored; empty for files.
    pub lines: Vec<&'a [u8]>,
    pub facts: BatchFacts,
}

/// Facts of a batch that are kept after the work on it.
#[derive(Default)]
pub(super) struct BatchFacts {
    /// Where the documents are.
    pub spots: Vec<Spot>,
    /// The content of sources with lines.
    pub kinds: Vec<(usize, SourceKind)>,
    /// With [`ReadPolicy::Strict`] at most one, after all documents.
    pub skips: Vec<SkippedInput>,
    /// Documents whose encoding was guessed, by their number in the batch.
    pub guesses: Vec<(usize, &'static Encoding)>,
}

/// The result of the work on a batch, if there are documents, and the facts of the batch.
pub(super) type BatchResult<T> = (Option<T>, BatchFacts);

impl<'a> Batch<'a> {
    /// Returns whether there are neither documents nor unreadable input.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty() && self.facts.skips.is_empty()
    }

    /// Adds a document.
    pub fn push(
        &mut self,
        document: InputDocument<'a>,
        spot: Spot,
        guess: Option<&'static Encoding>,
    ) {
        self.facts.guesses.extend(guess.map(|encoding| (self.documents.len(), encoding)));
        self.documents.push(document);
        self.facts.spots.push(spot);
    }

    /// Appends the documents of another batch, which may borrow from elsewhere.
    fn append_owned(&mut self, other: Batch<'_>) {
        let first = self.documents.len();
        let owned = |document: InputDocument<'_>| InputDocument {
            id: Cow::Owned(document.id.into_owned()),
            text: Cow::Owned(document.text.into_owned()),
            ..document
        };
        self.documents.extend(other.documents.into_iter().map(owned));
        let BatchFacts { spots, kinds, skips, guesses } = other.facts;
        self.facts.spots.extend(spots);
        self.facts.kinds.extend(kinds);
        self.facts.skips.extend(skips);
        self.facts.guesses.extend(guesses.into_iter().map(|(at, guess)| (first + at, guess)));
    }

    /// Does the work.
    pub fn finish<T>(self, work: impl Fn(&Batch<'_>) -> T) -> BatchResult<T> {
        let result = (!self.documents.is_empty()).then(|| work(&self));
        (result, self.facts)
    }
}

/// Where a document is: the source's number, and the line counted from 1, or 0 for a whole file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spot {
    pub source: usize,
    pub line: u64,
}

/// Makes documents of what is read.
pub(super) struct DocumentParser<'a> {
    inputs: &'a Inputs,
    sources: &'a [InputSource],
    fields: RecordFields<'a>,
}

impl<'a> DocumentParser<'a> {
    pub fn new(inputs: &'a Inputs, sources: &'a [InputSource]) -> Self {
        DocumentParser { inputs, sources, fields: RecordFields::of(inputs) }
    }

    /// Adds the documents of some lines, and the reasons why others are none.
    pub fn add_lines<'b>(
        &self,
        batch: &mut Batch<'b>,
        source: usize,
        format: LineFormat,
        chunk: &LineChunk<'b>,
    ) {
        let prefix = self.prefix(source, format.kind);
        batch.facts.kinds.push((source, format.kind));
        let has_positions = matches!(format.kind, SourceKind::Json | SourceKind::Lines);
        for (number, position, line) in chunk.lines() {
            if self.has_failed(batch) {
                return;
            }
            let spot = Spot { source, line: number };
            match self.parse_line(format, line) {
                // A byte order mark belongs to no text: without it, the line is blank.
                Ok((record, _)) if is_mark(&record, format, chunk) => (),
                Ok((record, guess)) => {
                    let mut document = self.document(spot, format.kind, &prefix, record);
                    document.origin.position = has_positions.then_some(position);
                    batch.push(document, spot, guess);
                    batch.lines.push(line);
                }
                Err(why) => batch.facts.skips.push(self.bad_record(spot, why)),
            }
        }
    }

    /// Returns whether reading ends with this batch.
    pub fn has_failed(&self, batch: &Batch<'_>) -> bool {
        self.inputs.policy == ReadPolicy::Strict && !batch.facts.skips.is_empty()
    }

    /// Returns what precedes the line number in ids.
    pub fn prefix(&self, source: usize, kind: SourceKind) -> Vec<u8> {
        let source = &self.sources[source];
        let is_only = self.inputs.only_path().is_some_and(|path| *path == *source.path);
        if self.inputs.names_by_line || (kind == SourceKind::Lines && is_only) {
            return Vec::new();
        }
        [source.raw_name(), b":"].concat()
    }

    pub fn parse_line<'b>(
        &self,
        format: LineFormat,
        line: &'b [u8],
    ) -> Result<(Record<'b>, Option<&'static Encoding>), String> {
        if format.kind == SourceKind::Lines {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let DecodedText { text, guess } = format.encoding.decode_line(line)?;
            return Ok((Record { text, ..Record::default() }, guess));
        }
        self.parse_record(format, line).map_err(|why| match format.kind {
            SourceKind::Json | SourceKind::Array => why,
            _ => rejection(line).unwrap_or(why),
        })
    }

    /// Parses a line with a JSON object.
    fn parse_record<'b>(
        &self,
        format: LineFormat,
        line: &'b [u8],
    ) -> Result<(Record<'b>, Option<&'static Encoding>), String> {
        if format.encoding == TextEncoding::Bytes {
            return Ok((self.fields.parse_bytes(line)?, None));
        }
        let DecodedText { text, guess } = format.encoding.decode_line(line)?;
        if format.kind == SourceKind::Array && text.trim_ascii_start().starts_with('"') {
            // An array may hold the texts themselves.
            let text = serde_json::from_str::<String>(&text).map_err(|e| e.to_string())?;
            return Ok((Record { text: text.into(), ..Record::default() }, guess));
        }
        let mut record = self.fields.parse(text)?;
        if let (SourceKind::Csv(_), Some(SortKey::Text(key))) = (format.kind, &record.sort_key) {
            // All fields of a table are texts.
            record.sort_key = Some(SortKey::of_text(key));
        }
        Ok((record, guess))
    }

    /// Returns the document of a record. Without an id it is named by its place.
    pub fn document<'b>(
        &self,
        spot: Spot,
        kind: SourceKind,
        prefix: &[u8],
        record: Record<'b>,
    ) -> InputDocument<'b> {
        let Record { text, id, sort_key } = record;
        let text = without_mark(text);
        let is_stripped = match (kind, self.inputs.args.markup) {
            // A web archive says of each record whether it is a page.
            (SourceKind::Warc, _) | (_, MarkupMode::Keep) => false,
            (kind, MarkupMode::Auto) => kind == SourceKind::Wiki,
            (_, MarkupMode::Strip) => true,
        };
        let (text, headings) = if is_stripped { stripped(&text) } else { (text, Vec::new()) };
        let is_url = id.is_some() && matches!(kind, SourceKind::Wiki | SourceKind::Warc);
        let Spot { source, line } = spot;
        let is_named = id.is_some();
        let origin = DocumentOrigin { source, line, position: None, is_named, is_url };
        let (id, raw_id) = match id {
            Some(id) => (id, None),
            None => {
                let mut raw = prefix.to_vec();
                write!(raw, "{}", spot.line).expect("a vector takes all bytes");
                id_of(raw)
            }
        };
        InputDocument { id, raw_id, text, headings, sort_key, origin }
    }

    /// Adds the documents of whole files.
    pub fn add_files(&self, batch: &mut Batch<'_>, sources: Range<usize>) {
        for number in sources {
            let source = &self.sources[number];
            if let Err(why) = self.add_file(batch, number) {
                batch.facts.skips.push(SkippedInput {
                    list: source.list_place(self.inputs),
                    ..SkippedInput::file(&source.path, why)
                });
            }
            if self.has_failed(batch) {
                return;
            }
        }
    }

    /// Adds the document of a whole file, or its documents if it holds Wikipedia extracts.
    fn add_file(&self, batch: &mut Batch<'_>, number: usize) -> Result<(), String> {
        let source = &self.sources[number];
        let content = self.content(source)?;
        if self.is_extract(source, &content) {
            return self.add_extracts(batch, number, content);
        }
        let WholeText { text, guess, headings } = self.text(source, content)?;
        let (id, raw_id) = id_of(source.raw_name().to_vec());
        let origin = DocumentOrigin {
            source: number,
            line: 0,
            position: None,
            is_named: false,
            is_url: false,
        };
        let document = InputDocument { id, raw_id, text, headings, sort_key: None, origin };
        batch.facts.kinds.push((number, SourceKind::Whole));
        batch.push(document, Spot { source: number, line: 0 }, guess);
        Ok(())
    }

    /// Returns whether a file holds Wikipedia extracts, which have no extension of their own.
    fn is_extract(&self, source: &InputSource, content: &[u8]) -> bool {
        let is_guess = matches!(self.inputs.args.format, InputFormat::Auto | InputFormat::List);
        is_guess && source.kind == SourceKind::Whole && is_extract(content)
    }

    fn add_extracts(
        &self,
        batch: &mut Batch<'_>,
        number: usize,
        content: Vec<u8>,
    ) -> Result<(), String> {
        let source = &self.sources[number];
        let wiki = source.of_kind(SourceKind::Wiki);
        let (format, mut reader) = sniff(&wiki, self.inputs, Box::new(io::Cursor::new(content)))?;
        let mut lines = Vec::new();
        reader.read_to_end(&mut lines).map_err(|error| unreadable_file(&error))?;
        let chunk = LineChunk::of_start(&lines);
        let mut extracts = Batch::default();
        self.add_lines(&mut extracts, number, format, &chunk);
        batch.append_owned(extracts);
        Ok(())
    }

    /// Returns the text of a whole file.
    pub fn whole(&self, source: &InputSource) -> Result<WholeText, String> {
        self.text(source, self.content(source)?)
    }

    /// Returns the text of a file with this content.
    fn text(&self, source: &InputSource, content: Vec<u8>) -> Result<WholeText, String> {
        let extension = extension(&source.path);
        let is_page = content.trim_ascii_start().starts_with(b"<") || extension.contains("htm");
        let args = &self.inputs.args;
        if let Some(format) = DocumentFormat::of(&content, &extension, args.encoding)? {
            return format.extract(&content, args).map(WholeText::from);
        }
        let DecodedText { text, guess } = args.encoding.decode_file(content, is_page)?;
        let text = without_mark(text);
        let is_stripped = match args.markup {
            MarkupMode::Keep => false,
            MarkupMode::Strip => true,
            MarkupMode::Auto => {
                args.encoding != TextEncoding::Bytes && markup::is_html(&extension, &text)
            }
        };
        let (text, headings) = if is_stripped { stripped(&text) } else { (text, Vec::new()) };
        Ok(WholeText { text, guess, headings })
    }

    /// Returns the bytes of a whole file, of which no more are read than a record may have: sizes that a system states are no promise.
    fn content(&self, source: &InputSource) -> Result<Vec<u8>, String> {
        let args = &self.inputs.args;
        if source.is_stream || source.member.is_some() {
            let opened = self.inputs.streams.open(source, args);
            let opened = opened.map_err(|error| SkippedInput::failed(&source.path, error).why)?;
            return self.decompressed(opened.reader);
        }
        let mut file = File::open(&source.path).map_err(|e| format!("cannot open: {e}"))?;
        let (mut content, max) = (Vec::new(), args.max_record.0);
        let size = file.metadata().map_or(0, |about| about.len()).min(max);
        let mut start = Read::take(&mut file, max.saturating_add(1));
        let read = fallibly(|| {
            content.try_reserve_exact(size as usize + 1)?;
            start.read_to_end(&mut content)
        });
        read.map_err(|e| format!("cannot read: {e}"))?;
        if Compression::detect(&content) != Compression::Plain {
            let stored: Reader = Box::new(io::Cursor::new(content).chain(file));
            let opened = decompress::decompressed(stored, BUFFER, Some(args.max_ratio));
            return self.decompressed(opened.map_err(|e| format!("cannot read: {e}"))?);
        }
        self.check_length(content)
    }

    /// Reads a decompressed file.
    fn decompressed(&self, reader: Reader) -> Result<Vec<u8>, String> {
        let (mut content, max) = (Vec::new(), self.inputs.args.max_record.0);
        let read = reader.take(max.saturating_add(1)).read_to_end(&mut content);
        read.map_err(|error| unreadable_file(&error))?;
        self.check_length(content)
    }

    fn check_length(&self, content: Vec<u8>) -> Result<Vec<u8>, String> {
        let is_too_long = content.len() as u64 > self.inputs.args.max_record.0;
        if is_too_long { Err(self.inputs.args.too_long()) } else { Ok(content) }
    }

    /// Returns a malformed record as a skip.
    pub fn bad_record(&self, spot: Spot, why: String) -> SkippedInput {
        SkippedInput::record(&self.sources[spot.source].path, spot.line, why)
    }
}

/// Returns the text of a page, and its headings.
fn stripped(page: &str) -> (Cow<'static, str>, Vec<Heading>) {
    let (text, headings) = markup::strip_with_headings(page);
    let heading = |(range, level)| Heading { range, level };
    (Cow::Owned(text), headings.into_iter().map(heading).collect())
}

/// Returns whether a line that is no document if it is blank has nothing but byte order marks.
fn is_mark(record: &Record<'_>, format: LineFormat, chunk: &LineChunk<'_>) -> bool {
    let may_be_blank = chunk.keeps_blank || format.kind != SourceKind::Lines;
    !may_be_blank && without_mark(Cow::Borrowed(&record.text)).trim_ascii().is_empty()
}

/// Describes a file that cannot be read to its end.
fn unreadable_file(error: &io::Error) -> String {
    match InputFault::of(error) {
        Some(fault) => fault.to_string(),
        None => format!("cannot read: {error} (damaged or truncated file?)"),
    }
}

/// Returns the id of a raw name, and the name again if it is not UTF-8. Its other bytes become `%XX`, so that different names stay different.
fn id_of(raw: Vec<u8>) -> (Cow<'static, str>, Option<Vec<u8>>) {
    match String::from_utf8(raw) {
        Ok(id) => (Cow::Owned(id), None),
        Err(error) => (Cow::Owned(id_of_bytes(error.as_bytes())), Some(error.into_bytes())),
    }
}
