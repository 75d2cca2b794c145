//! Batches of documents, made of lines, files or rows.

use std::borrow::Cow;
use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::PathBuf;

use encoding_rs::Encoding;

use super::decode::{self, DecodedText, TextEncoding, without_mark};
use super::inputs::{Inputs, MarkupMode, ReadPolicy};
use super::lines::LineChunk;
use super::record::{Record, RecordFields, SortKey};
use super::skip::SkippedInput;
use super::source::{InputSource, SourceKind, extension};
use crate::files::name;
use crate::text::markup;

/// A document as it was read.
#[derive(Debug, Clone)]
pub struct InputDocument<'a> {
    /// The id.
    pub id: Cow<'a, str>,
    /// The id as bytes, if these are not UTF-8.
    pub(super) raw_id: Option<Vec<u8>>,
    /// The text.
    pub text: Cow<'a, str>,
    /// The value to sort by, if it was requested and exists.
    pub sort_key: Option<SortKey>,
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
    /// Where the documents are.
    pub spots: Vec<Spot>,
    /// With [`ReadPolicy::Strict`] at most one, after all documents.
    pub skips: Vec<SkippedInput>,
    /// Documents whose encoding was guessed, by their number in the batch.
    pub guesses: Vec<(usize, &'static Encoding)>,
    /// Decompressed bytes that were read.
    pub bytes: u64,
}

/// Where a document is: the source's number, and the line counted from 1, or 0 for a whole file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spot {
    pub source: usize,
    pub line: u64,
}

/// Some lines of a source.
pub(super) struct SourceLines<'a> {
    pub source: usize,
    pub kind: SourceKind,
    pub encoding: TextEncoding,
    pub chunk: LineChunk<'a>,
}

