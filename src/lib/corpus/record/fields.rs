//! The fields of a JSON object, without reading what else it holds.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;

use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::corpus::Rank;
use crate::error::{Error, Result, excerpt};

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// What should stand there.
    pub expected: String,
    /// What stands there.
    pub found: String,
}

impl Wrong {
    pub(super) fn at(self, path: &Path, line: u64) -> Error {
        let Wrong { expected, found } = self;
        Error::Parse { path: path.to_path_buf(), line, expected, found }
    }
}

/// The fields of a JSON object that are looked for.
#[derive(Debug, Clone, Copy)]
pub struct Fields<'f> {
    /// The one with the text, a string.
    pub text: &'f str,
    /// The one with the name, a string or a whole number, if names are wanted.
    pub id: Option<&'f str>,
    /// Whether an object without a name is right too; then a name may also be any number, and what is empty or null is none.
    pub id_may_miss: bool,
    /// One by which documents can be put in order, if that is wanted.
    pub rank: Option<&'f str>,
}

/// What stands in them.
#[derive(Debug, Clone, PartialEq)]
pub struct Found<'a> {
    /// The name, if it was looked for and there is one.
    pub id: Option<Cow<'a, str>>,
    /// The text.
    pub text: Cow<'a, str>,
    /// What documents are put in order by, if it was looked for and is a number or a text.
    pub rank: Option<Rank>,
}

/// What was found so far.
#[derive(Default)]
struct Parts<'a> {
    text: Option<Cow<'a, str>>,
    id: Option<Cow<'a, str>>,
    rank: Option<Rank>,
}

impl Parts<'_> {
    fn into_owned(self) -> Parts<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        Parts { text: self.text.map(owned), id: self.id.map(owned), rank: self.rank }
    }
}

impl Fields<'_> {
    /// Reads a line. Text without escapes is borrowed from it.
    pub fn read<'a>(&self, line: Cow<'a, str>) -> Result<Found<'a>, Wrong> {
        let parts = match line {
            Cow::Borrowed(line) => self.parts(line)?,
            Cow::Owned(line) => self.parts(&line)?.into_owned(),
        };
        self.found(parts)
    }

    fn parts<'a>(&self, line: &'a str) -> Result<Parts<'a>, Wrong> {
        let mut json = serde_json::Deserializer::from_str(line);
        let found =
            Object(self).deserialize(&mut json).and_then(|found| json.end().map(|()| found));
        found.map_err(|error| Wrong {
            expected: "a JSON object".into(),
            found: format!("{} ({})", excerpt(line), in_one_line(&error)),
        })
    }

    fn found<'a>(&self, parts: Parts<'a>) -> Result<Found<'a>, Wrong> {
        let missing = |field: &str| Wrong {
            expected: format!("the field {}", excerpt(field)),
            found: "an object without it".into(),
        };
        let Parts { text, id, rank } = parts;
        let text = text.ok_or_else(|| missing(self.text))?;
        let Some(field) = self.id else { return Ok(Found { id: None, text, rank }) };
        if self.id_may_miss {
            return Ok(Found { id: id.filter(|id| !id.is_empty()), text, rank });
        }
        let id = id.ok_or_else(|| missing(field))?;
        if id.is_empty() {
            let expected = format!("a name in the field {}", excerpt(field));
            return Err(Wrong { expected, found: "''".into() });
        }
        Ok(Found { id: Some(id), text, rank })
    }

    /// What a field that may be several of those looked for holds.
    fn take<'a, M: MapAccess<'a>>(
        &self,
        key: &str,
        parts: &mut Parts<'a>,
        map: &mut M,
    ) -> Result<(), M::Error> {
        let (is_text, is_id) = (key == self.text, self.id == Some(key));
        let is_rank = self.rank == Some(key);
        if !is_text && !is_id {
            parts.rank = map.next_value_seed(AnyRank)?;
            return Ok(());
        }
        let numbers = match (is_text, self.id_may_miss) {
            (true, _) => Numbers::None,
            (false, false) => Numbers::Whole,
            (false, true) => Numbers::All,
        };
        let value = map.next_value_seed(Text { numbers })?;
        if (is_text && parts.text.is_some()) || (is_id && parts.id.is_some()) {
            return Err(de::Error::custom(format!("the field {} twice", excerpt(key))));
        }
        if is_rank {
            parts.rank = Some(Rank::of_text(&value));
        }
        if is_id {
            parts.id = Some(value.clone());
        }
        if is_text {
            parts.text = Some(value);
        }
        Ok(())
    }
}

