//! The beginning of a source with records: whether it is text, what it holds, and how it is encoded.

use std::borrow::Cow;
use std::io::{self, Cursor, Read};

use encoding_rs::{DecoderResult, Encoding};

use super::decode::{SNIFF_BYTES, TextEncoding, check_magic, guessed, has_zeros, marked};
use super::inputs::{InputFormat, Inputs};
use super::record::{RecordFields, missing_field};
use super::records::{
    ArrayConverter, ConvertingReader, CsvConverter, CsvDialect, ExtractConverter, RecordConverter,
    WarcConverter, is_extract, is_warc,
};
use super::source::{InputSource, SourceKind};
use crate::files::extension;
use crate::files::input::Reader;

/// Bytes examined of a source whose content is not known.
pub(super) const UNSEEN_BYTES: usize = 64 << 10;

/// Content of a source with records, and the encoding of a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineFormat {
    pub kind: SourceKind,
    pub encoding: TextEncoding,
    /// Bytes before the first line, if the lines are those of the decompressed source; `None` if they are converted.
    pub start: Option<u64>,
}

/// Examines the beginning of a source with records: whether it is text, what it holds if that is not known, and its encoding. Returns also its
/// lines from the beginning, without a byte order mark; containers of records as JSON Lines. Encodings that are not ASCII-compatible become
/// UTF-8, and all encodings of containers.
pub(super) fn sniff(
    source: &InputSource,
    inputs: &Inputs,
    mut reader: Reader,
) -> Result<(LineFormat, Reader), String> {
    let (encoding, is_unseen) = (inputs.args.encoding, source.kind == SourceKind::Unseen);
    let wanted = if is_unseen { UNSEEN_BYTES } else { SNIFF_BYTES };
    let mut start = Vec::with_capacity(SNIFF_BYTES);
    let read = reader.by_ref().take(wanted as u64).read_to_end(&mut start);
    let rest: Reader = match read {
        Ok(_) => reader,
        Err(error) => Box::new(FailingReader(Some(error))),
    };
    let wide = transcoding(encoding, &start);
    if encoding == TextEncoding::Auto && wide.is_none() {
        check_magic(&start)?;
    }
    let text = match wide {
        Some(wide) => Cow::Owned(wide.decode_with_bom_removal(&start).0.into_owned().into()),
        None => Cow::Borrowed(start.strip_prefix(UTF8_MARK).unwrap_or(&start)),
    };
    let sample = Sample { text: &text, is_all: start.len() < wanted, source, inputs };
    let kind = if is_unseen { sample.kind()? } else { source.kind };
    // A zero makes a JSON object malformed; others may be well-formed.
    let may_be_binary = encoding == TextEncoding::Auto && kind == SourceKind::Lines;
    if may_be_binary && has_zeros(&text) {
        return Err("binary data, not text".into());
    }
    let is_marked = start.starts_with(UTF8_MARK);
    let skipped = if is_marked && wide.is_none() { UTF8_MARK.len() } else { 0 };
    let narrow = if is_marked { None } else { container_encoding(kind, encoding, &start) };
    let transcoded = wide.or(narrow);
    let encoding = match encoding {
        TextEncoding::Named(_) if transcoded.is_some() || is_marked => TextEncoding::Utf8,
        other => other,
    };
    let whole = Cursor::new(start.split_off(skipped)).chain(rest);
    let reader: Reader = match transcoded {
        Some(encoding) => Box::new(TranscodingReader::new(Box::new(whole), encoding)),
        None => Box::new(whole),
    };
    let is_kept = transcoded.is_none() && matches!(kind, SourceKind::Json | SourceKind::Lines);
    let start = is_kept.then_some(skipped as u64);
    Ok((LineFormat { kind, encoding, start }, lines_of(kind, inputs, reader)))
}

/// Returns the lines of a source: containers of records become JSON Lines.
fn lines_of(kind: SourceKind, inputs: &Inputs, reader: Reader) -> Reader {
    fn converting(reader: Reader, converter: impl RecordConverter + 'static) -> Reader {
        Box::new(ConvertingReader::new(reader, converter))
    }
    match kind {
        SourceKind::Array => converting(reader, ArrayConverter::default()),
        SourceKind::Csv(dialect) => converting(reader, CsvConverter::new(dialect)),
        SourceKind::Wiki => {
            let text_field = &inputs.args.text_field;
            converting(reader, ExtractConverter::new(text_field, inputs.id_field()))
        }
        SourceKind::Warc => converting(reader, WarcConverter::new(&inputs.args)),
        _ => reader,
    }
}

/// The beginning of a source whose content is not known.
struct Sample<'a> {
    text: &'a [u8],
    /// Whether it is the whole source.
    is_all: bool,
    source: &'a InputSource,
    inputs: &'a Inputs,
}

