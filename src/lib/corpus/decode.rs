//! Bytes to text: UTF-8 as it is, UTF-16 by its mark or its pattern, other encodings as a browser guesses them, and what is no text told apart.

use std::borrow::Cow;
use std::io::{Cursor, Read};

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};

use crate::files::input::{Compressed, Reader, decompressed};

/// So many bytes are looked at to tell what a file is.
pub(super) const LOOK: usize = 8 << 10;
/// So many bytes are looked at to guess an encoding.
const GUESS: usize = 1 << 20;
/// A page states its encoding in its first so many bytes.
const STATED: usize = 1024;
/// Marks at the beginning of a file.
const UTF8_MARK: &[u8] = "\u{feff}".as_bytes();
/// So many times as much well-formed UTF-8 as what is not means a damaged text, not another encoding.
const DAMAGED: usize = 8;

/// How files begin that are no text, and what they are.
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
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an office document"),
    (b"\x7fELF", "a program"),
    (b"\xca\xfe\xba\xbe", "a program"),
    (b"\xcf\xfa\xed\xfe", "a program"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"\xfd7zXZ\0", "an xz file"),
    (b"BZh91AY&SY", "a bzip2 file"),
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

/// What a file is instead of a text, by its first bytes.
pub(super) fn not_text(start: &[u8]) -> Option<&'static str> {
    let magic = MAGICS.iter().find(|(magic, _)| start.starts_with(magic));
    magic.map(|(_, what)| *what)
}

/// The encoding that the mark at the beginning of a file names, if it is not UTF-8.
pub(super) fn marked(start: &[u8]) -> Option<&'static Encoding> {
    match start {
        // Four bytes a character begin so too; nobody writes them.
        [0xff, 0xfe, 0, 0, ..] => None,
        [0xff, 0xfe, ..] => Some(UTF_16LE),
        [0xfe, 0xff, ..] => Some(UTF_16BE),
        _ => None,
    }
}

/// Whether bytes that have no mark hold something else than text.
pub(super) fn has_zeros(start: &[u8]) -> bool {
    start[..start.len().min(LOOK)].contains(&0)
}

/// A text, and whether its encoding had to be guessed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Text<'a> {
    pub text: Cow<'a, str>,
    pub was_guessed: bool,
}

/// The text of a file of its own, or what it is instead. `is_page` says that it may state its encoding as HTML does.
pub(super) fn file(content: Vec<u8>, is_page: bool) -> Result<Text<'static>, &'static str> {
    if let Some(encoding) = marked(&content) {
        return Ok(decoded(encoding, &content[2..]));
    }
    if let Some(what) = not_text(&content) {
        return Err(what);
    }
    if has_zeros(&content) {
        let encoding = unmarked_utf16(&content).ok_or("binary data")?;
        return Ok(decoded(encoding, &content));
    }
    match String::from_utf8(content) {
        Ok(mut text) => {
            if text.starts_with('\u{feff}') {
                text.drain(..UTF8_MARK.len());
            }
            Ok(Text { text: Cow::Owned(text), was_guessed: false })
        }
        Err(error) => {
            let content = error.as_bytes();
            let content = content.strip_prefix(UTF8_MARK).unwrap_or(content);
            let stated = is_page.then(|| stated(content)).flatten();
            Ok(stated.map_or_else(|| guessed(content), |encoding| decoded(encoding, content)))
        }
    }
}

/// The text of a line of a file.
pub(super) fn line(line: &[u8]) -> Text<'_> {
    match std::str::from_utf8(line) {
        Ok(text) => Text { text: Cow::Borrowed(text), was_guessed: false },
        Err(_) => guessed(line),
    }
}

fn decoded(encoding: &'static Encoding, bytes: &[u8]) -> Text<'static> {
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    let is_exact = encoding == UTF_16LE || encoding == UTF_16BE;
    Text { text: Cow::Owned(text.into_owned()), was_guessed: !is_exact }
}

/// What is not UTF-8. If it nearly is, it is taken for a damaged text, with replacement characters.
fn guessed(bytes: &[u8]) -> Text<'static> {
    let looked_at = &bytes[..bytes.len().min(GUESS)];
    let text = if is_damaged_utf8(looked_at) {
        String::from_utf8_lossy(bytes).into_owned()
    } else {
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
        detector.feed(looked_at, looked_at.len() == bytes.len());
        let encoding = detector.guess(None, Utf8Detection::Deny);
        encoding.decode_without_bom_handling(bytes).0.into_owned()
    };
    Text { text: Cow::Owned(text), was_guessed: true }
}