/// A line to parse.
pub(super) struct LineContext<'p> {
    pub spot: Spot,
    pub kind: SourceKind,
    pub encoding: TextEncoding,
    /// What precedes the line number in an id.
    pub prefix: &'p [u8],
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

    /// Returns the documents of some lines.
    pub fn records<'b>(&self, parts: &[SourceLines<'b>]) -> Batch<'b> {
        let mut batch = Batch::default();
        for SourceLines { source, kind, encoding, chunk } in parts {
            let prefix = self.prefix(*source, *kind);
            batch.bytes += chunk.bytes() as u64;
            for (number, line) in chunk.lines() {
                let spot = Spot { source: *source, line: number };
                let context =
                    LineContext { spot, kind: *kind, encoding: *encoding, prefix: &prefix };
                self.add_line(&mut batch, &context, line);
                if self.has_failed(&batch) {
                    return batch;
                }
            }
        }
        batch
    }

    /// Returns whether reading ends with this batch.
    pub fn has_failed(&self, batch: &Batch<'_>) -> bool {
        self.inputs.policy == ReadPolicy::Strict && !batch.skips.is_empty()
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

    /// Adds the document of a line, or the reason why there is none.
    pub fn add_line<'b>(&self, batch: &mut Batch<'b>, context: &LineContext<'_>, line: &'b [u8]) {
        match self.parse_line(context, line) {
            Ok((document, guess)) => {
                batch.guesses.extend(guess.map(|encoding| (batch.documents.len(), encoding)));
                batch.documents.push(document);
                batch.lines.push(line);
                batch.spots.push(context.spot);
            }
            Err(why) => batch.skips.push(self.bad_record(context.spot, why)),
        }
    }

    fn parse_line<'b>(
        &self,
        context: &LineContext<'_>,
        line: &'b [u8],
    ) -> Result<(InputDocument<'b>, Option<&'static Encoding>), String> {
        if context.kind != SourceKind::Json {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let DecodedText { text, guess } = context.encoding.decode_line(line)?;
            let record = Record { text, ..Record::default() };
            return Ok((self.document(context.spot, context.prefix, record), guess));
        }
        if context.encoding == TextEncoding::Bytes {
            let record = self.fields.parse_bytes(line)?;
            return Ok((self.document(context.spot, context.prefix, record), None));
        }
        let DecodedText { text, guess } = context.encoding.decode_line(line)?;
        let record = self.fields.parse(text)?;
        Ok((self.document(context.spot, context.prefix, record), guess))
    }

    /// Returns the document of a record. Without an id it is named by its place.
    pub fn document<'b>(&self, spot: Spot, prefix: &[u8], record: Record<'b>) -> InputDocument<'b> {
        let Record { text, id, sort_key } = record;
        let text = without_mark(text);
        let text = match self.inputs.args.markup {
            MarkupMode::Strip => Cow::Owned(markup::strip(&text)),
            _ => text,
        };
        let (id, raw_id) = match id {
            Some(id) => (id, None),
            None => self.place_id(spot, prefix),
        };
        InputDocument { id, raw_id, text, sort_key }
    }

    fn place_id(&self, spot: Spot, prefix: &[u8]) -> (Cow<'static, str>, Option<Vec<u8>>) {
        match std::str::from_utf8(prefix) {
            Ok(prefix) => (Cow::Owned(format!("{prefix}{}", spot.line)), None),
            Err(_) => {
                let id = format!("{}:{}", self.sources[spot.source].name(), spot.line);
                let raw = [prefix, spot.line.to_string().as_bytes()].concat();
                (Cow::Owned(id), Some(raw))
            }
        }
    }

    /// Returns the documents of whole files.
    pub fn files(&self, sources: Range<usize>) -> Batch<'a> {
        let mut batch = Batch::default();
        for number in sources {
            match self.whole(number, &mut batch.bytes) {
                Ok(DecodedText { text, guess }) => {
                    batch.guesses.extend(guess.map(|encoding| (batch.documents.len(), encoding)));
                    let source = &self.sources[number];
                    let id = source.name();
                    let raw_id = matches!(id, Cow::Owned(_)).then(|| source.raw_name().to_vec());
                    batch.documents.push(InputDocument { id, raw_id, text, sort_key: None });
                    batch.spots.push(Spot { source: number, line: 0 });
                }
                Err(why) => batch.skips.push(self.bad_file(number, why)),
            }
            if self.has_failed(&batch) {
                break;
            }
        }
        batch
    }

    /// Returns the text of a whole file. Adds the bytes read.
    pub fn whole(&self, source: usize, bytes: &mut u64) -> Result<DecodedText<'static>, String> {
        let source = &self.sources[source];
        let content = self.content(source)?;
        *bytes += content.len() as u64;
        let extension = extension(&source.path);
        let is_page = content.trim_ascii_start().starts_with(b"<") || extension.contains("htm");
        let args = &self.inputs.args;
        let DecodedText { text, guess } = args.encoding.decode_file(content, is_page)?;
        let text = without_mark(text);
        let is_stripped = match args.markup {
            MarkupMode::Keep => false,
            MarkupMode::Strip => true,
            MarkupMode::Auto => {
                args.encoding != TextEncoding::Bytes && markup::is_html(&extension, &text)
            }
        };
        let text = if is_stripped { Cow::Owned(markup::strip(&text)) } else { text };
        Ok(DecodedText { text, guess })
    }

    fn content(&self, source: &InputSource) -> Result<Vec<u8>, String> {
        let mut content = Vec::new();
        let damaged = |e| format!("cannot read: {}", crate::files::input::damaged(e));
        if source.is_stream {
            let opened = self.inputs.streams.open(source);
            let mut reader =
                opened.map_err(|error| SkippedInput::failed(&source.path, error).why)?.reader;
            reader.read_to_end(&mut content).map_err(damaged)?;
            return Ok(content);
        }
        let mut file = File::open(&source.path).map_err(|e| format!("cannot open: {e}"))?;
        file.read_to_end(&mut content).map_err(|e| format!("cannot read: {e}"))?;
        decode::uncompressed(content).map_err(damaged)
    }

    /// Returns an unreadable file as a skip.
    pub fn bad_file(&self, source: usize, why: String) -> SkippedInput {
        let source = &self.sources[source];
        SkippedInput::file(&source.path, why).listed(list_place(self.inputs, source))
    }

    /// Returns a malformed record as a skip.
    pub fn bad_record(&self, spot: Spot, why: String) -> SkippedInput {
        SkippedInput::record(&self.sources[spot.source].path, spot.line, why)
    }
}

/// Returns the list that names a source, and its line there.
pub(super) fn list_place(inputs: &Inputs, source: &InputSource) -> Option<(PathBuf, u64)> {
    let list = inputs.paths().nth(usize::from(source.input))?;
    (source.list_line > 0).then(|| (list.to_path_buf(), u64::from(source.list_line)))
}