impl Sample<'_> {
    /// Returns what the source holds.
    ///
    /// # Errors
    /// A table without a column of texts, if the user named the file or the format.
    fn kind(&self) -> Result<SourceKind, String> {
        let extension = extension(&self.source.path);
        match (self.inputs.args.format, &*extension) {
            (InputFormat::Csv, _) | (InputFormat::Auto | InputFormat::List, "csv") => {
                self.table(None)
            }
            (InputFormat::Tsv, _) | (InputFormat::Auto | InputFormat::List, "tsv" | "tab") => {
                self.table(Some(b'\t'))
            }
            (InputFormat::Json, _) if self.begins_with(b'[') => Ok(SourceKind::Array),
            (InputFormat::Json, _) => Ok(SourceKind::Json),
            _ if self.source.is_stream => Ok(self.stream()),
            _ => Ok(self.json()),
        }
    }

    /// Returns whether records are expected: a file of another kind in a folder is one document.
    fn is_chosen(&self) -> bool {
        let is_guess = matches!(self.inputs.args.format, InputFormat::Auto | InputFormat::List);
        self.source.is_named || !is_guess
    }

    fn begins_with(&self, byte: u8) -> bool {
        self.text.trim_ascii_start().first() == Some(&byte)
    }

    fn table(&self, delimiter: Option<u8>) -> Result<SourceKind, String> {
        let dialect = CsvDialect::detect(self.text, self.is_all, delimiter);
        let fields = RecordFields::of(self.inputs);
        match dialect.header(self.text) {
            Some(header) if !header.iter().any(|name| name == fields.text) => {
                match self.is_chosen() {
                    true => Err(missing_field(fields.text, "--text_field", &header)),
                    false => Ok(SourceKind::Whole),
                }
            }
            _ => Ok(SourceKind::Csv(dialect)),
        }
    }

    fn stream(&self) -> SourceKind {
        let is_array = self.begins_with(b'[')
            && self.text.trim_ascii_start()[1..].trim_ascii_start().starts_with(b"{");
        match () {
            () if self.begins_with(b'{') => SourceKind::Json,
            () if is_array => SourceKind::Array,
            () if is_warc(self.text) => SourceKind::Warc,
            () if is_extract(self.text) => SourceKind::Wiki,
            () => SourceKind::Lines,
        }
    }

    /// Returns the content of a file whose name ends in `.json`: records, or one document.
    fn json(&self) -> SourceKind {
        let (kind, line, is_whole) = if self.begins_with(b'[') {
            let mut lines = Vec::new();
            // What follows the first element does not matter.
            let _ = ArrayConverter::default().convert(self.text, &mut lines);
            let (line, is_whole) = first_line(&lines);
            (SourceKind::Array, line.to_vec(), is_whole)
        } else {
            let (line, is_whole) = first_line(self.text.trim_ascii_start());
            (SourceKind::Json, line.to_vec(), is_whole || self.is_all)
        };
        let is_text = kind == SourceKind::Array && line.starts_with(b"\"") && self.is_chosen();
        if is_text || self.holds_record(&line, is_whole) { kind } else { SourceKind::Whole }
    }

    /// Returns whether a line is a record, or the beginning of one.
    fn holds_record(&self, line: &[u8], is_whole: bool) -> bool {
        if !is_whole {
            return line.starts_with(b"{") && (self.is_chosen() || self.names_text(line));
        }
        let is_object = serde_json::from_slice::<serde_json::Map<_, _>>(line).is_ok();
        let parsed = RecordFields::of(self.inputs).parse_bytes(line);
        is_object && (self.is_chosen() || parsed.is_ok())
    }

    /// Returns whether the beginning of an object names the field of the text.
    fn names_text(&self, line: &[u8]) -> bool {
        let field = &self.inputs.args.text_field;
        let last = field.rsplit('.').next().unwrap_or(field);
        let has =
            |name: &str| memchr::memmem::find(line, format!("\"{name}\"").as_bytes()).is_some();
        has(field) || has(last)
    }
}

/// Returns the first line, and whether it has an end.
fn first_line(bytes: &[u8]) -> (&[u8], bool) {
    memchr::memchr(b'\n', bytes).map_or((bytes, false), |end| (&bytes[..end], true))
}

/// The byte order mark in UTF-8.
const UTF8_MARK: &[u8] = "\u{feff}".as_bytes();

/// Returns the encoding of a source whose lines cannot be cut before it is decoded.
fn transcoding(encoding: TextEncoding, start: &[u8]) -> Option<&'static Encoding> {
    let encoding = match encoding {
        TextEncoding::Auto => marked(start)?,
        TextEncoding::Named(named) => marked(start).unwrap_or(named),
        TextEncoding::Utf8 | TextEncoding::Bytes => return None,
    };
    (!encoding.is_ascii_compatible()).then_some(encoding)
}