/// Whether most of what is not ASCII is well-formed UTF-8.
fn is_damaged_utf8(bytes: &[u8]) -> bool {
    let (mut right, mut wrong) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        right += chunk.valid().bytes().filter(|byte| *byte >= 0xc0).count();
        wrong += usize::from(!chunk.invalid().is_empty());
    }
    right >= DAMAGED * wrong
}

/// The encoding that a page states: `charset=…`.
fn stated(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = bytes[..bytes.len().min(STATED)].to_ascii_lowercase();
    let at = memchr::memmem::find(&start, b"charset=")? + "charset=".len();
    let label = start[at..].trim_ascii_start();
    let label = label.strip_prefix(b"\"").or(label.strip_prefix(b"'")).unwrap_or(label);
    let is_end = |byte: &u8| !(byte.is_ascii_alphanumeric() || b"-_:.".contains(byte));
    let end = label.iter().position(is_end).unwrap_or(label.len());
    let encoding = Encoding::for_label(&label[..end])?;
    // It is not UTF-8, and not two bytes a character: whoever wrote that did not know.
    encoding.is_ascii_compatible().then_some(encoding).filter(|e| *e != encoding_rs::UTF_8)
}

/// UTF-16 without a mark: many letters have a zero as one of their bytes, and always as the same one.
fn unmarked_utf16(bytes: &[u8]) -> Option<&'static Encoding> {
    let looked_at = &bytes[..bytes.len().min(LOOK)];
    let zeros = |from: usize| looked_at.iter().skip(from).step_by(2).filter(|b| **b == 0).count();
    let units = looked_at.len() / 2;
    let encoding = match (zeros(0), zeros(1)) {
        (0, second) if 2 * second >= units => UTF_16LE,
        (first, 0) if 2 * first >= units => UTF_16BE,
        _ => return None,
    };
    let (text, _) = encoding.decode_without_bom_handling(&looked_at[..2 * units]);
    let is_strange = |c: char| c.is_control() && !c.is_whitespace();
    let is_text = bytes.len().is_multiple_of(2) && units > 1 && !text.contains(is_strange);
    is_text.then_some(encoding)
}

/// The content of a file, decompressed if it is compressed.
pub(super) fn uncompressed(content: Vec<u8>) -> std::io::Result<Vec<u8>> {
    if Compressed::of(&content) == Compressed::No {
        return Ok(content);
    }
    let mut plain = Vec::new();
    decompressed(Box::new(Cursor::new(content)))?.read_to_end(&mut plain)?;
    Ok(plain)
}

/// A reader of another encoding as a reader of UTF-8.
pub(super) struct Transcoded {
    reader: Reader,
    decoder: encoding_rs::Decoder,
    /// What was read and is not decoded yet.
    raw: Vec<u8>,
    /// What was decoded and is not taken yet, from `taken` on.
    text: String,
    taken: usize,
    is_at_end: bool,
}

impl Transcoded {
    pub fn new(reader: Reader, encoding: &'static Encoding) -> Self {
        let decoder = encoding.new_decoder_with_bom_removal();
        let (raw, text, taken) = (Vec::new(), String::new(), 0);
        Transcoded { reader, decoder, raw, text, taken, is_at_end: false }
    }

    /// Decodes the next bytes.
    fn refill(&mut self) -> std::io::Result<()> {
        self.raw.resize(LOOK, 0);
        let count = self.reader.read(&mut self.raw)?;
        self.is_at_end = count == 0;
        let needed = self.decoder.max_utf8_buffer_length(count).unwrap_or(usize::MAX);
        self.text.clear();
        self.text.reserve(needed);
        self.taken = 0;
        // There is room for all of it.
        let _ = self.decoder.decode_to_string(&self.raw[..count], &mut self.text, self.is_at_end);
        Ok(())
    }
}