/// What is wrong, with the column: the line is always the first.
fn in_one_line(error: &serde_json::Error) -> String {
    error.to_string().replace(" at line 1 column", " at column")
}

/// A JSON object in which fields are looked for.
struct Object<'f>(&'f Fields<'f>);

impl<'a> DeserializeSeed<'a> for Object<'_> {
    type Value = Parts<'a>;

    fn deserialize<D: Deserializer<'a>>(self, json: D) -> Result<Parts<'a>, D::Error> {
        json.deserialize_map(self)
    }
}

impl<'a> Visitor<'a> for Object<'_> {
    type Value = Parts<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'a>>(self, mut map: M) -> Result<Parts<'a>, M::Error> {
        let (mut parts, fields) = (Parts::default(), self.0);
        while let Some(key) = map.next_key_seed(Text { numbers: Numbers::None })? {
            let is_wanted = |field: Option<&str>| field.is_some_and(|field| key == field);
            if key == fields.text || is_wanted(fields.id) || is_wanted(fields.rank) {
                fields.take(&key, &mut parts, &mut map)?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(parts)
    }
}

/// Which numbers stand for a string.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Numbers {
    None,
    Whole,
    /// All numbers, and null for an empty string.
    All,
}

/// A string, which is borrowed where it has no escapes; or also a number.
#[derive(Clone, Copy)]
struct Text {
    numbers: Numbers,
}

impl Text {
    fn number<E: de::Error>(self, number: impl fmt::Display) -> Result<Cow<'static, str>, E> {
        if self.numbers != Numbers::None {
            return Ok(Cow::Owned(number.to_string()));
        }
        Err(E::custom(format!("the number {number}, expected {}", self.expected())))
    }

    fn expected(self) -> &'static str {
        match self.numbers {
            Numbers::None => "a string",
            Numbers::Whole => "a string or a whole number",
            Numbers::All => "a string or a number",
        }
    }
}

impl<'a> DeserializeSeed<'a> for Text {
    type Value = Cow<'a, str>;

    fn deserialize<D: Deserializer<'a>>(self, json: D) -> Result<Cow<'a, str>, D::Error> {
        match self.numbers {
            Numbers::None => json.deserialize_str(self),
            _ => json.deserialize_any(self),
        }
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

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Cow<'a, str>, E> {
        if self.numbers == Numbers::All {
            return self.number(number);
        }
        Err(E::invalid_type(de::Unexpected::Float(number), &self))
    }

    fn visit_unit<E: de::Error>(self) -> Result<Cow<'a, str>, E> {
        if self.numbers == Numbers::All {
            return Ok(Cow::Borrowed(""));
        }
        Err(E::invalid_type(de::Unexpected::Unit, &self))
    }
}

/// A number or a text to put documents in order by; `None` for anything else.
struct AnyRank;

impl<'a> DeserializeSeed<'a> for AnyRank {
    type Value = Option<Rank>;

    fn deserialize<D: Deserializer<'a>>(self, json: D) -> Result<Option<Rank>, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'a> Visitor<'a> for AnyRank {
    type Value = Option<Rank>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_str<E>(self, text: &str) -> Result<Option<Rank>, E> {
        Ok(Some(Rank::Text(text.to_string())))
    }

    fn visit_bool<E>(self, is_true: bool) -> Result<Option<Rank>, E> {
        Ok(Some(Rank::Number(if is_true { 1.0 } else { 0.0 })))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Option<Rank>, E> {
        Ok(Some(Rank::Number(number as f64)))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Option<Rank>, E> {
        Ok(Some(Rank::Number(number as f64)))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Option<Rank>, E> {
        Ok(Some(Rank::Number(number)))
    }

    fn visit_unit<E>(self) -> Result<Option<Rank>, E> {
        Ok(None)
    }

    fn visit_seq<S: SeqAccess<'a>>(self, mut seq: S) -> Result<Option<Rank>, S::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn visit_map<M: MapAccess<'a>>(self, mut map: M) -> Result<Option<Rank>, M::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }
}
