//! Encodings.

use crate::corpus::decode::{DecodedText, TextEncoding, check_magic, escape, without_mark};
use proptest::prelude::*;

const CZECH: &str = "Příliš žluťoučký kůň úpěl ďábelské ódy. Nechť již hříšné saxofony ďáblů rozezvučí síň úděsnými tóny waltzu, tanga a quickstepu.";

/// Decodes like a document: without its mark.
fn decoded(encoding: TextEncoding, bytes: &[u8], is_page: bool) -> Result<String, String> {
    let text = encoding.decode_file(bytes.to_vec(), is_page)?.text;
    Ok(without_mark(text).into_owned())
}

fn auto(bytes: &[u8]) -> Result<String, String> {
    decoded(TextEncoding::Auto, bytes, false)
}

fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(bytes).collect()
}

#[test]
fn byte_order_marks_are_believed_and_removed() {
    for named in [TextEncoding::Auto, TextEncoding::Named(encoding_rs::WINDOWS_1252)] {
        for bytes in [u16::to_le_bytes, u16::to_be_bytes] {
            let marked = utf16(&format!("\u{feff}{CZECH}"), bytes);
            assert_eq!(decoded(named, &marked, false).unwrap(), CZECH);
        }
        assert_eq!(decoded(named, "\u{feff}žluť".as_bytes(), false).unwrap(), "žluť");
    }
    assert!(auto(b"\xff\xfe\x00\xd8").is_err(), "a lone surrogate is not replaced");
    for bytes in [u16::to_le_bytes, u16::to_be_bytes] {
        // Without a mark the zeros tell.
        assert_eq!(auto(&utf16("plain words", bytes)).unwrap(), "plain words");
    }
}

#[test]
fn legacy_encodings_are_guessed() {
    let (bytes, _, _) = encoding_rs::WINDOWS_1250.encode(CZECH);
    let text = TextEncoding::Auto.decode_file(bytes.to_vec(), false).unwrap();
    assert_eq!((&*text.text, text.guess), (CZECH, Some(encoding_rs::WINDOWS_1250)));
    let (bytes, _, _) = encoding_rs::ISO_8859_2.encode("ľšč");
    let page = [b"<meta charset='iso-8859-2'>", &*bytes].concat();
    let text = decoded(TextEncoding::Auto, &page, true).unwrap();
    assert_eq!(text, "<meta charset='iso-8859-2'>ľšč");
    let line = TextEncoding::Auto.decode_line(b"caf\xe9 au lait").unwrap();
    assert_eq!((&*line.text, line.guess), ("café au lait", Some(encoding_rs::WINDOWS_1252)));
    let line = TextEncoding::Auto.decode_line("žluť".as_bytes()).unwrap();
    assert_eq!(line, DecodedText { text: "žluť".into(), guess: None });
}

#[test]
fn a_named_encoding_keeps_different_words_different() {
    let named: TextEncoding = "ISO-8859-2".parse().unwrap();
    let encode = |text| encoding_rs::ISO_8859_2.encode(text).0.into_owned();
    for word in ["souř", "souš"] {
        assert_eq!(decoded(named, &encode(word), false).unwrap(), word);
        assert_eq!(named.decode_line(&encode(word)).unwrap().text, word);
    }
    assert_ne!(auto(&encode("souř")), auto(&encode("souš")));
    let japanese: TextEncoding = "shift_jis".parse().unwrap();
    let why = decoded(japanese, b"a\x81", false).unwrap_err();
    assert_eq!(why, "expected Shift_JIS, found undecodable bytes");
}

#[test]
fn encodings_have_names() {
    for (name, spelled) in
        [("auto", "auto"), ("utf8", "utf-8"), ("bytes", "bytes"), ("latin2", "iso-8859-2")]
    {
        assert_eq!(name.parse::<TextEncoding>().unwrap().to_string(), spelled);
    }
    for unknown in ["", "klingon", "iso-2022-kr", "replacement"] {
        assert!(unknown.parse::<TextEncoding>().is_err(), "{unknown}");
    }
}

#[test]
fn damaged_utf8_is_an_error_with_its_position() {
    let damaged = [CZECH.as_bytes(), b"\xc5"].concat();
    let why = format!("found byte 0xC5 at byte {}", CZECH.len());
    for encoding in [TextEncoding::Auto, TextEncoding::Utf8] {
        assert!(decoded(encoding, &damaged, false).unwrap_err().contains(&why));
        assert!(encoding.decode_line(&damaged).unwrap_err().contains(&why));
    }
    let legacy = decoded(TextEncoding::Utf8, b"caf\xe9", false).unwrap_err();
    assert_eq!(legacy, "expected UTF-8, found byte 0xE9 at byte 3 (see --encoding)");
}

