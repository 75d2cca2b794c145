//! HTML character references: `&amp;`, `&#233;`, `&#xE9;`.

use std::borrow::Cow;
use std::sync::LazyLock;

use entities::ENTITIES;
use rustc_hash::FxHashMap;

/// Bytes of the longest name, `CounterClockwiseContourIntegral`.
const MAX_NAME: usize = 31;
/// Bytes of the longest and the shortest name that needs no semicolon: `Aacute` and `gt`.
const MAX_BARE_NAME: usize = 6;
const MIN_BARE_NAME: usize = 2;

/// Characters by name. The name includes `&` and, unless it is one of the 106 that need none, the semicolon.
static NAMED: LazyLock<FxHashMap<&str, &str>> =
    LazyLock::new(|| ENTITIES.iter().map(|known| (known.entity, known.characters)).collect());

/// Decodes the reference at the start of `text`, which starts with `&`, as browsers do outside of attributes. Returns the characters and the
/// length of the reference in bytes, or `None` if `&` stands for itself.
///
/// See "Character reference state" in the [HTML standard](https://html.spec.whatwg.org/multipage/parsing.html#character-reference-state).
pub(super) fn reference(text: &str) -> Option<(Cow<'static, str>, usize)> {
    match text.as_bytes().get(1)? {
        b'#' => numeric(text),
        letter if letter.is_ascii_alphabetic() => named(text),
        _ => None,
    }
}

/// The longest name in the table that `text` starts with.
fn named(text: &str) -> Option<(Cow<'static, str>, usize)> {
    let bytes = &text.as_bytes()[1..];
    let name = run(&bytes[..bytes.len().min(MAX_NAME + 1)], u8::is_ascii_alphanumeric);
    let with_semicolon = bytes.get(name).filter(|next| **next == b';').map(|_| name + 2);
    let bare = (MIN_BARE_NAME..=name.min(MAX_BARE_NAME)).rev().map(|name| name + 1);
    with_semicolon.into_iter().chain(bare).find_map(|length| {
        let characters = *NAMED.get(&text[..length])?;
        Some((Cow::Borrowed(characters), length))
    })
}

/// A character by its code point, `&#233;` or `&#xE9;`; the semicolon may be missing.
fn numeric(text: &str) -> Option<(Cow<'static, str>, usize)> {
    let (prefix, radix) = match text.as_bytes().get(2)? {
        b'x' | b'X' => ("&#x".len(), 16),
        _ => ("&#".len(), 10),
    };
    let digits = &text.as_bytes()[prefix..];
    let length = run(digits, |digit| char::from(*digit).is_digit(radix));
    if length == 0 {
        return None;
    }
    let end = prefix + length;
    let code = u32::from_str_radix(&text[prefix..end], radix).unwrap_or(u32::MAX);
    let semicolon = usize::from(text.as_bytes().get(end) == Some(&b';'));
    Some((Cow::Owned(character(code).to_string()), end + semicolon))
}

/// The character with this code point; U+FFFD for zero, surrogates and numbers beyond Unicode.
fn character(code: u32) -> char {
    match code {
        // Pages older than Unicode mean windows-1252, and the standard follows them.
        0x80..=0x9f => {
            let byte = [code as u8];
            let (decoded, _) = encoding_rs::WINDOWS_1252.decode_without_bom_handling(&byte);
            decoded.chars().next().unwrap_or(char::REPLACEMENT_CHARACTER)
        }
        0 => char::REPLACEMENT_CHARACTER,
        _ => char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER),
    }
}

/// The number of leading bytes that satisfy a predicate.
fn run(bytes: &[u8], is_part: impl Fn(&u8) -> bool) -> usize {
    bytes.iter().take_while(|byte| is_part(byte)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_lengths_cover_the_whole_table() {
        let lengths = |bare: bool| {
            let names = NAMED.keys().filter(move |name| name.ends_with(';') != bare);
            names.map(|name| name.trim_matches(['&', ';']).len())
        };
        assert_eq!(
            (lengths(false).max(), lengths(true).max()),
            (Some(MAX_NAME), Some(MAX_BARE_NAME))
        );
        assert_eq!(lengths(true).min(), Some(MIN_BARE_NAME));
    }

    #[test]
    fn every_name_is_decoded() {
        assert_eq!(NAMED.len(), 2231);
        for (name, characters) in NAMED.iter() {
            assert_eq!(reference(&format!("{name} ")), Some(((*characters).into(), name.len())));
        }
    }

    #[test]
    fn references_are_decoded_as_in_browsers() {
        for (text, characters, length) in [
            ("&amp;x", "&", 5),
            ("&eacute;", "é", 8),
            ("&lang;", "⟨", 6),
            ("&ShortLeftArrow;", "←", 16),
            ("&NotEqualTilde;", "≂\u{338}", 15),
            ("&amp", "&", 4),
            ("&copy2026", "©", 5),
            ("&notit;", "¬", 4),
            ("&notin;", "∉", 7),
            ("&#233;", "é", 6),
            ("&#233 a", "é", 5),
            ("&#xE9; a", "é", 6),
            ("&#XE9g", "é", 5),
            ("&#128;", "€", 6),
            ("&#0;", "\u{fffd}", 4),
            ("&#xD800;", "\u{fffd}", 8),
            ("&#0000000000000233;", "é", 19),
            ("&#9999999999;", "\u{fffd}", 13),
        ] {
            assert_eq!(reference(text), Some((characters.into(), length)), "{text}");
        }
    }

    #[test]
    fn an_ampersand_before_other_text_stands_for_itself() {
        for text in ["&", "& ;", "&unknown;", "&#;", "&#x;", "&#+1;", "&é;", "&#xg;", "&a", "&;"] {
            assert_eq!(reference(text), None, "{text}");
        }
    }
}
