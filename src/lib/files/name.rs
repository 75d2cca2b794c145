//! The encoding of document names in the pipeline's files. The formats use space, `:`, `(` and `)` as separators, so these, white space,
//! control characters, `%` and bytes that are not UTF-8 are written as `%XX`. All other characters, also beyond ASCII, stay readable.
//!
//! An id is the same document in the tables of `find_near_dups`: `a b.txt` for the name `a%20b.txt`. Ids write only bytes that are not UTF-8
//! as `%XX`.

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

/// Returns the spelling that [`encode`] gives to an encoded name, because other programs may escape more or less than needed: a name that ends in a
/// raw carriage return would lose it in the next file. Returns `None` for an invalid escape. Copies no name that is spelled like this already.
pub fn canonical(encoded: &str) -> Option<Cow<'_, str>> {
    if encoded.chars().any(is_special) {
        decode(encoded).map(|raw| Cow::Owned(encode(&raw)))
    } else {
        Some(Cow::Borrowed(encoded))
    }
}

/// Returns the name that stands for an id in result lines.
pub fn name_of_id(id: &str) -> String {
    match invalid_bytes(id) {
        Some(raw) => encode(&raw),
        None => encode(id.as_bytes()),
    }
}

/// Returns the id that stands for a name in tables.
pub fn id_of_name(encoded: &str) -> Cow<'_, str> {
    match decode(encoded) {
        Some(raw) if encoded.contains('%') => Cow::Owned(id_of_bytes(&raw)),
        _ => Cow::Borrowed(encoded),
    }
}

/// Returns the id of a raw file name: UTF-8 as it is, other bytes as `%XX`.
pub(crate) fn id_of_bytes(raw: &[u8]) -> String {
    let mut id = String::with_capacity(raw.len());
    for chunk in raw.utf8_chunks() {
        id.push_str(chunk.valid());
        push_escaped(&mut id, chunk.invalid());
    }
    id
}

/// Returns the raw bytes of an id with `%XX` for bytes that are not UTF-8, or `None` if it has no such byte.
fn invalid_bytes(id: &str) -> Option<Vec<u8>> {
    let mut pieces = id.split('%');
    let mut raw = pieces.next()?.as_bytes().to_vec();
    for piece in pieces {
        let byte = piece.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match byte.filter(|byte| !byte.is_ascii()) {
            Some(byte) => {
                raw.push(byte);
                raw.extend_from_slice(&piece.as_bytes()[2..]);
            }
            None => {
                raw.push(b'%');
                raw.extend_from_slice(piece.as_bytes());
            }
        }
    }
    (raw != id.as_bytes() && id_of_bytes(&raw) == id).then_some(raw)
}

fn is_special(character: char) -> bool {
    matches!(character, '%' | ':' | '(' | ')')
        || character.is_whitespace()
        || character.is_control()
}

/// Appends bytes as `%XX`.
pub(crate) fn push_escaped(encoded: &mut String, bytes: &[u8]) {
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
        assert_eq!(encode("žluťoučký\u{a0}kůň".as_bytes()), "žluťoučký%C2%A0kůň");
        assert_eq!(encode(b"bad\xff\n"), "bad%FF%0A");
        assert_eq!(canonical("%61%3a").as_deref(), Some("a%3A"));
        assert_eq!(canonical("a\r\u{a0}%41").as_deref(), Some("a%0D%C2%A0A"));
        assert!(matches!(canonical("žluť"), Some(Cow::Borrowed("žluť"))));
        for (id, name) in [
            ("a b:(1).txt", "a%20b%3A%281%29.txt"),
            ("100%", "100%25"),
            ("x%FF y", "x%FF%20y"),
            ("x%C5%99", "x%25C5%2599"),
            ("%20", "%2520"),
            ("7", "7"),
        ] {
            assert_eq!((&*name_of_id(id), &*id_of_name(name)), (name, id));
        }
    }

    #[test]
    fn an_invalid_escape_is_refused() {
        for broken in ["%", "a%2", "%zz", "%+1", "%é"] {
            assert_eq!(decode(broken), None, "{broken}");
        }
    }

    proptest! {
        #[test]
        fn names_of_any_bytes_round_trip(mut raw in prop::collection::vec(prop_oneof![any::<u8>(), Just(b'%'), Just(b'F'), Just(0xff)], 0..40)) {
            let name = encode(&raw);
            prop_assert!(!name.contains([' ', ':', '(', ')', '\n', '\t']));
            prop_assert_eq!(decode(&name), Some(raw.clone()));
            prop_assert_eq!(id_of_name(&name), id_of_bytes(&raw));
            // A literal "%FF" has the id of the byte.
            raw.retain(|byte| *byte != b'%');
            prop_assert_eq!(name_of_id(&id_of_bytes(&raw)), encode(&raw));
        }

        #[test]
        fn ids_round_trip(id in "(%|F|[a-f]|\\PC| |ř){0,20}") {
            let name = name_of_id(&id);
            prop_assert_eq!(id_of_name(&name), id.as_str());
        }
    }
}
