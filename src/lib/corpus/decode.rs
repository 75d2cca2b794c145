//! Bytes to text: UTF-8 as it is, UTF-16 by its mark or pattern, legacy encodings as a browser guesses them or by name. No byte is replaced:
//! undecodable input is an error.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use serde::Serialize;

use crate::files::name::push_escaped;

/// Bytes examined to tell text from other files.
pub(super) const SNIFF_BYTES: usize = 8 << 10;
/// Bytes examined to guess an encoding.
const GUESS_BYTES: usize = 1 << 20;
/// A page states its encoding within this many bytes.
const STATED_BYTES: usize = 1024;
/// The byte order mark, decoded.
const MARK: char = '\u{feff}';
/// Text with this many times as many well-formed UTF-8 sequences as malformed ones is damaged UTF-8, not another encoding.
const DAMAGED_RATIO: usize = 8;

/// First bytes of files that are not text. The crate `infer` does not fit: it takes texts that begin with "BM", "GIF" or "ID3" for a picture or a
/// sound, and scripts and XML for programs.
const MAGICS: [(&[u8], &str); 25] = [
    (b"PAR1\x15", "a Parquet file"),
    (b"%PDF-", "a PDF file"),
    (b"\x89PNG\r\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF87a", "a GIF picture"),
    (b"GIF89a", "a GIF picture"),
    (b"II*\0", "a TIFF picture"),
    (b"MM\0*", "a TIFF picture"),
    (b"PK\x03\x04", "a ZIP archive or an office document"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an office document in an old or encrypted format"),
    (b"\x7fELF", "a program"),
    (b"\xca\xfe\xba\xbe", "a program"),
    (b"\xcf\xfa\xed\xfe", "a program"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"\xfd7zXZ\0", "an xz file in another compressed file"),
    (b"BZh91AY&SY", "a bzip2 file in another compressed file"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"\x1f\x9d", "a compressed file"),
    (b"OggS\0", "a sound"),
    (b"ID3\x02", "a sound"),
    (b"ID3\x03", "a sound"),
    (b"ID3\x04", "a sound"),
    (b"fLaC\0", "a sound"),
    (b"SQLite format 3\0", "a database"),
    (b"!<arch>\n", "an archive of a compiler"),
];

/// How bytes become text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(into = "String")]
pub enum TextEncoding {
    /// UTF-8 or UTF-16 where the bytes say so, else guessed. Binary files are refused.
    #[default]
    Auto,
    /// UTF-8. Anything else is refused with its byte position.
    Utf8,
    /// None: bytes that are not UTF-8 become `%XX`. See [`escape`] for the rules that keep different byte strings different.
    Bytes,
    /// An encoding by name. A byte order mark overrides it.
    Named(&'static Encoding),
}

impl FromStr for TextEncoding {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match (name, Encoding::for_label_no_replacement(name.as_bytes())) {
            ("auto", _) => Ok(TextEncoding::Auto),
            ("bytes", _) => Ok(TextEncoding::Bytes),
            (_, Some(encoding)) if encoding == UTF_8 => Ok(TextEncoding::Utf8),
            (_, Some(encoding)) => Ok(TextEncoding::Named(encoding)),
            _ => Err("expected auto, utf-8, bytes or a name such as windows-1250".into()),
        }
    }
}

impl fmt::Display for TextEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TextEncoding::Auto => f.write_str("auto"),
            TextEncoding::Utf8 => f.write_str("utf-8"),
            TextEncoding::Bytes => f.write_str("bytes"),
            TextEncoding::Named(encoding) => f.write_str(&encoding.name().to_ascii_lowercase()),
        }
    }
}

impl From<TextEncoding> for String {
    fn from(encoding: TextEncoding) -> String {
        encoding.to_string()
    }
}

/// A text, and its encoding if that was guessed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DecodedText<'a> {
    pub text: Cow<'a, str>,
    pub guess: Option<&'static Encoding>,
}

impl<'a> DecodedText<'a> {
    fn certain(text: impl Into<Cow<'a, str>>) -> Self {
        DecodedText { text: text.into(), guess: None }
    }
}

/// Text, or the reason why bytes are not text.
type Decoding<'a> = Result<DecodedText<'a>, String>;

