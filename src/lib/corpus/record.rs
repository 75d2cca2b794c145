//! A document in one line of a file: a JSON object, or nothing but its text.

mod fields;

use std::borrow::Cow;
use std::path::Path;

use crate::error::Result;

pub use fields::{Fields, Found, Wrong};

/// What a line is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordShape {
    /// A JSON object.
    Json {
        /// The field with the text, a string.
        text: String,
        /// The field with the name, a string or a whole number; none if documents are called by their lines' numbers.
        id: Option<String>,
    },
    /// The text; documents are called by their lines' numbers.
    Text,
}

/// A document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record<'a> {
    /// Its name, not encoded; none if the line's number is its name.
    pub name: Option<Cow<'a, str>>,
    /// Its text.
    pub text: Cow<'a, str>,
    /// Whether something was not UTF-8 and had to be replaced.
    pub repaired: bool,
}

impl RecordShape {
    /// Reads a line.
    pub fn parse<'a>(&self, path: &Path, number: u64, line: &'a [u8]) -> Result<Record<'a>> {
        // What is UTF-8 is found out faster than what could be made of it if it is not.
        let line = match std::str::from_utf8(line) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => String::from_utf8_lossy(line),
        };
        let repaired = matches!(line, Cow::Owned(_));
        let (name, text) = match (self, line) {
            (RecordShape::Text, line) => (None, line),
            (RecordShape::Json { text, id }, line) => {
                let fields = Fields { text, id: id.as_deref(), id_may_miss: false, rank: None };
                let found = fields.read(line).map_err(|wrong| wrong.at(path, number))?;
                (found.id, found.text)
            }
        };
        Ok(Record { name, text, repaired })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Rank;
    use proptest::prelude::*;

    fn shape() -> RecordShape {
        RecordShape::Json { text: "text".into(), id: Some("id".into()) }
    }

    fn told(line: &str) -> String {
        shape().parse(Path::new("f"), 7, line.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn names_may_be_strings_or_whole_numbers_and_other_fields_do_not_matter() {
        for (line, name) in [
            (r#"{"id":"a b","text":"x"}"#, "a b"),
            (r#" { "meta": {"id": [1, {"text": 2}]}, "id" : 12 , "text":"x", "n": null } "#, "12"),
            (r#"{"text":"x","id":-3}"#, "-3"),
            (r#"{"\u0074ext":"\u0078","id":"\ud83d\ude00\n"}"#, "😀\n"),
        ] {
            let record = shape().parse(Path::new("f"), 1, line.as_bytes()).unwrap();
            assert_eq!((record.name.as_deref(), &*record.text), (Some(name), "x"), "{line}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let object = "f:7: expected a JSON object, found ";
        for line in ["", "[1]", "{\"id\":1", "{\"id\":1,\"text\":\"x\"} 1", "null", "{\"id\":1.5}"]
        {
            assert!(told(line).starts_with(object), "{line}: {}", told(line));
        }
        for (line, rest) in [
            (r#"{"id":1}"#, "expected the field 'text', found an object without it"),
            (r#"{"text":"x"}"#, "expected the field 'id', found an object without it"),
            (r#"{"text":"x","id":""}"#, "expected a name in the field 'id', found ''"),
            (r#"{"text":"x","text":"x","id":1}"#, "the field 'text' twice"),
            (r#"{"text":5,"id":1}"#, "expected a string"),
            (r#"{"text":"x","id":null}"#, "expected a string or a whole number"),
        ] {
            assert!(told(line).contains(rest), "{line}: {}", told(line));
            assert!(told(line).starts_with("f:7: "), "{}", told(line));
        }
    }

    #[test]
    fn without_a_field_for_names_there_are_none() {
        let shape = RecordShape::Json { text: "t".into(), id: None };
        let record = shape.parse(Path::new("f"), 1, br#"{"t":"x","id":5.5}"#).unwrap();
        assert_eq!((record.name, &*record.text), (None, "x"));
    }

    #[test]
    fn where_names_may_miss_they_may_be_any_number_or_null() {
        let fields = Fields { text: "t", id: Some("id"), id_may_miss: true, rank: Some("date") };
        for (line, id, rank) in [
            (r#"{"t":"x"}"#, None, None),
            (r#"{"t":"x","id":null,"date":null}"#, None, None),
            (r#"{"t":"x","id":"","date":[1,{"a":2}]}"#, None, None),
            (r#"{"t":"x","id":12.0,"date":{"a":[]}}"#, Some("12"), None),
            (r#"{"date":"2007","t":"x","id":"a"}"#, Some("a"), Some(Rank::Text("2007".into()))),
            (r#"{"t":"x","id":-1,"date":-1.5}"#, Some("-1"), Some(Rank::Number(-1.5))),
            (r#"{"t":"x","id":1,"date":true}"#, Some("1"), Some(Rank::Number(1.0))),
        ] {
            let found = fields.read(line.into()).unwrap();
            assert_eq!((found.id.as_deref(), found.rank), (id, rank), "{line}");
        }
        let fields = Fields { rank: Some("id"), ..fields };
        let found = fields.read(r#"{"t":"x","id":9}"#.into()).unwrap();
        assert_eq!((found.id.as_deref(), found.rank), (Some("9"), Some(Rank::Number(9.0))));
        assert!(fields.read(r#"{"t":"x","id":[1]}"#.into()).is_err());
    }

    #[test]
    fn what_is_not_utf8_is_replaced_and_told() {
        let record = shape().parse(Path::new("f"), 1, b"{\"id\":1,\"text\":\"caf\xe9\"}").unwrap();
        assert_eq!((&*record.text, record.repaired), ("caf\u{fffd}", true));
        let record = RecordShape::Text.parse(Path::new("f"), 1, b"\xff a").unwrap();
        assert_eq!((&*record.text, record.repaired, record.name), ("\u{fffd} a", true, None));
    }

    proptest! {
        #[test]
        fn any_text_and_name_come_back(text: String, name in "\\PC{1,20}|\n\"\\\\", ascii: bool) {
            let mut line = serde_json::json!({ "id": name, "text": text, "x": [text] }).to_string();
            if ascii {
                let escape = |c: char| -> String {
                    let mut units = [0; 2];
                    c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect()
                };
                line = line.chars().map(|c| if c.is_ascii() { c.into() } else { escape(c) }).collect();
            }
            let record = shape().parse(Path::new("f"), 1, line.as_bytes()).unwrap();
            prop_assert_eq!((record.name.as_deref(), &*record.text, record.repaired), (Some(&*name), &*text, false));
        }
    }
}
