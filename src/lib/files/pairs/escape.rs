//! Escapes of tab-separated files: a tab, newline, carriage return or backslash is written `\t`, `\n`, `\r`, `\\`.

use std::borrow::Cow;

/// Returns a text as a value of a tab-separated file.
pub fn escape(text: &str) -> Cow<'_, str> {
    // Reads to the end, which the compiler turns into vector instructions.
    let is_special = |byte: u8| matches!(byte, b'\t' | b'\n' | b'\r' | b'\\');
    if !text.bytes().fold(false, |any, byte| any | is_special(byte)) {
        return Cow::Borrowed(text);
    }
    let escaped = text.replace('\\', "\\\\").replace('\t', "\\t");
    Cow::Owned(escaped.replace('\n', "\\n").replace('\r', "\\r"))
}

/// Returns the text of an escaped value, or `None` where a backslash is not followed by `t`, `n`, `r` or a backslash.
pub fn unescape(escaped: &str) -> Option<Cow<'_, str>> {
    if !escaped.contains('\\') {
        return Some(Cow::Borrowed(escaped));
    }
    let mut text = String::with_capacity(escaped.len());
    let mut characters = escaped.chars();
    while let Some(character) = characters.next() {
        text.push(match character {
            '\\' => match characters.next()? {
                't' => '\t',
                'n' => '\n',
                'r' => '\r',
                '\\' => '\\',
                _ => return None,
            },
            other => other,
        });
    }
    Some(Cow::Owned(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_broken_escape_is_refused() {
        assert_eq!((unescape("a\\"), unescape("\\x")), (None, None));
    }

    proptest! {
        #[test]
        fn texts_round_trip(text in "[a-c\t\n\r\\\\ ntrž]{0,20}") {
            let escaped = escape(&text);
            prop_assert!(!escaped.contains(['\t', '\n', '\r']));
            prop_assert_eq!(unescape(&escaped).unwrap(), text.as_str());
        }
    }
}