impl TextEncoding {
    /// Decodes a whole file. `is_page` says that it may state its encoding like HTML.
    pub(super) fn decode_file(self, content: Vec<u8>, is_page: bool) -> Decoding<'static> {
        match self {
            TextEncoding::Auto => detect(content, is_page),
            TextEncoding::Named(encoding) => {
                let encoding = marked(&content).unwrap_or(encoding);
                decode_strictly(encoding, &content)
            }
            TextEncoding::Utf8 => utf8(content).map_err(|(_, why)| why),
            TextEncoding::Bytes => Ok(DecodedText::certain(escape(&content).into_owned())),
        }
    }

    /// Decodes a line of a file that [`super::sniff`] has seen.
    pub(super) fn decode_line(self, line: &[u8]) -> Decoding<'_> {
        if self == TextEncoding::Bytes {
            return Ok(DecodedText::certain(escape(line)));
        }
        if let TextEncoding::Named(encoding) = self {
            return decode_strictly(encoding, line);
        }
        match std::str::from_utf8(line) {
            Ok(text) => Ok(DecodedText::certain(text)),
            Err(error) if self == TextEncoding::Utf8 || is_damaged_utf8(line) => {
                Err(invalid_utf8(line, error.valid_up_to()))
            }
            Err(_) => guess(line),
        }
    }
}

/// Returns a text without the byte order mark at its beginning, which belongs to no text. This is the one place that removes it.
pub(super) fn without_mark(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim_start_matches(MARK)),
        Cow::Owned(text) if text.starts_with(MARK) => {
            Cow::Owned(text.trim_start_matches(MARK).to_string())
        }
        Cow::Owned(text) => Cow::Owned(text),
    }
}

/// Detects the encoding of a file.
fn detect(content: Vec<u8>, is_page: bool) -> Decoding<'static> {
    if let Some(encoding) = marked(&content) {
        return decode_strictly(encoding, &content);
    }
    check_magic(&content)?;
    if has_zeros(&content) {
        let encoding = unmarked_utf16(&content).ok_or("binary data, not text")?;
        return decode_strictly(encoding, &content);
    }
    let (content, why) = match utf8(content) {
        Ok(text) => return Ok(text),
        Err(damage) => damage,
    };
    if is_damaged_utf8(&content[..content.len().min(GUESS_BYTES)]) {
        return Err(why);
    }
    let stated = if is_page { stated(&content) } else { None };
    let stated = stated.and_then(|encoding| decode_strictly(encoding, &content).ok());
    stated.map_or_else(|| guess(&content), Ok)
}

/// Returns a text in UTF-8, or the bytes and what is wrong with them.
fn utf8(content: Vec<u8>) -> Result<DecodedText<'static>, (Vec<u8>, String)> {
    String::from_utf8(content).map(DecodedText::certain).map_err(|error| {
        let why = invalid_utf8(error.as_bytes(), error.utf8_error().valid_up_to());
        (error.into_bytes(), why)
    })
}

fn invalid_utf8(bytes: &[u8], at: usize) -> String {
    let byte = bytes.get(at).copied().unwrap_or_default();
    format!("expected UTF-8, found byte 0x{byte:02X} at byte {at} (see --encoding)")
}

/// Returns the encoding that a byte order mark names.
pub(super) fn marked(start: &[u8]) -> Option<&'static Encoding> {
    // UTF-32 begins like UTF-16; it is not used for files.
    let is_utf32 = start.starts_with(&[0xff, 0xfe, 0, 0]);
    Encoding::for_bom(start).map(|(encoding, _)| encoding).filter(|_| !is_utf32)
}

/// Refuses a file that is something else than text by its first bytes.
pub(super) fn check_magic(start: &[u8]) -> Result<(), String> {
    match MAGICS.iter().find(|(magic, _)| start.starts_with(magic)) {
        Some((_, what)) => Err(format!("{what}, not text")),
        None => Ok(()),
    }
}

pub(super) fn has_zeros(start: &[u8]) -> bool {
    start[..start.len().min(SNIFF_BYTES)].contains(&0)
}

