//! Document names: escapes, lists of names, files of ids.

use nearsig::fuzzing::ids::{self, IdNames};
use nearsig::fuzzing::list::{self, Separator};
use nearsig::fuzzing::name::{canonical, decode, encode, id_of_name, name_of_id};
use nearsig::fuzzing::pairs::{escape, unescape};

use super::content::twice;
use super::scratch;

/// Takes the input as a name, an encoded name, an escaped value, a list of names and an id file.
///
/// Every encoding reads back; encoded names hold no separator; ids and names stand for each other.
pub fn check(data: &[u8]) {
    check_name(data);
    check_lists(data);
    check_ids(data);
    if let Ok(text) = str::from_utf8(data) {
        check_encoded(text);
        check_escapes(text);
    }
}

fn check_name(raw: &[u8]) {
    let name = encode(raw);
    assert_eq!(decode(&name).as_deref(), Some(raw));
    assert_eq!(canonical(&name).as_deref(), Some(&*name));
    let is_separator =
        |c: char| matches!(c, ':' | '(' | ')') || c.is_whitespace() || c.is_control();
    assert!(!name.contains(is_separator), "{name:?}");
}

fn check_encoded(name: &str) {
    // A name without escapes is taken as it is, also if it should have some.
    if let Some(raw) = decode(name).filter(|_| name.contains('%')) {
        assert_eq!(canonical(name).expect("it can be decoded"), encode(&raw));
    }
    // Any text is the id of a document.
    let encoded = name_of_id(name);
    assert_eq!(id_of_name(&encoded), name, "the id of {encoded:?}");
    assert_eq!(canonical(&encoded).as_deref(), Some(&*encoded));
}

fn check_escapes(text: &str) {
    let escaped = escape(text);
    assert!(!escaped.contains(['\t', '\n', '\r']));
    assert_eq!(unescape(&escaped).as_deref(), Some(text));
    if let Some(plain) = unescape(text) {
        assert_eq!(unescape(&escape(&plain)).as_deref(), Some(&*plain));
    }
}

fn check_lists(content: &[u8]) {
    let lines = content.iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
    for separator in [Separator::Line, Separator::WhiteSpace] {
        let entries = list::entries(content, separator);
        assert!(entries.is_sorted_by_key(|entry| entry.line));
        let mut again = Vec::new();
        for entry in &entries {
            assert!((1..=lines).contains(&entry.line) && !entry.raw.is_empty());
            assert_eq!(decode(&entry.encoded()), Some(entry.raw.clone()));
            again.extend_from_slice(&entry.raw);
            // A name may end in CR, which the end of a line would hide.
            again.extend_from_slice(b"\r\n");
        }
        let names = |entries: Vec<list::ListEntry>| -> Vec<Vec<u8>> {
            entries.into_iter().map(|entry| entry.raw).collect()
        };
        assert_eq!(names(list::entries(&again, separator)), names(entries));
    }
}

fn check_ids(content: &[u8]) {
    let path = scratch::write("ids", content);
    let read = |path: &std::path::Path| IdNames::read(path).map(|ids| ids.names);
    let Some(names) = twice(&path, || read(&path)) else { return };
    let again = scratch::path("ids2");
    let mut out = scratch::publisher().create(&again).expect("a file can be created");
    let written = ids::write(&mut out, 1, names.values().map(|name| &**name));
    written.and_then(|()| out.finish()).expect("ids can be written");
    let mut found: Vec<String> = read(&again).expect("ids can be read").into_values().collect();
    let mut names: Vec<String> = names.into_values().collect();
    found.sort();
    names.sort();
    assert_eq!(found, names);
}
