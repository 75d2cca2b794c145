//! The beginning of a source with lines: whether it is text, what it holds, and how its lines are encoded.

use std::borrow::Cow;
use std::io::{self, Cursor, Read};

use encoding_rs::{DecoderResult, Encoding};

use super::decode::{SNIFF_BYTES, TextEncoding, check_magic, has_zeros, marked};
use super::source::SourceKind;
use crate::files::input::Reader;

/// Content of a source with lines, and the encoding of a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineFormat {
    pub kind: SourceKind,
    pub encoding: TextEncoding,
}

/// Examines the beginning of a source with lines: whether it is text, what it holds if that is not known, and its encoding. Returns also the
/// content from its beginning, without a byte order mark. Encodings that are not ASCII-compatible become UTF-8.
pub(super) fn sniff(
    kind: SourceKind,
    encoding: TextEncoding,
    mut reader: Reader,
) -> Result<(LineFormat, Reader), String> {
    let mut start = Vec::with_capacity(SNIFF_BYTES);
    let read = reader.by_ref().take(SNIFF_BYTES as u64).read_to_end(&mut start);
    let rest: Reader = match read {
        Ok(_) => reader,
        Err(error) => Box::new(FailingReader(Some(error))),
    };
    let transcoded = transcoding(encoding, &start);
    if encoding == TextEncoding::Auto && transcoded.is_none() {
        check_magic(&start)?;
    }
    let text = match transcoded {
        Some(wide) => Cow::Owned(wide.decode_with_bom_removal(&start).0.into_owned().into()),
        None => Cow::Borrowed(start.strip_prefix(UTF8_MARK).unwrap_or(&start)),
    };
    let kind = match kind {
        SourceKind::Unseen if text.trim_ascii_start().starts_with(b"{") => SourceKind::Json,
        SourceKind::Unseen => SourceKind::Lines,
        known => known,
    };
    // A zero makes a JSON object malformed; others may be well-formed.
    let may_be_binary = encoding == TextEncoding::Auto && kind == SourceKind::Lines;
    if may_be_binary && has_zeros(&text) {
        return Err("binary data, not text".into());
    }
    let is_utf8 = transcoded.is_some() || start.starts_with(UTF8_MARK);
    let encoding = match encoding {
        TextEncoding::Named(_) if is_utf8 => TextEncoding::Utf8,
        other => other,
    };
    let skipped = if transcoded.is_none() { start.len() - text.len() } else { 0 };
    let whole = Cursor::new(start.split_off(skipped)).chain(rest);
    let reader: Reader = match transcoded {
        Some(wide) => Box::new(TranscodingReader::new(Box::new(whole), wide)),
        None => Box::new(whole),
    };
    Ok((LineFormat { kind, encoding }, reader))
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
        let sniffed = sniff(SourceKind::Unseen, encoding, Box::new(Cursor::new(bytes)));
        let (format, mut reader) = sniffed?;
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
