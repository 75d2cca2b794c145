//! Some documents that are worked on together.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use super::decode;
use super::skip::Skip;
use super::source::{Kind, Source, ending};
use super::{Document, Inputs, Shape};
use crate::corpus::lines::Chunk;
use crate::corpus::record::{Fields, Wrong};
use crate::text::markup;

/// Documents, and what else became of the records and files they were looked for in.
#[derive(Default)]
pub(super) struct Batch<'a> {
    pub documents: Vec<Document<'a>>,
    /// The documents' lines as they stand in their files; of files of their own nothing.
    pub lines: Vec<&'a [u8]>,
    /// Where the documents stand.
    pub spots: Vec<Spot>,
    pub skips: Vec<Skip>,
    /// Documents whose encoding had to be guessed.
    pub guessed: u64,
    /// The bytes that were looked at, decompressed.
    pub bytes: u64,
}

/// Where a document stands: the source's number, and the line counted from 1, or 0 for a file of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spot {
    pub source: usize,
    pub line: u64,
}

/// Some lines of a source.
pub(super) struct Part<'a> {
    pub source: usize,
    pub kind: Kind,
    pub chunk: Chunk<'a>,
}

/// How documents are made of what is read.
pub(super) struct Maker<'a> {
    inputs: &'a Inputs,
    sources: &'a [Source],
    fields: Fields<'a>,
}

impl<'a> Maker<'a> {
    pub fn new(inputs: &'a Inputs, sources: &'a [Source]) -> Self {
        let fields = Fields {
            text: &inputs.text_field,
            id: inputs.id_field.as_deref(),
            id_may_miss: matches!(inputs.shape, Shape::Auto | Shape::List),
            rank: inputs.rank_field.as_deref(),
        };
        Maker { inputs, sources, fields }
    }

    /// The documents of some lines.
    pub fn records<'b>(&self, parts: &[Part<'b>]) -> Batch<'b> {
        let mut batch = Batch::default();
        for Part { source, kind, chunk } in parts {
            let name = self.prefix(*source, *kind);
            batch.bytes += chunk.bytes() as u64;
            for (number, line) in chunk.lines() {
                self.add_line(
                    &mut batch,
                    Spot { source: *source, line: number },
                    *kind,
                    &name,
                    line,
                );
            }
        }
        batch
    }

    /// What stands before the line's number in ids.
    pub fn prefix(&self, source: usize, kind: Kind) -> String {
        let source = &self.sources[source];
        let is_alone = self.inputs.paths.len() == 1 && *source.path == *self.inputs.paths[0];
        if kind == Kind::Lines && is_alone { String::new() } else { format!("{}:", source.name()) }
    }

    /// Where a source is.
    #[cfg(feature = "parquet")]
    pub fn path(&self, source: usize) -> &Path {
        &self.sources[source].path
    }

    /// Adds the document of a line, or that there is none.
    pub fn add_line<'b>(
        &self,
        batch: &mut Batch<'b>,
        spot: Spot,
        kind: Kind,
        prefix: &str,
        line: &'b [u8],
    ) {
        let decode::Text { text, was_guessed } = decode::line(line);
        let document = match kind {
            Kind::Json => self.object(text, prefix, spot.line),
            _ => {
                let id = Cow::Owned(format!("{prefix}{}", spot.line));
                Ok(Document { id, text: without_return(text), rank: None })
            }
        };
        match document {
            Ok(document) => {
                batch.guessed += u64::from(was_guessed);
                batch.documents.push(document);
                batch.lines.push(line);
                batch.spots.push(spot);
            }
            Err(Wrong { expected, found }) => {
                let why = format!("expected {expected}, found {found}");
                let path = &self.sources[spot.source].path;
                batch.skips.push(Skip::record(path, spot.line, why));
            }
        }
    }

    fn object<'b>(
        &self,
        line: Cow<'b, str>,
        prefix: &str,
        number: u64,
    ) -> Result<Document<'b>, Wrong> {
        let found = self.fields.read(line)?;
        let id = found.id.unwrap_or_else(|| Cow::Owned(format!("{prefix}{number}")));
        Ok(Document { id, text: without_mark(found.text), rank: found.rank })
    }

    /// The documents of some files of their own.
    pub fn files(&self, sources: Range<usize>) -> Batch<'a> {
        let mut batch = Batch::default();
        for source in sources {
            match self.whole(source, &mut batch.bytes) {
                Ok(decode::Text { text, was_guessed }) => {
                    batch.guessed += u64::from(was_guessed);
                    let id = self.sources[source].name();
                    batch.documents.push(Document { id, text, rank: None });
                    batch.spots.push(Spot { source, line: 0 });
                }
                Err(skip) => batch.skips.push(skip),
            }
        }
        batch
    }

    /// The text of a file of its own. Adds the bytes that were looked at.
    pub fn whole(&self, source: usize, bytes: &mut u64) -> Result<decode::Text<'static>, Skip> {
        let source = &self.sources[source];
        let path = &*source.path;
        let content = self.content(source)?;
        *bytes += content.len() as u64;
        let ending = ending(path);
        let may_be_page = content.trim_ascii_start().starts_with(b"<") || ending.contains("htm");
        let mut text = decode::file(content, may_be_page).map_err(|what| no_text(path, what))?;
        if markup::is_html(&ending, &text.text) {
            text.text = Cow::Owned(markup::strip(&text.text));
        }
        Ok(text)
    }

    fn content(&self, source: &Source) -> Result<Vec<u8>, Skip> {
        let path = &*source.path;
        let mut content = Vec::new();
        if source.is_stream {
            let opened = self.inputs.streams.open(source);
            let mut reader = opened.map_err(|error| Skip::failed(path, error))?.reader;
            reader.read_to_end(&mut content).map_err(|e| damaged(path, &e))?;
            return Ok(content);
        }
        content = std::fs::read(path).map_err(|e| Skip::file(path, format!("cannot read: {e}")))?;
        decode::uncompressed(content).map_err(|e| damaged(path, &e))
    }
}

fn damaged(path: &Path, error: &std::io::Error) -> Skip {
    Skip::file(path, format!("cannot read: {error} (damaged or truncated file?)"))
}

/// A file that is something else than text.
pub(super) fn no_text(path: &Path, what: &str) -> Skip {
    Skip::file(path, format!("{what}, not text"))
}

/// A line without the carriage return that belongs to its end.
fn without_return(line: Cow<'_, str>) -> Cow<'_, str> {
    match line {
        Cow::Borrowed(text) => Cow::Borrowed(text.strip_suffix('\r').unwrap_or(text)),
        Cow::Owned(mut text) => {
            text.truncate(text.strip_suffix('\r').unwrap_or(&text).len());
            Cow::Owned(text)
        }
    }
}

/// A text without a byte order mark.
fn without_mark(text: Cow<'_, str>) -> Cow<'_, str> {
    const MARK: char = '\u{feff}';
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.strip_prefix(MARK).unwrap_or(text)),
        Cow::Owned(mut text) => {
            if text.starts_with(MARK) {
                text.remove(0);
            }
            Cow::Owned(text)
        }
    }
}
