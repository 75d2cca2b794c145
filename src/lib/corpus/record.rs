//! Fields of a JSON object, without parsing what else it holds.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::decode::escape;
use super::inputs::Inputs;
use super::number::ExactNumber;
use crate::error::excerpt;

/// The value of a field to sort documents by. Numbers come before texts; numbers compare exactly, whatever their size, texts by bytes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum SortKey {
    /// A number.
    Number(ExactNumber),
    /// A text.
    Text(String),
}

impl SortKey {
    /// Returns a number if the text is one, else the text.
    pub fn of_text(text: &str) -> Self {
        text.parse().map_or_else(|()| SortKey::Text(text.to_string()), SortKey::Number)
    }

    /// Returns the key of a JSON value, unless it is null, an array or an object. True is 1, false 0.
    fn of_value(value: &RawValue) -> serde_json::Result<Option<Self>> {
        Ok(match value.get() {
            "true" => Some(SortKey::of_text("1")),
            "false" => Some(SortKey::of_text("0")),
            text if text.starts_with('"') => Some(SortKey::Text(string_of(value)?.into_owned())),
            text => text.parse().ok().map(SortKey::Number),
        })
    }
}

/// Names of the fields to extract. A name `a.b` is the field `b` of the object in the field `a`, or a field of that name.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecordFields<'f> {
    /// The text, a string.
    pub text: &'f str,
    /// The id, a string or an integer, if records have one.
    pub id: Option<&'f str>,
    /// Whether an object may lack the id; then the id may also be any number, and an empty or null id is none.
    pub has_optional_id: bool,
    /// The field to sort by.
    pub sort_key: Option<&'f str>,
}

/// Values of the fields.
#[derive(Debug, Default, Clone, PartialEq)]
pub(super) struct Record<'a> {
    pub text: Cow<'a, str>,
    pub id: Option<Cow<'a, str>>,
    pub sort_key: Option<SortKey>,
}

/// Fields seen so far.
#[derive(Default)]
struct Parts<'a> {
    text: Option<Cow<'a, str>>,
    id: Option<Cow<'a, str>>,
    sort_key: Option<SortKey>,
}

impl Parts<'_> {
    fn into_owned(self) -> Parts<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        Parts { text: self.text.map(owned), id: self.id.map(owned), sort_key: self.sort_key }
    }
}

impl<'f> RecordFields<'f> {
    /// Returns the fields that the inputs name.
    pub fn of(inputs: &'f Inputs) -> Self {
        RecordFields {
            text: &inputs.args.text_field,
            id: inputs.id_field(),
            has_optional_id: inputs.args.format.has_optional_ids(),
            sort_key: inputs.sort_field.as_deref(),
        }
    }