pub(super) fn decode_strictly(encoding: &'static Encoding, bytes: &[u8]) -> Decoding<'static> {
    match encoding.decode_without_bom_handling_and_without_replacement(bytes) {
        Some(text) => Ok(DecodedText::certain(text.into_owned())),
        None => Err(format!("expected {}, found undecodable bytes", encoding.name())),
    }
}

/// Decodes what is not UTF-8 as a browser guesses it.
fn guess(bytes: &[u8]) -> Decoding<'static> {
    let start = &bytes[..bytes.len().min(GUESS_BYTES)];
    let encoding = likely(start, start.len() == bytes.len());
    let decoded = decode_strictly(encoding, bytes);
    let decoded = decoded.map_err(|why| format!("{why} (see --encoding)"))?;
    Ok(DecodedText { guess: Some(encoding), ..decoded })
}

fn likely(start: &[u8], is_all: bool) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(start, is_all);
    detector.guess(None, Utf8Detection::Deny)
}

/// Guesses the encoding of a source from its first bytes; none if they are UTF-8, damaged or not.
pub(super) fn guessed(start: &[u8]) -> Option<&'static Encoding> {
    // The last character may be cut.
    let is_utf8 = |error: std::str::Utf8Error| error.error_len().is_none();
    match std::str::from_utf8(start) {
        Ok(_) => None,
        Err(error) if is_utf8(error) || is_damaged_utf8(start) => None,
        Err(_) => Some(likely(start, false)),
    }
}

/// Returns whether most of what is not ASCII is well-formed UTF-8.
fn is_damaged_utf8(bytes: &[u8]) -> bool {
    let (mut right, mut wrong) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        right += chunk.valid().bytes().filter(|byte| *byte >= 0xc0).count();
        wrong += usize::from(!chunk.invalid().is_empty());
    }
    right >= DAMAGED_RATIO * wrong
}

/// Returns the encoding that a page states: `charset=…`.
fn stated(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = bytes[..bytes.len().min(STATED_BYTES)].to_ascii_lowercase();
    let at = memchr::memmem::find(&start, b"charset=")? + "charset=".len();
    let label = start[at..].trim_ascii_start();
    let label = label.strip_prefix(b"\"").or(label.strip_prefix(b"'")).unwrap_or(label);
    let is_end = |byte: &u8| !(byte.is_ascii_alphanumeric() || b"-_:.".contains(byte));
    let end = label.iter().position(is_end).unwrap_or(label.len());
    let encoding = Encoding::for_label(&label[..end])?;
    // The bytes are neither UTF-8 nor UTF-16: such a statement is wrong.
    encoding.is_ascii_compatible().then_some(encoding).filter(|e| *e != UTF_8)
}

/// Returns the encoding of UTF-16 without a mark: many letters have a zero byte, always at the same place.
fn unmarked_utf16(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = &bytes[..bytes.len().min(SNIFF_BYTES)];
    let zeros = |from: usize| start.iter().skip(from).step_by(2).filter(|b| **b == 0).count();
    let units = start.len() / 2;
    let encoding = match (zeros(0), zeros(1)) {
        (0, second) if 2 * second >= units => UTF_16LE,
        (first, 0) if 2 * first >= units => UTF_16BE,
        _ => return None,
    };
    let (text, _) = encoding.decode_without_bom_handling(&start[..2 * units]);
    let is_strange = |c: char| c.is_control() && !c.is_whitespace();
    let is_text = bytes.len().is_multiple_of(2) && units > 1 && !text.contains(is_strange);
    is_text.then_some(encoding)
}

/// Returns byte strings as text, different ones differently: bytes that are not UTF-8 become `%XX`, and so does a `%` before two hexadecimal
/// digits. White space outside ASCII does too: byte strings are separated by ASCII white space alone.
pub(super) fn escape(bytes: &[u8]) -> Cow<'_, str> {
    let is_special = |c: char| c == '%' || (!c.is_ascii() && c.is_whitespace());
    if let Ok(text) = std::str::from_utf8(bytes)
        && !text.contains(is_special)
    {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
    let mut at = 0;
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            at += character.len_utf8();
            let digits =
                || bytes.get(at..at + 2).is_some_and(|d| d.iter().all(u8::is_ascii_hexdigit));
            if is_special(character) && (character != '%' || digits()) {
                push_escaped(&mut text, character.encode_utf8(&mut [0; 4]).as_bytes());
            } else {
                text.push(character);
            }
        }
        push_escaped(&mut text, chunk.invalid());
        at += chunk.invalid().len();
    }
    Cow::Owned(text)
}
