//! A document in one line of a file: a JSON object, or nothing but its text.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;

use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};

use crate::error::{Error, Result, excerpt};

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
                let fields = Fields { text, id: id.as_deref() };
                let read = match line {
                    Cow::Borrowed(line) => fields.read(line),
                    Cow::Owned(line) => fields.read(&line).map(Found::into_owned),
                };
                read.and_then(|found| fields.record(found))
                    .map_err(|wrong| wrong.at(path, number))?
            }
        };
        Ok(Record { name, text, repaired })
    }
}

/// What is wrong with a line.
struct Wrong {
    expected: String,
    found: String,
}

impl Wrong {
    fn at(self, path: &Path, line: u64) -> Error {
        let Wrong { expected, found } = self;
        Error::Parse { path: path.to_path_buf(), line, expected, found }
    }
}

/// The fields that are looked for.
#[derive(Clone, Copy)]
struct Fields<'f> {
    text: &'f str,
    id: Option<&'f str>,
}

/// What was found in them.
#[derive(Default)]
struct Found<'a> {
    text: Option<Cow<'a, str>>,
    id: Option<Cow<'a, str>>,
}

impl Found<'_> {
    fn into_owned(self) -> Found<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        Found { text: self.text.map(owned), id: self.id.map(owned) }
    }
}

impl<'f> Fields<'f> {
    fn read<'a>(self, line: &'a str) -> Result<Found<'a>, Wrong> {
        let mut json = serde_json::Deserializer::from_str(line);
        let found = self.deserialize(&mut json).and_then(|found| json.end().map(|()| found));
        found.map_err(|error| Wrong {
            expected: "a JSON object".into(),
            found: format!("{} ({})", excerpt(line), in_one_line(&error)),
        })
    }

    fn record<'a>(self, found: Found<'a>) -> Result<(Option<Cow<'a, str>>, Cow<'a, str>), Wrong> {
        let missing = |field: &str| Wrong {
            expected: format!("the field {}", excerpt(field)),
            found: "an object without it".into(),
        };
        let text = found.text.ok_or_else(|| missing(self.text))?;
        let Some(field) = self.id else { return Ok((None, text)) };
        let name = found.id.ok_or_else(|| missing(field))?;
        if name.is_empty() {
            let expected = format!("a name in the field {}", excerpt(field));
            return Err(Wrong { expected, found: "''".into() });
        }
        Ok((Some(name), text))
    }
}

/// What is wrong, with the column: the line is always the first.
fn in_one_line(error: &serde_json::Error) -> String {
    error.to_string().replace(" at line 1 column", " at column")
}

impl<'a> DeserializeSeed<'a> for Fields<'_> {
    type Value = Found<'a>;

    fn deserialize<D: Deserializer<'a>>(self, json: D) -> Result<Found<'a>, D::Error> {
        json.deserialize_map(self)
    }
}

impl<'a> Visitor<'a> for Fields<'_> {
    type Value = Found<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'a>>(self, mut map: M) -> Result<Found<'a>, M::Error> {
        let mut found = Found::default();
        while let Some(key) = map.next_key_seed(Text { or_number: false })? {
            let (is_text, is_id) = (key == self.text, self.id.is_some_and(|id| key == id));
            if !is_text && !is_id {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let value = map.next_value_seed(Text { or_number: !is_text })?;
            let is_again = (is_text && found.text.is_some()) || (is_id && found.id.is_some());
            if is_again {
                return Err(de::Error::custom(format!("the field {} twice", excerpt(&key))));
            }
            // One field may be both.
            if is_id {
                found.id = Some(value.clone());
            }
            if is_text {
                found.text = Some(value);
            }
        }
        Ok(found)
    }
}

/// A string, which is borrowed where it has no escapes; or also a whole number.
#[derive(Clone, Copy)]
struct Text {
    or_number: bool,
}

impl Text {
    fn number<E: de::Error>(self, number: impl fmt::Display) -> Result<Cow<'static, str>, E> {
        if self.or_number {
            return Ok(Cow::Owned(number.to_string()));
        }
        Err(E::custom(format!("the number {number}, expected {}", self.expected())))
    }

    fn expected(self) -> &'static str {
        if self.or_number { "a string or a whole number" } else { "a string" }
    }
}

impl<'a> DeserializeSeed<'a> for Text {
    type Value = Cow<'a, str>;

    fn deserialize<D: Deserializer<'a>>(self, json: D) -> Result<Cow<'a, str>, D::Error> {
        if self.or_number { json.deserialize_any(self) } else { json.deserialize_str(self) }
    }
}

impl<'a> Visitor<'a> for Text {
    type Value = Cow<'a, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected())
    }

    fn visit_borrowed_str<E>(self, text: &'a str) -> Result<Cow<'a, str>, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E>(self, text: &str) -> Result<Cow<'a, str>, E> {
        Ok(Cow::Owned(text.to_string()))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Cow<'a, str>, E> {
        self.number(number)
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Cow<'a, str>, E> {
        self.number(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