/// Returns the encoding of a container that is not UTF-8: quotation marks and backslashes can be parts of other characters, so that it
/// is decoded before it is parsed.
fn container_encoding(
    kind: SourceKind,
    encoding: TextEncoding,
    start: &[u8],
) -> Option<&'static Encoding> {
    let is_container = matches!(kind, SourceKind::Array | SourceKind::Csv(_) | SourceKind::Wiki);
    match encoding {
        _ if !is_container => None,
        TextEncoding::Named(named) => Some(named),
        TextEncoding::Auto => guessed(start),
        TextEncoding::Utf8 | TextEncoding::Bytes => None,
    }
}

/// Returns an error when read.
struct FailingReader(Option<io::Error>);

impl Read for FailingReader {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// Reads another encoding as UTF-8. Undecodable bytes are an error.
struct TranscodingReader {
    reader: Reader,
    decoder: encoding_rs::Decoder,
    raw: Vec<u8>,
    /// Decoded bytes, of which `taken` are read.
    text: Vec<u8>,
    taken: usize,
    is_at_end: bool,
    failure: Option<io::Error>,
}

impl TranscodingReader {
    fn new(reader: Reader, encoding: &'static Encoding) -> Self {
        let decoder = encoding.new_decoder_with_bom_removal();
        let (raw, text) = (vec![0; SNIFF_BYTES], Vec::new());
        TranscodingReader { reader, decoder, raw, text, taken: 0, is_at_end: false, failure: None }
    }

    fn refill(&mut self) -> io::Result<()> {
        let count = self.reader.read(&mut self.raw)?;
        self.is_at_end = count == 0;
        let needed = self.decoder.max_utf8_buffer_length_without_replacement(count);
        self.text.resize(needed.unwrap_or(usize::MAX), 0);
        self.taken = 0;
        let (raw, decoder) = (&self.raw[..count], &mut self.decoder);
        let (outcome, _, written) =
            decoder.decode_to_utf8_without_replacement(raw, &mut self.text, self.is_at_end);
        self.text.truncate(written);
        if let DecoderResult::Malformed(..) = outcome {
            let why = format!("malformed {}", self.decoder.encoding().name());
            self.failure = Some(io::Error::new(io::ErrorKind::InvalidData, why));
            self.is_at_end = true;
        }
        Ok(())
    }
}

impl Read for TranscodingReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.text.len() && !self.is_at_end {
            self.refill()?;
        }
        let left = &self.text[self.taken..];
        if left.is_empty() {
            return self.failure.take().map_or(Ok(0), Err);
        }
        let count = left.len().min(buffer.len());
        buffer[..count].copy_from_slice(&left[..count]);
        self.taken += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the content, the text before any error, and whether there is one.
    fn read(encoding: TextEncoding, bytes: Vec<u8>) -> Result<(SourceKind, String, bool), String> {
        let mut inputs = Inputs::of_paths(vec!["-".into()]);
        inputs.args.encoding = encoding;
        let source = &crate::corpus::find(&inputs).unwrap().sources[0];
        let (format, mut reader) = sniff(source, &inputs, Box::new(Cursor::new(bytes)))?;
        let mut text = Vec::new();
        let is_damaged = reader.read_to_end(&mut text).is_err();
        Ok((format.kind, String::from_utf8(text).unwrap(), is_damaged))
    }

    fn utf16(text: &str) -> Vec<u8> {
        let units = "\u{feff}".encode_utf16().chain(text.encode_utf16());
        units.flat_map(u16::to_le_bytes).collect()
    }

    #[test]
    fn marks_are_removed_and_content_is_recognized_behind_them() {
        let json = "{\"text\":1}";
        let malformed = [utf16("a\nb"), 0xd800u16.to_le_bytes().to_vec(), utf16("x")].concat();
        let named = TextEncoding::Named(encoding_rs::WINDOWS_1250);
        let wide = TextEncoding::Named(encoding_rs::UTF_16LE);
        for (encoding, bytes, kind, text, is_damaged) in [
            (TextEncoding::Auto, utf16(json), SourceKind::Json, json, false),
            (TextEncoding::Auto, format!("\u{feff}{json}").into(), SourceKind::Json, json, false),
            (TextEncoding::Auto, json.into(), SourceKind::Json, json, false),
            (TextEncoding::Auto, utf16("a\nb"), SourceKind::Lines, "a\nb", false),
            (TextEncoding::Auto, malformed, SourceKind::Lines, "a\nb", true),
            // A mark overrides a name.
            (named, utf16("a\nb"), SourceKind::Lines, "a\nb", false),
            (wide, utf16("a\nb"), SourceKind::Lines, "a\nb", false),
        ] {
            assert_eq!(read(encoding, bytes), Ok((kind, text.to_string(), is_damaged)));
        }
        assert!(read(TextEncoding::Auto, utf16("a\nb").split_off(2)).is_err(), "no mark");
    }

    proptest! {
        #[test]
        fn transcoding_keeps_the_whole_text(text in "(\\PC|\n|😀){0,40}", times in 1usize..500) {
            let text = text.repeat(times);
            let read = read(TextEncoding::Auto, utf16(&text)).unwrap().1;
            prop_assert_eq!(read, text);
        }
    }
}
