//! Elements of a JSON array as JSON Lines.

use std::io;

use super::{RecordConverter, malformed};

/// Puts every element of the one array of a file on its own line. Elements are not parsed here: only strings and brackets count. Line breaks
/// outside of strings become spaces.
#[derive(Default)]
pub(in super::super) struct ArrayConverter {
    place: Place,
    /// Number of open brackets and braces of the element.
    depth: u64,
    /// Whether the element has begun.
    has_content: bool,
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before the opening bracket.
    #[default]
    Before,
    Element,
    String,
    /// After a backslash in a string.
    Escape,
    /// Behind the closing bracket.
    Behind,
}

impl ArrayConverter {
    /// Converts a byte outside of strings and of the array's own brackets.
    fn convert_structure(&mut self, byte: u8, lines: &mut Vec<u8>) -> io::Result<()> {
        match byte {
            b'"' => self.place = Place::String,
            b'[' | b'{' => self.depth += 1,
            b']' | b'}' if self.depth > 0 => self.depth -= 1,
            b']' | b',' if self.depth == 0 => {
                if byte == b']' {
                    self.place = Place::Behind;
                }
                lines.push(b'\n');
                self.has_content = false;
                return Ok(());
            }
            b'}' => return Err(malformed("',' or ']' in a JSON array", "'}'")),
            _ => (),
        }
        let is_space = byte.is_ascii_whitespace();
        self.has_content |= !is_space;
        if self.has_content {
            lines.push(if is_space { b' ' } else { byte });
        }
        Ok(())
    }
}

impl RecordConverter for ArrayConverter {
    fn convert(&mut self, bytes: &[u8], lines: &mut Vec<u8>) -> io::Result<()> {
        let mut rest = bytes;
        while let Some(byte) = rest.first() {
            match self.place {
                Place::String => {
                    let end = memchr::memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
                    lines.extend_from_slice(&rest[..end]);
                    rest = &rest[end..];
                    let Some(byte) = rest.first() else { break };
                    self.place = if *byte == b'"' { Place::Element } else { Place::Escape };
                    lines.push(*byte);
                }
                Place::Escape => {
                    self.place = Place::String;
                    lines.push(*byte);
                }
                Place::Element => self.convert_structure(*byte, lines)?,
                Place::Before | Place::Behind if byte.is_ascii_whitespace() => (),
                Place::Before if *byte == b'[' => self.place = Place::Element,
                Place::Before => return Err(malformed("a JSON array", "another value")),
                Place::Behind => {
                    return Err(malformed("the end of the file behind a JSON array", "more"));
                }
            }
            rest = &rest[1..];
        }
        Ok(())
    }

    fn finish(&mut self, _: &mut Vec<u8>) -> io::Result<()> {
        if self.place == Place::Behind {
            return Ok(());
        }
        Err(malformed("']' at the end of a JSON array", "the end of the file (truncated?)"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::converted;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn elements_become_lines() {
        for (content, expected) in [
            ("[]", "\n"),
            (" [ {\"a\":\n[1,2]} ,\n{}\n]\n", "{\"a\": [1,2]} \n{} \n"),
            (r#"["a,]\"}\\",null]"#, "\"a,]\\\"}\\\\\"\nnull\n"),
        ] {
            for size in [1, 3, 100] {
                let found = converted(ArrayConverter::default(), content.as_bytes(), size);
                assert_eq!(found, (expected.to_string(), None), "{content}");
            }
        }
    }

    #[test]
    fn other_content_is_refused() {
        for content in ["", "[1,2", "[\"a", "{}", "[1] 2", "[1}]", "[[1]"] {
            assert!(converted(ArrayConverter::default(), content.as_bytes(), 7).1.is_some());
        }
    }

    proptest! {
        #[test]
        fn lines_hold_the_values_of_the_array(
            texts in prop::collection::vec("[\\[\\]{},:\"\\\\ \n\t a-bé]{0,9}", 1..9),
            size in 1usize..40,
        ) {
            let values: Vec<serde_json::Value> = texts
                .iter()
                .map(|text| serde_json::json!({ text.as_str(): [text, { "b": text }, [], {}] }))
                .collect();
            let content = serde_json::to_string_pretty(&values).unwrap();
            let (lines, error) = converted(ArrayConverter::default(), content.as_bytes(), size);
            prop_assert_eq!(error, None);
            let read: Vec<serde_json::Value> =
                lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            prop_assert_eq!(read, values);
            for end in 0..content.len() {
                prop_assert!(converted(ArrayConverter::default(), &content.as_bytes()[..end], size).1.is_some());
            }
        }
    }
}