    /// Parses a line. Strings without escapes are borrowed from it. Fails with `expected X, found Y`.
    pub fn parse<'a>(&self, line: Cow<'a, str>) -> Result<Record<'a>, String> {
        match line {
            Cow::Borrowed(line) => self.record(self.parts(line)?, line.as_bytes()),
            Cow::Owned(line) => self.record(self.parts(&line)?.into_owned(), line.as_bytes()),
        }
    }

    fn parts<'a>(&self, line: &'a str) -> Result<Parts<'a>, String> {
        let parts = self.deserialize(serde_json::Deserializer::from_str(line), false);
        parts.map_err(|error| not_an_object(line, &error))
    }

    /// Parses a line whose text may be any bytes; they are escaped. Ids must be UTF-8.
    pub fn parse_bytes<'a>(&self, line: &'a [u8]) -> Result<Record<'a>, String> {
        let parts = self.deserialize(serde_json::Deserializer::from_slice(line), true);
        let parts = parts.map_err(|error| not_an_object(&String::from_utf8_lossy(line), &error))?;
        self.record(parts, line)
    }

    fn deserialize<'a, R: serde_json::de::Read<'a>>(
        &self,
        mut json: serde_json::Deserializer<R>,
        is_bytes: bool,
    ) -> serde_json::Result<Parts<'a>> {
        let mut parts = Parts::default();
        let wanted = WantedFields { text: Some(self.text), id: self.id, sort_key: self.sort_key };
        let visitor = ObjectVisitor { fields: self, wanted, is_bytes, parts: &mut parts };
        json.deserialize_map(visitor)?;
        json.end().map(|()| parts)
    }

    /// Returns the id in a field: a string, or a number as it is spelled, because different numbers may be the same float.
    fn id_of<'a>(&self, value: &'a RawValue) -> Result<Cow<'a, str>, String> {
        let text = value.get();
        let is_integer = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        match text.as_bytes().first() {
            Some(b'"') => string_of(value).map_err(|error| error.to_string()),
            Some(b'-' | b'0'..=b'9') if self.has_optional_id || is_integer => Ok(text.into()),
            Some(b'n') if self.has_optional_id => Ok("".into()),
            _ => {
                let number = if self.has_optional_id { "number" } else { "whole number" };
                Err(format!("{}, expected a string or a {number}", excerpt(text)))
            }
        }
    }

    fn record<'a>(&self, parts: Parts<'a>, line: &[u8]) -> Result<Record<'a>, String> {
        let missing = |field: &str, flag| missing_field(field, flag, &field_names(line));
        let Parts { text, id, sort_key } = parts;
        let text = text.ok_or_else(|| missing(self.text, "--text_field"))?;
        let id = id.filter(|id| !(self.has_optional_id && id.is_empty()));
        match (self.id, &id) {
            (Some(field), None) if !self.has_optional_id => Err(missing(field, "--id_field")),
            (Some(field), Some(id)) if id.is_empty() => {
                Err(format!("expected a name in the field {}, found ''", excerpt(field)))
            }
            _ => Ok(Record { text, id, sort_key }),
        }
    }
}

/// Field names that a message lists.
const MAX_NAMES: usize = 12;

/// Describes a record or table without a field by the fields that it has.
pub(super) fn missing_field(field: &str, flag: &str, names: &[String]) -> String {
    let mut found: Vec<String> = names.iter().take(MAX_NAMES).map(|name| excerpt(name)).collect();
    if names.len() > MAX_NAMES {
        found.push("…".into());
    }
    let found = if found.is_empty() { "no field".into() } else { found.join(", ") };
    format!("expected the field {} ({flag}), found {found}", excerpt(field))
}

/// Returns the names of the fields of an object.
fn field_names(line: &[u8]) -> Vec<String> {
    let fields: BTreeMap<String, IgnoredAny> = serde_json::from_slice(line).unwrap_or_default();
    fields.into_keys().collect()
}

/// Returns the text of a JSON string, borrowed if it has no escapes.
fn string_of(value: &RawValue) -> serde_json::Result<Cow<'_, str>> {
    match value.get().strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        Some(text) if !text.contains('\\') => Ok(Cow::Borrowed(text)),
        _ => serde_json::from_str(value.get()).map(Cow::Owned),
    }
}

/// Describes a syntax error with its column; the line is always the first.
fn not_an_object(line: &str, error: &serde_json::Error) -> String {
    let error = error.to_string().replace(" at line 1 column", " at column");
    format!("expected a JSON object, found {} ({error})", excerpt(line))
}

/// Names of the fields to extract from an object, relative to it.
#[derive(Debug, Clone, Copy, Default)]
struct WantedFields<'f> {
    text: Option<&'f str>,
    id: Option<&'f str>,
    sort_key: Option<&'f str>,
}

impl<'f> WantedFields<'f> {
    /// Returns the fields inside the field `key`, if there are any.
    fn inside(self, key: &str) -> Option<Self> {
        let below = |field: Option<&'f str>| field?.strip_prefix(key)?.strip_prefix('.');
        let WantedFields { text, id, sort_key } = self;
        let inside = WantedFields { text: below(text), id: below(id), sort_key: below(sort_key) };
        let is_any = inside.text.or(inside.id).or(inside.sort_key).is_some();
        is_any.then_some(inside)
    }
}

