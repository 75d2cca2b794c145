//! The encoding of document names in the pipeline's files. The formats use space, `:`, `(` and `)` as separators, so these, white space,
//! control characters, `%` and bytes that are not UTF-8 are written as `%XX`. All other characters, also beyond ASCII, stay readable.

use std::borrow::Cow;

/// Encodes a name.
pub fn encode(raw: &[u8]) -> String {
    let mut encoded = String::with_capacity(raw.len());
    for chunk in raw.utf8_chunks() {
        for character in chunk.valid().chars() {
            if is_special(character) {
                push_escaped(&mut encoded, character.encode_utf8(&mut [0; 4]).as_bytes());
            } else {
                encoded.push(character);
            }
        }
        push_escaped(&mut encoded, chunk.invalid());
    }
    encoded
}

/// Decodes a name. Returns `None` if a `%` is not followed by two hexadecimal digits.
pub fn decode(encoded: &str) -> Option<Vec<u8>> {
    let mut raw = Vec::with_capacity(encoded.len());
    let mut pieces = encoded.split('%');
    raw.extend_from_slice(pieces.next()?.as_bytes());
    for piece in pieces {
        let digits = piece.get(..2).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()))?;
        raw.push(u8::from_str_radix(digits, 16).ok()?);
        raw.extend_from_slice(&piece.as_bytes()[2..]);
    }
    Some(raw)
}

/// Returns the spelling that [`encode`] gives to an encoded name, because other programs may escape more than needed. Returns `None` for an
/// invalid escape. Free for names without `%`.
pub fn canonical(encoded: &str) -> Option<Cow<'_, str>> {
    if encoded.contains('%') {
        decode(encoded).map(|raw| Cow::Owned(encode(&raw)))
    } else {
        Some(Cow::Borrowed(encoded))
    }
}

fn is_special(character: char) -> bool {
    matches!(character, '%' | ':' | '(' | ')')
        || character.is_whitespace()
        || character.is_control()
}

fn push_escaped(encoded: &mut String, bytes: &[u8]) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    for byte in bytes {
        encoded.push('%');
        encoded.push(HEX[usize::from(byte >> 4)] as char);
        encoded.push(HEX[usize::from(byte & 15)] as char);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_separators_and_invalid_bytes_are_escaped() {
        assert_eq!(encode("a b:(1).txt".as_bytes()), "a%20b%3A%281%29.txt");
        assert_eq!(encode("100%".as_bytes()), "100%25");
        assert_eq!(encode("žluťoučký\u{a0}kůň".as_bytes()), "žluťoučký%C2%A0kůň");
        assert_eq!(encode(b"bad\xff\n"), "bad%FF%0A");
    }

    #[test]
    fn an_invalid_escape_is_refused() {
        for broken in ["%", "a%2", "%zz", "%+1", "%é"] {
            assert_eq!(decode(broken), None, "{broken}");
        }
    }

    #[test]
    fn other_spellings_become_canonical() {
        assert_eq!(canonical("%61%3a").as_deref(), Some("a%3A"));
    }

    proptest! {
        #[test]
        fn every_name_decodes_to_itself(raw in prop::collection::vec(any::<u8>(), 0..40)) {
            let encoded = encode(&raw);
            prop_assert!(!encoded.contains([' ', ':', '(', ')', '\n', '\t']));
            prop_assert_eq!(decode(&encoded).unwrap(), raw);
        }
    }
}