impl Read for Transcoded {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        while self.taken == self.text.len() && !self.is_at_end {
            self.refill()?;
        }
        let left = &self.text.as_bytes()[self.taken..];
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

    const CZECH: &str = "Příliš žluťoučký kůň úpěl ďábelské ódy. Nechť již hříšné saxofony ďáblů rozezvučí síň úděsnými tóny waltzu, tanga a quickstepu.";

    fn text_of(bytes: &[u8]) -> String {
        file(bytes.to_vec(), false).unwrap().text.into_owned()
    }

    fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn marks_are_believed_and_removed() {
        assert_eq!(text_of("\u{feff}žluť".as_bytes()), "žluť");
        assert_eq!(text_of(&[&[0xff, 0xfe][..], &utf16(CZECH, u16::to_le_bytes)].concat()), CZECH);
        assert_eq!(text_of(&[&[0xfe, 0xff][..], &utf16(CZECH, u16::to_be_bytes)].concat()), CZECH);
    }

    #[test]
    fn utf16_without_a_mark_is_known_by_its_zeros() {
        assert_eq!(text_of(&utf16("plain words", u16::to_le_bytes)), "plain words");
        assert_eq!(text_of(&utf16("plain words", u16::to_be_bytes)), "plain words");
    }

    #[test]
    fn other_encodings_are_guessed() {
        let (bytes, _, _) = encoding_rs::WINDOWS_1250.encode(CZECH);
        let text = file(bytes.to_vec(), false).unwrap();
        assert_eq!((&*text.text, text.was_guessed), (CZECH, true));
        let (bytes, _, _) = encoding_rs::ISO_8859_2.encode("ľšč");
        let page = [b"<meta charset='iso-8859-2'>", &*bytes].concat();
        assert_eq!(file(page, true).unwrap().text, "<meta charset='iso-8859-2'>ľšč");
        assert_eq!(line(b"caf\xe9 au lait").text, "café au lait");
        assert_eq!(line("žluť".as_bytes()), Text { text: "žluť".into(), was_guessed: false });
    }

    #[test]
    fn a_damaged_text_stays_utf8() {
        let mut bytes = CZECH.as_bytes().to_vec();
        bytes.pop();
        bytes.extend_from_slice(b"\xc5");
        assert_eq!(text_of(&bytes), CZECH.trim_end_matches('.').to_string() + "\u{fffd}");
    }

    #[test]
    fn what_is_no_text_is_named() {
        assert_eq!(file(b"\x89PNG\r\n\x1a\n123".to_vec(), false), Err("a PNG picture"));
        assert_eq!(file(b"%PDF-1.7 no zeros".to_vec(), false), Err("a PDF file"));
        assert_eq!(file(b"ab\0c\0\0".to_vec(), false), Err("binary data"));
        assert_eq!(file(b"\x01\0\x02\0\x03\0".to_vec(), false), Err("binary data"));
        assert_eq!(file(b"\0".to_vec(), false), Err("binary data"));
        assert_eq!(file(vec![], false).unwrap().text, "");
    }

    proptest! {
        #[test]
        fn what_is_transcoded_is_the_whole_text(text in "(\\PC|\n|😀){0,40}", times in 1usize..500) {
            let text = text.repeat(times);
            let bytes = [&[0xff, 0xfe][..], &utf16(&text, u16::to_le_bytes)].concat();
            let mut read = String::new();
            let reader = Box::new(Cursor::new(bytes));
            Transcoded::new(reader, UTF_16LE).read_to_string(&mut read).unwrap();
            prop_assert_eq!(read, text.strip_prefix('\u{feff}').unwrap_or(&text));
        }

        #[test]
        fn nothing_makes_it_fail(bytes in prop::collection::vec(any::<u8>(), 0..300), is_page: bool) {
            let _ = file(bytes.clone(), is_page);
            let _ = line(&bytes);
        }

        #[test]
        fn text_is_itself(text in "[^\\x00\u{feff}]{1,100}") {
            prop_assume!(not_text(text.as_bytes()).is_none());
            prop_assert_eq!(text_of(text.as_bytes()), text.clone());
            prop_assert_eq!(&*line(text.as_bytes()).text, &*text);
        }
    }
}