/// Deserializes an object, ignoring other fields.
struct ObjectVisitor<'f, 'p, 'a> {
    fields: &'f RecordFields<'f>,
    wanted: WantedFields<'f>,
    is_bytes: bool,
    parts: &'p mut Parts<'a>,
}

impl<'a> ObjectVisitor<'_, '_, 'a> {
    fn seed(&self) -> StringSeed {
        if self.is_bytes { StringSeed::Bytes } else { StringSeed::Text }
    }

    /// Takes the fields of an object inside this one. Other values have none.
    fn visit_inside<E: de::Error>(&mut self, key: &str, value: &'a RawValue) -> Result<(), E> {
        let Some(wanted) = self.wanted.inside(key).filter(|_| value.get().starts_with('{')) else {
            return Ok(());
        };
        let ObjectVisitor { fields, is_bytes, parts, .. } = self;
        let visitor = ObjectVisitor { fields, wanted, is_bytes: *is_bytes, parts };
        let inside = serde_json::Deserializer::from_str(value.get()).deserialize_map(visitor);
        inside.map_err(de::Error::custom)
    }
}

impl<'a> Visitor<'a> for ObjectVisitor<'_, '_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    /// A field may be wanted for several purposes.
    fn visit_map<M: MapAccess<'a>>(mut self, mut map: M) -> Result<(), M::Error> {
        while let Some(key) = map.next_key_seed(StringSeed::Text)? {
            let WantedFields { text, id, sort_key } = self.wanted;
            let (is_text, is_id) = (text == Some(&*key), id == Some(&*key));
            let is_sort_key = sort_key == Some(&*key);
            if is_text || is_id {
                let value = match is_text {
                    true => map.next_value_seed(self.seed())?,
                    false => self.fields.id_of(map.next_value()?).map_err(de::Error::custom)?,
                };
                let parts = &mut *self.parts;
                if (is_text && parts.text.is_some()) || (is_id && parts.id.is_some()) {
                    return Err(de::Error::custom(format!("the field {} twice", excerpt(&key))));
                }
                if is_sort_key {
                    parts.sort_key = Some(SortKey::of_text(&value));
                }
                if is_id {
                    parts.id = Some(value.clone());
                }
                if is_text {
                    parts.text = Some(value);
                }
            } else if is_sort_key {
                let key = SortKey::of_value(map.next_value()?);
                self.parts.sort_key = key.map_err(de::Error::custom)?;
            } else if self.wanted.inside(&key).is_some() {
                self.visit_inside(&key, map.next_value()?)?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

/// Deserializes a string, borrowed if it has no escapes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StringSeed {
    Text,
    /// Any bytes between quotation marks, escaped.
    Bytes,
}

impl<'a> DeserializeSeed<'a> for StringSeed {
    type Value = Cow<'a, str>;

    fn deserialize<D: Deserializer<'a>>(self, json: D) -> Result<Cow<'a, str>, D::Error> {
        match self {
            StringSeed::Text => json.deserialize_str(self),
            StringSeed::Bytes => json.deserialize_bytes(self),
        }
    }
}

impl<'a> Visitor<'a> for StringSeed {
    type Value = Cow<'a, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_str<E>(self, text: &'a str) -> Result<Cow<'a, str>, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E>(self, text: &str) -> Result<Cow<'a, str>, E> {
        Ok(Cow::Owned(text.to_string()))
    }

    fn visit_borrowed_bytes<E>(self, bytes: &'a [u8]) -> Result<Cow<'a, str>, E> {
        Ok(escape(bytes))
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Cow<'a, str>, E> {
        Ok(Cow::Owned(escape(bytes).into_owned()))
    }
}
