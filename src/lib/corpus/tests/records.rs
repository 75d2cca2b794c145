//! Fields of JSON objects.

use std::borrow::Cow;

use proptest::prelude::*;

use crate::corpus::SortKey;
use crate::corpus::record::{Record, RecordFields};

const STRICT: RecordFields<'static> =
    RecordFields { text: "text", id: Some("id"), has_optional_id: false, sort_key: None };
const OPTIONAL: RecordFields<'static> =
    RecordFields { text: "t", id: Some("id"), has_optional_id: true, sort_key: Some("date") };

fn parse(line: &str) -> Result<Record<'_>, String> {
    STRICT.parse(line.into())
}

#[test]
fn ids_are_strings_or_integers_and_other_fields_do_not_matter() {
    for (line, id) in [
        (r#"{"id":"a b","text":"x"}"#, "a b"),
        (r#" { "meta": {"id": [1, {"text": 2}]}, "id" : 12 , "text":"x", "n": null } "#, "12"),
        (r#"{"text":"x","id":-3}"#, "-3"),
        (r#"{"\u0074ext":"\u0078","id":"\ud83d\ude00\n"}"#, "😀\n"),
    ] {
        let record = parse(line).unwrap();
        assert_eq!((record.id.as_deref(), &*record.text), (Some(id), "x"), "{line}");
        assert_eq!(STRICT.parse_bytes(line.as_bytes()).unwrap(), record);
    }
}

#[test]
fn malformed_objects_are_described() {
    let object = "expected a JSON object, found ";
    for line in ["", "[1]", "{\"id\":1", "{\"id\":1,\"text\":\"x\"} 1", "null", "{\"id\":1.5}"] {
        assert!(parse(line).unwrap_err().starts_with(object), "{line}");
        assert!(STRICT.parse_bytes(line.as_bytes()).unwrap_err().starts_with(object), "{line}");
    }
    for (line, why) in [
        (r#"{"id":1,"b":2}"#, "expected the field 'text' (--text_field), found 'b', 'id'"),
        (r#"{"text":"x"}"#, "expected the field 'id' (--id_field), found 'text'"),
        (r#"{"text":"x","id":""}"#, "expected a name in the field 'id', found ''"),
        (r#"{"text":"x","text":"x","id":1}"#, "the field 'text' twice"),
        (r#"{"text":5,"id":1}"#, "expected a string"),
        (r#"{"text":"x","id":null}"#, "expected a string or a whole number"),
    ] {
        assert!(parse(line).unwrap_err().contains(why), "{line}: {:?}", parse(line));
    }
}

#[test]
fn without_a_field_for_ids_there_are_none() {
    let fields = RecordFields { text: "t", id: None, ..STRICT };
    let record = fields.parse(r#"{"t":"x","id":5.5}"#.into()).unwrap();
    assert_eq!((record.id, &*record.text), (None, "x"));
}

#[test]
fn optional_ids_may_be_any_number_or_null() {
    for (line, id, key) in [
        (r#"{"t":"x"}"#, None, None),
        (r#"{"t":"x","id":null,"date":null}"#, None, None),
        (r#"{"t":"x","id":"","date":[1,{"a":2}]}"#, None, None),
        (r#"{"t":"x","id":12.0,"date":{"a":[]}}"#, Some("12.0"), None),
        (r#"{"date":"2007","t":"x","id":"a"}"#, Some("a"), Some(SortKey::Text("2007".into()))),
        (r#"{"t":"x","id":-1,"date":-1.5}"#, Some("-1"), Some(SortKey::of_text("-1.5"))),
        (r#"{"t":"x","id":1,"date":true}"#, Some("1"), Some(SortKey::of_text("1"))),
    ] {
        let record = OPTIONAL.parse(line.into()).unwrap();
        assert_eq!((record.id.as_deref(), record.sort_key), (id, key), "{line}");
    }
    let fields = RecordFields { sort_key: Some("id"), ..OPTIONAL };
    let record = fields.parse(r#"{"t":"x","id":9}"#.into()).unwrap();
    assert_eq!((record.id.as_deref(), record.sort_key), (Some("9"), Some(SortKey::of_text("9"))));
    assert!(fields.parse(r#"{"t":"x","id":[1]}"#.into()).is_err());
}

/// As floats, both numbers are equal.
#[test]
fn numbers_of_any_size_keep_all_their_digits() {
    let (one, other) = ("123456789012345678901234567890", "123456789012345678901234567891");
    let (mut ids, mut keys) = (Vec::new(), Vec::new());
    for number in [one, other, "-18446744073709551617"] {
        let line = format!("{{\"id\": {number} ,\"text\":\"x\",\"t\":\"x\",\"date\":{number}}}");
        let strict = STRICT.parse(line.as_str().into()).unwrap();
        assert_eq!(STRICT.parse_bytes(line.as_bytes()).unwrap(), strict);
        let optional = OPTIONAL.parse(Cow::Owned(line.clone())).unwrap();
        assert_eq!(strict.id, optional.id);
        ids.push(optional.id.unwrap().into_owned());
        keys.push(optional.sort_key.unwrap());
    }
    assert_eq!(ids, [one, other, "-18446744073709551617"]);
    assert!(keys[2] < keys[0] && keys[0] < keys[1]);
    assert_eq!(OPTIONAL.parse(r#"{"t":"","id":1.50e3}"#.into()).unwrap().id.unwrap(), "1.50e3");
    for number in ["1.0", "1e3", "true", "[1]", "{}", "01", "-", "1x"] {
        let line = format!("{{\"id\":{number},\"text\":\"x\"}}");
        assert!(parse(&line).is_err(), "{number}");
    }
}

#[test]
fn nesting_without_end_overflows_no_stack() {
    let depth = 5_000_000;
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        for value in [open.repeat(depth), format!("{}1{}", open.repeat(depth), close.repeat(depth))]
        {
            for field in ["x", "id", "t", "date"] {
                let line = format!("{{\"t\":\"x\",\"{field}\":{value}}}");
                let is_whole = value.ends_with(close);
                let is_read = is_whole && !["id", "t"].contains(&field);
                assert_eq!(OPTIONAL.parse(line.as_str().into()).is_ok(), is_read, "{field}");
                assert_eq!(OPTIONAL.parse_bytes(line.as_bytes()).is_ok(), is_read, "{field}");
            }
        }
    }
}

#[test]
fn undecoded_bytes_are_escaped_after_the_escapes_of_json() {
    let line = b"{\"id\":\"a\",\"text\":\"caf\xe9 \\u0025E9 \\ud800 %\", \"x\":\"\xff\"}";
    let record = STRICT.parse_bytes(line).unwrap();
    assert_eq!(record.text, "caf%E9 %25E9 %ED%A0%80 %");
    assert!(STRICT.parse_bytes(b"{\"id\":\"\xe9\",\"text\":\"\"}").is_err());
}

#[test]
fn numbers_come_before_texts() {
    let keys = ["-3", "0", "2", "10", "1e3", "", "2007-01-01", "a", "nan"].map(SortKey::of_text);
    assert!(keys.is_sorted_by(|left, right| left < right), "{keys:?}");
    assert_eq!(SortKey::of_text("inf"), SortKey::Text("inf".into()));
}

proptest! {
    #[test]
    fn any_text_and_id_come_back(text: String, id in "\\PC{1,20}|\n\"\\\\", ascii: bool) {
        let mut line = serde_json::json!({ "id": id, "text": text, "x": [text] }).to_string();
        if ascii {
            let escape = |c: char| -> String {
                let mut units = [0; 2];
                c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect()
            };
            line = line.chars().map(|c| if c.is_ascii() { c.into() } else { escape(c) }).collect();
        }
        let record = parse(&line).unwrap();
        prop_assert_eq!((record.id.as_deref(), &*record.text), (Some(&*id), &*text));
        let owned = STRICT.parse(Cow::Owned(line.clone())).unwrap();
        prop_assert_eq!(owned, record);
    }
}