#[test]
fn binary_files_are_named_unless_an_encoding_is() {
    for (bytes, what) in [
        (&b"\x89PNG\r\n\x1a\n123"[..], "a PNG picture, not text"),
        (b"%PDF-1.7 no zeros", "a PDF file, not text"),
        (b"ab\0c\0\0", "binary data, not text"),
        (b"\x01\0\x02\0\x03\0", "binary data, not text"),
        (b"\0", "binary data, not text"),
    ] {
        assert_eq!(auto(bytes).unwrap_err(), what);
    }
    assert_eq!(decoded(TextEncoding::Utf8, b"a\0b", false).unwrap(), "a\0b");
    assert_eq!(auto(b"").unwrap(), "");
}

#[test]
fn undecoded_bytes_are_escaped() {
    for (bytes, text) in [
        (&b"sou\xf8 sou\xb9"[..], "sou%F8 sou%B9"),
        (b"100% %F8 %f8 %2", "100% %25F8 %25f8 %2"),
        (b"%\xf8", "%%F8"),
        ("ž\u{a0}ž\u{2003}".as_bytes(), "ž%C2%A0ž%E2%80%83"),
    ] {
        assert_eq!(escape(bytes), text);
    }
}

/// Inverts [`escape`].
fn unescape(text: &str) -> Vec<u8> {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let Some((first, others)) = rest.split_first() {
        let digits = others.get(..2).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        match digits {
            Some(digits) if *first == b'%' => {
                let digits = std::str::from_utf8(digits).unwrap();
                bytes.push(u8::from_str_radix(digits, 16).unwrap());
                rest = &others[2..];
            }
            _ => {
                bytes.push(*first);
                rest = others;
            }
        }
    }
    bytes
}

/// Bytes in which escapes, their digits and white space are frequent.
fn awkward_bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        prop::sample::select(b"%25Ff\xf8\xc2\xa0 x".to_vec()).prop_map(|byte| vec![byte]),
        prop::sample::select(vec!["ž", "\u{2003}"]).prop_map(|text| text.as_bytes().to_vec()),
    ];
    prop::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
}

/// Whether the bytes spell U+FFFD itself, in UTF-8, UTF-16 or GB 18030: it is then a character of the text, not a replacement.
fn spells_replacement(bytes: &[u8]) -> bool {
    let spellings: [&[u8]; 4] = [b"\xef\xbf\xbd", b"\xfd\xff", b"\xff\xfd", b"\x84\x31\xa4\x37"];
    spellings.iter().any(|spelling| bytes.windows(spelling.len()).any(|window| window == *spelling))
}

proptest! {
    #[test]
    fn different_byte_strings_stay_different(
        bytes in prop_oneof![awkward_bytes(), prop::collection::vec(any::<u8>(), 0..40)]
    ) {
        let text = escape(&bytes);
        prop_assert_eq!(unescape(&text), bytes.clone());
        let words = text.split_whitespace().map(unescape).collect::<Vec<_>>();
        let is_space = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0x0b;
        let expected: Vec<&[u8]> = bytes.split(is_space).filter(|word| !word.is_empty()).collect();
        prop_assert_eq!(words, expected, "white space separates as in the bytes");
    }

    #[test]
    fn nothing_panics_and_nothing_is_replaced(bytes in prop::collection::vec(any::<u8>(), 0..300), is_page: bool) {
        for encoding in ["auto", "utf-8", "bytes", "gbk", "iso-2022-jp"].map(|name| name.parse::<TextEncoding>().unwrap()) {
            for decoded in [encoding.decode_file(bytes.clone(), is_page), encoding.decode_line(&bytes)] {
                let has_replacement = decoded.is_ok_and(|decoded| decoded.text.contains('\u{fffd}'));
                prop_assert!(!has_replacement || spells_replacement(&bytes));
            }
        }
    }

    #[test]
    fn utf8_is_itself(text in "[^\\x00\u{feff}]{1,100}") {
        prop_assume!(check_magic(text.as_bytes()).is_ok());
        prop_assert_eq!(&auto(text.as_bytes()).unwrap(), &text);
        prop_assert_eq!(&*TextEncoding::Auto.decode_line(text.as_bytes()).unwrap().text, &*text);
    }
}
